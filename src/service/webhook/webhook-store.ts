import { and, asc, desc, eq, getTableColumns, gt, isNotNull, isNull, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import type { CacheReads } from '../cached-reads.ts';
import { deliveryAttempt, endpoint, type Livemode, signingSecret } from '../schema.ts';

/** Identifies an endpoint: each platform has one in each mode. */
export type EndpointKey = { platformId: string; livemode: Livemode };

export type Endpoint = typeof endpoint.$inferSelect;

/** `overlapUntil` is when the older of two secrets stops signing; `null` when only one signs. */
export type ListedEndpoint = Endpoint & { overlapUntil: EpochMs | null };

type SigningSecret = typeof signingSecret.$inferSelect;

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

export type EndpointStore = ReturnType<typeof endpointStore>;

const { placeholder } = sql;

const isEndpoint = and(
  eq(endpoint.platformId, placeholder('platformId')),
  eq(endpoint.livemode, placeholder('livemode')),
);

const find = prepareQuery(build.select().from(endpoint).where(isEndpoint));

const isUrl = and(isEndpoint, eq(endpoint.url, placeholder('url')), isNull(endpoint.disabledAt));

const recordSuccess = prepareWrite<EndpointUrl>(
  build
    .update(endpoint)
    .set({ failingSince: null, lastFailedAt: null })
    .where(and(isUrl, isNotNull(endpoint.failingSince))),
);

const ofEndpoint = and(
  eq(signingSecret.platformId, placeholder('platformId')),
  eq(signingSecret.livemode, placeholder('livemode')),
);

const listSecrets = prepareQuery(
  build
    .select({ secret: signingSecret.secret, retiresAt: signingSecret.retiresAt })
    .from(signingSecret)
    .where(ofEndpoint)
    .orderBy(desc(signingSecret.createdAt), desc(signingSecret.id))
    .limit(2),
);

const insertSecret = insertRow(signingSecret);

const deleteRetired = prepareWrite<EndpointKey>(
  build.delete(signingSecret).where(and(ofEndpoint, sql`${signingSecret.retiresAt} IS NOT NULL`)),
);

const retire = prepareWrite<EndpointKey & { retiresAt: EpochMs }>(
  build
    .update(signingSecret)
    .set({ retiresAt: sql`${placeholder('retiresAt')}` })
    .where(ofEndpoint),
);

/** Returns the secrets that sign at a time, the current one first. */
export function signingAt(secrets: readonly SecretInUse[], now: EpochMs): string[] {
  return secrets.flatMap(({ secret, retiresAt }) => (retiresAt === null || retiresAt > now ? [secret] : []));
}

/** Webhook endpoints and their signing secrets. */
export function endpointStore(store: Store) {
  return {
    find: (key: EndpointKey): Promise<Endpoint | undefined> => find.get(store, { ...key }),
    /** The endpoints of all platforms of a merchant, in both modes. `after` is the last one of the page before. */
    list: (merchantId: string, now: EpochMs, limit: number, after?: EndpointKey): Promise<ListedEndpoint[]> =>
      store.read
        .select({ ...getTableColumns(endpoint), overlapUntil: signingSecret.retiresAt })
        .from(endpoint)
        .leftJoin(
          signingSecret,
          and(
            eq(signingSecret.platformId, endpoint.platformId),
            eq(signingSecret.livemode, endpoint.livemode),
            gt(signingSecret.retiresAt, now),
          ),
        )
        .where(
          and(
            eq(endpoint.merchantId, merchantId),
            after &&
              sql`(${endpoint.platformId}, ${endpoint.livemode}) > (${after.platformId}, ${after.livemode})`,
          ),
        )
        .orderBy(asc(endpoint.platformId), asc(endpoint.livemode))
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
    /** Records that a delivery to the URL succeeded. */
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
export function cacheEndpoints(endpoints: EndpointStore, keep: CacheReads): EndpointStore {
  const find = keep(['endpoint'], (name) => endpoints.find(parseName(name)));
  const listSecrets = keep(['signing_secret'], (name) => endpoints.listSecrets(parseName(name)));
  return {
    ...endpoints,
    find: (key) => find(getName(key)),
    listSecrets: (key) => listSecrets(getName(key)),
  };
}

export type Attempt = typeof deliveryAttempt.$inferSelect;

export type AttemptStore = ReturnType<typeof attemptStore>;

const insert = insertRow(deliveryAttempt);

const setResponseBody = prepareWrite<{ eventId: string; number: number; text: string }>(
  build
    .update(deliveryAttempt)
    .set({ responseBody: parameter('text') })
    .where(
      and(
        eq(deliveryAttempt.eventId, placeholder('eventId')),
        eq(deliveryAttempt.number, placeholder('number')),
      ),
    ),
);

/** The log of delivery attempts. An attempt that a crash or a stop interrupted is counted but has no row. */
export function attemptStore({ read }: Store) {
  return {
    insert: (row: Attempt): Write => insert(row),
    /** Adds the beginning of the response's body to the row of an attempt. */
    setResponseBody,
    /** The last attempts of an event, oldest first. */
    async list(eventId: string, limit: number): Promise<Attempt[]> {
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
