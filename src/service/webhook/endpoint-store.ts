import { and, asc, desc, eq, getTableColumns, gt, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { insertRow } from '../row-store.ts';
import type { Livemode } from '../schema.ts';
import { endpoint, signingSecret } from '../schema.ts';

/** Where events of one mode go: URL and secrets are a platform's. */
export type EndpointKey = { platformId: string; livemode: Livemode };

export type Endpoint = typeof endpoint.$inferSelect;

/** `overlapUntil` is when the older of two secrets stops signing; `null` where only one signs. */
export type ListedEndpoint = Endpoint & { overlapUntil: EpochMs | null };

type SigningSecret = typeof signingSecret.$inferSelect;

/** A place, and the URL that a delivery went to: what a URL did says nothing of the one set in its stead. */
type EndpointUrl = EndpointKey & { url: string };

type DeliveryFailure = EndpointUrl & {
  now: EpochMs;
  /** Whoever has failed since then and ever after is disabled. */
  failingBefore: EpochMs;
  /** Where the failure before this one is older, nobody knows what would have been in between: it begins anew. */
  triedAfter: EpochMs;
};

export type EndpointStore = ReturnType<typeof endpointStore>;

export function endpointStore({ read }: Store) {
  const { placeholder } = sql;

  const isPlace = and(
    eq(endpoint.platformId, placeholder('platformId')),
    eq(endpoint.livemode, placeholder('livemode')),
  );
  const find = read.select().from(endpoint).where(isPlace).prepare();
  const isUrl = and(isPlace, eq(endpoint.url, placeholder('url')), isNull(endpoint.disabledAt));
  const works = prepareWrite<EndpointUrl>(
    build
      .update(endpoint)
      .set({ failingSince: null, lastFailedAt: null })
      .where(and(isUrl, isNotNull(endpoint.failingSince))),
  );
  const ofPlace = and(
    eq(signingSecret.platformId, placeholder('platformId')),
    eq(signingSecret.livemode, placeholder('livemode')),
  );
  const signing = read
    .select({ secret: signingSecret.secret })
    .from(signingSecret)
    .where(and(ofPlace, or(isNull(signingSecret.retiresAt), gt(signingSecret.retiresAt, placeholder('now')))))
    .orderBy(desc(signingSecret.createdAt), desc(signingSecret.id))
    .limit(2)
    .prepare();
  const insertSecret = insertRow(signingSecret);
  const dropRetired = prepareWrite<EndpointKey>(
    build.delete(signingSecret).where(and(ofPlace, sql`${signingSecret.retiresAt} IS NOT NULL`)),
  );
  const retire = prepareWrite<EndpointKey & { retiresAt: EpochMs }>(
    build
      .update(signingSecret)
      .set({ retiresAt: sql`${placeholder('retiresAt')}` })
      .where(ofPlace),
  );

  return {
    find: (place: EndpointKey): Promise<Endpoint | undefined> => find.get({ ...place }),
    /** The endpoints of all of a merchant's platforms, in both modes. */
    list: (merchantId: string, now: EpochMs, limit: number): Promise<ListedEndpoint[]> =>
      read
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
        .where(eq(endpoint.merchantId, merchantId))
        .orderBy(asc(endpoint.platformId), asc(endpoint.livemode))
        .limit(limit),
    /** The secrets that sign now, the current one first: two at most. */
    secrets: async (place: EndpointKey, now: EpochMs): Promise<string[]> =>
      (await signing.all({ ...place, now })).map((row) => row.secret),
    /** A new URL, or the same one set again, begins with a clean slate. */
    setUrl: (place: EndpointKey & { merchantId: string }, address: string, now: EpochMs): Write => ({
      sql: `INSERT INTO endpoint (platform_id, merchant_id, livemode, url, created_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET url = excluded.url, failing_since = NULL,
              last_failed_at = NULL, disabled_at = NULL`,
      args: [place.platformId, place.merchantId, place.livemode, address, now],
      rows: 1,
    }),
    /** A delivery to that URL has succeeded. */
    works,
    /** One has failed: the endpoint is failing from now on, goes on failing, or has done so for too long. */
    fails: ({ platformId, livemode, url, now, failingBefore, triedAfter }: DeliveryFailure): Write => ({
      sql: `UPDATE endpoint SET last_failed_at = ?,
              failing_since = iif(last_failed_at >= ?, failing_since, ?),
              disabled_at = iif(last_failed_at >= ? AND failing_since <= ?, ?, NULL)
              WHERE platform_id = ? AND livemode = ? AND url = ? AND disabled_at IS NULL`,
      args: [now, triedAfter, now, triedAfter, failingBefore, now, platformId, livemode, url],
    }),
    /** Puts a secret in the current one's place, which goes on signing beside it until `retiresAt`. */
    replaceSecret: (row: SigningSecret, retiresAt: EpochMs): Write[] => {
      const place = { platformId: row.platformId, livemode: row.livemode };
      return [dropRetired(place), retire({ ...place, retiresAt }), insertSecret(row)];
    },
  };
}
