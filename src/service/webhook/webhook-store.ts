import { and, asc, desc, eq, getTableColumns, gt, isNotNull, isNull, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import type { CacheReads } from '../cached-reads.ts';
import { deliveryAttempt, endpointTable, type Livemode, signingSecretTable } from '../schema.ts';

/** Identifies an endpoint: each platform has one in each mode. */
export type EndpointKey = { platformId: string; livemode: Livemode };

export type WebhookEndpointRow = typeof endpointTable.$inferSelect;

/** `overlapUntil` is when the older of two secrets stops signing; `null` when only one signs. */
export type ListedEndpoint = WebhookEndpointRow & { overlapUntil: EpochMs | null };

type SigningSecret = typeof signingSecretTable.$inferSelect;

/** A secret, and when it stops signing; `null` for the current one. */
type SecretInUse = Pick<SigningSecret, 'secret' | 'retiresAt'>;

/** An endpoint and the URL of a delivery. The outcome at one URL does not count for the URL that replaces it. */
type EndpointUrl = EndpointKey & { url: string };

type DeliveryFailure = EndpointUrl & {
  now: EpochMs;
  /** An endpoint that has been failing since this time or longer is disabled. */
  failingBefore: EpochMs;
  /** An older last failure does not count: the endpoint is failing since now. */
  lastFailureAfter: EpochMs;
};

export type WebhookStore = ReturnType<typeof webhookStore>;

const { placeholder } = sql;

const isEndpoint = equals(endpointTable, 'platformId', 'livemode');

const find = prepareQuery(build.select().from(endpointTable).where(isEndpoint));

const isUrl = and(isEndpoint, equals(endpointTable, 'url'), isNull(endpointTable.disabledAt));

const recordSuccess = prepareWrite<EndpointUrl>(
  build
    .update(endpointTable)
    .set({ failingSince: null, lastFailedAt: null })
    .where(and(isUrl, isNotNull(endpointTable.failingSince))),
);

const ofEndpoint = equals(signingSecretTable, 'platformId', 'livemode');

const listSecrets = prepareQuery(
  build
    .select({ secret: signingSecretTable.secret, retiresAt: signingSecretTable.retiresAt })
    .from(signingSecretTable)
    .where(ofEndpoint)
    .orderBy(desc(signingSecretTable.createdAt), desc(signingSecretTable.id))
    .limit(2),
);

const insertSecret = insertRow(signingSecretTable);

const deleteRetired = prepareWrite<EndpointKey>(
  build.delete(signingSecretTable).where(and(ofEndpoint, sql`${signingSecretTable.retiresAt} IS NOT NULL`)),
);

const retire = prepareWrite<EndpointKey & { retiresAt: EpochMs }>(
  build
    .update(signingSecretTable)
    .set({ retiresAt: sql`${placeholder('retiresAt')}` })
    .where(ofEndpoint),
);

/** Returns the secrets that sign at a time, the current one first. */
export function signingAt(secrets: readonly SecretInUse[], now: EpochMs): string[] {
  return secrets.flatMap(({ secret, retiresAt }) => (retiresAt === null || retiresAt > now ? [secret] : []));
}

export function webhookStore(store: Store) {
  return {
    find: (key: EndpointKey): Promise<WebhookEndpointRow | undefined> => find.get(store, { ...key }),
    /** The endpoints of all platforms of a merchant, in both modes. `after` is the last one of the page before. */
    list: (merchantId: string, now: EpochMs, limit: number, after?: EndpointKey): Promise<ListedEndpoint[]> =>
      store.read
        .select({ ...getTableColumns(endpointTable), overlapUntil: signingSecretTable.retiresAt })
        .from(endpointTable)
        .leftJoin(
          signingSecretTable,
          and(
            eq(signingSecretTable.platformId, endpointTable.platformId),
            eq(signingSecretTable.livemode, endpointTable.livemode),
            gt(signingSecretTable.retiresAt, now),
          ),
        )
        .where(
          and(
            eq(endpointTable.merchantId, merchantId),
            after &&
              sql`(${endpointTable.platformId}, ${endpointTable.livemode}) > (${after.platformId}, ${after.livemode})`,
          ),
        )
        .orderBy(asc(endpointTable.platformId), asc(endpointTable.livemode))
        .limit(limit),
    /** The secrets of an endpoint, the current one first, at most two; see `signingAt`. */
    listSecrets: (key: EndpointKey): Promise<SecretInUse[]> => listSecrets.all(store, { ...key }),
    /** Sets a URL, also the same one again, and clears the endpoint's failures. */
    setUrl: (key: EndpointKey & { merchantId: string }, url: string, now: EpochMs): Write => ({
      sql: `INSERT INTO endpoint (platform_id, merchant_id, livemode, url, created_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET url = excluded.url, failing_since = NULL,
              last_failed_at = NULL, disabled_at = NULL`,
      args: [key.platformId, key.merchantId, key.livemode, url, now],
      rows: 1,
    }),
    recordSuccess,
    /** Records that a delivery failed: the endpoint starts failing, continues to fail, or is disabled. */
    recordFailure: ({
      platformId,
      livemode,
      url,
      now,
      failingBefore,
      lastFailureAfter,
    }: DeliveryFailure): Write => ({
      sql: `UPDATE endpoint SET last_failed_at = ?,
              failing_since = iif(last_failed_at >= ?, failing_since, ?),
              disabled_at = iif(last_failed_at >= ? AND failing_since <= ?, ?, NULL)
              WHERE platform_id = ? AND livemode = ? AND url = ? AND disabled_at IS NULL`,
      args: [now, lastFailureAfter, now, lastFailureAfter, failingBefore, now, platformId, livemode, url],
    }),
    /** Replaces the current secret, which signs beside the new one until `retiresAt`. */
    replaceSecret: (row: SigningSecret, retiresAt: EpochMs): Write[] => {
      const key = { platformId: row.platformId, livemode: row.livemode };
      return [deleteRetired(key), retire({ ...key, retiresAt }), insertSecret(row)];
    },
  };
}

const getName = ({ platformId, livemode }: EndpointKey) => `${livemode} ${platformId}`;

function parseName(name: string): EndpointKey {
  return { platformId: name.slice(2), livemode: Number(name[0]) as Livemode };
}

/** Keeps in memory what each delivery reads: its endpoint, and the secrets that sign it. */
export function cacheEndpoints(endpoints: WebhookStore, keep: CacheReads): WebhookStore {
  const find = keep(['endpoint'], (name) => endpoints.find(parseName(name)));
  const listSecrets = keep(['signing_secret'], (name) => endpoints.listSecrets(parseName(name)));
  return {
    ...endpoints,
    find: (key) => find(getName(key)),
    listSecrets: (key) => listSecrets(getName(key)),
  };
}

export type DeliveryAttempt = typeof deliveryAttempt.$inferSelect;

export type AttemptStore = ReturnType<typeof attemptStore>;

const setResponseBody = prepareWrite<{ eventId: string; number: number; text: string }>(
  build
    .update(deliveryAttempt)
    .set({ responseBody: parameter('text') })
    .where(equals(deliveryAttempt, 'eventId', 'number')),
);

/** The log of delivery attempts. An attempt that a crash or a stop interrupted is counted but has no row. */
export function attemptStore({ read }: Store) {
  return {
    insert: insertRow(deliveryAttempt),
    /** Adds the beginning of the response's body to the row of an attempt. */
    setResponseBody,
    /** The last attempts of an event, oldest first. */
    async list(eventId: string, limit: number): Promise<DeliveryAttempt[]> {
      const last = await read
        .select()
        .from(deliveryAttempt)
        .where(eq(deliveryAttempt.eventId, eventId))
        .orderBy(desc(deliveryAttempt.number))
        .limit(limit);
      return last.reverse();
    },
  };
}
