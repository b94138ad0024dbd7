import { and, asc, desc, eq, gt, isNotNull, lte, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import { build, parameter, prepareQuery, prepareWrite } from '../../../sqlite/statement.ts';
import type { Store, Write } from '../../../sqlite/store.ts';
import { collection } from '../../schema.ts';

const { placeholder } = sql;

/** Upper bound of the due collections that one call considers, so that its cost does not grow with a backlog. */
const maxCandidates = 256;

const claimDue = prepareWrite<{ id: string; fence: number; now: EpochMs; leaseUntil: EpochMs }>(
  build
    .update(collection)
    .set({
      // If the worker stops, the collection is due again when the lease expires.
      nextAt: parameter('leaseUntil'),
      leaseUntil: parameter('leaseUntil'),
      fence: sql`${collection.fence} + 1`,
      attempts: sql`${collection.attempts} + 1`,
    })
    .where(
      and(
        eq(collection.id, placeholder('id')),
        eq(collection.fence, placeholder('fence')),
        // Null when the collection was closed since it was listed: the claim is lost, which is no fault.
        isNotNull(collection.nextAt),
        lte(collection.leaseUntil, placeholder('now')),
      ),
    ),
  1,
);

const postpone = prepareWrite<{ id: string; fence: number; nextAt: EpochMs }>(
  build
    .update(collection)
    .set({ nextAt: parameter('nextAt'), leaseUntil: 0 })
    .where(
      and(
        eq(collection.id, placeholder('id')),
        eq(collection.fence, placeholder('fence')),
        // An event may have ended it meanwhile.
        eq(collection.status, 'created'),
      ),
    ),
  1,
);

const release = prepareWrite<{ now: EpochMs }>(
  build
    .update(collection)
    .set({ leaseUntil: 0, nextAt: parameter('now'), fence: sql`${collection.fence} + 1` })
    .where(and(isNotNull(collection.nextAt), gt(collection.leaseUntil, placeholder('now')))),
);

const pollNow = prepareWrite<{ merchantId: string; sessionId: string; now: EpochMs }>(
  build
    .update(collection)
    .set({ nextAt: parameter('now') })
    .where(
      and(
        eq(collection.merchantId, placeholder('merchantId')),
        eq(collection.sessionId, placeholder('sessionId')),
        gt(collection.nextAt, placeholder('now')),
      ),
    ),
);

const checkNow = prepareWrite<{ id: string; version: number; now: EpochMs }>(
  build
    .update(collection)
    .set({ nextAt: parameter('now') })
    .where(
      and(
        eq(collection.id, placeholder('id')),
        eq(collection.version, placeholder('version')),
        isNotNull(collection.nextAt),
      ),
    ),
  1,
);

/** Selects one mode and leaves out the excluded merchants (a JSON list of ids). */
const isServed = and(
  eq(collection.livemode, placeholder('livemode')),
  sql`${collection.merchantId} NOT IN (SELECT value FROM json_each(${placeholder('excluded')}))`,
);
const isDue = and(
  lte(collection.nextAt, placeholder('now')),
  lte(collection.leaseUntil, placeholder('now')),
  isServed,
);

/** The mode to serve, and the merchants to leave out because their keys allow no call now. */
export type Served = { livemode: 0 | 1; excludedMerchants: readonly string[] };

/** A collection that is due. */
export type Due = { id: string; merchantId: string; fence: number };

// Of the latest due, collections that are not prompted yet come first, then payments to confirm, then other polls; the
// newest come first in each group: after an outage the payers who still wait are served.
const latest = build
  .select({
    id: collection.id,
    merchantId: collection.merchantId,
    fence: collection.fence,
    status: collection.status,
    openedAt: collection.openedAt,
  })
  .from(collection)
  .where(isDue)
  .orderBy(desc(collection.nextAt))
  .limit(maxCandidates)
  .as('latest');

const newest = prepareQuery(
  build
    .select({ id: latest.id, merchantId: latest.merchantId, fence: latest.fence })
    .from(latest)
    .orderBy(
      asc(
        sql`CASE WHEN ${latest.status} IN ('accepted', 'created') THEN 0 WHEN ${latest.status} = 'paid' THEN 1 ELSE 2 END`,
      ),
      desc(latest.openedAt),
    )
    .limit(placeholder('limit')),
);

const oldest = prepareQuery(
  build
    .select({ id: collection.id, merchantId: collection.merchantId, fence: collection.fence })
    .from(collection)
    .where(isDue)
    .orderBy(asc(collection.nextAt))
    .limit(placeholder('limit')),
);

const earliest = prepareQuery(
  build
    .select({ at: collection.nextAt })
    .from(collection)
    .where(and(isNotNull(collection.nextAt), isServed))
    .orderBy(asc(collection.nextAt))
    .limit(1),
);

const ahead = prepareQuery(
  build
    .select({ id: collection.id })
    .from(collection)
    .where(and(isNotNull(collection.nextAt), gt(collection.updatedAt, placeholder('now')))),
);

/** Lists and claims due collections. */
export function dueStore(store: Store) {
  return {
    /** Lists due collections: `newest` puts unprompted collections first, then payments to confirm; `oldest` the ones that are due the longest. */
    listDue({
      excludedMerchants,
      order,
      ...key
    }: Served & { now: EpochMs; limit: number; order: 'newest' | 'oldest' }): Promise<Due[]> {
      const values = { ...key, excluded: JSON.stringify(excludedMerchants) };
      return order === 'newest' ? newest.all(store, values) : oldest.all(store, values);
    },
    /** Returns when the next collection is due; `null` when none is open. */
    async nextDueAt({ livemode, excludedMerchants }: Served): Promise<EpochMs | null> {
      return (
        (await earliest.get(store, { livemode, excluded: JSON.stringify(excludedMerchants) }))?.at ?? null
      );
    },
    /** Lists the ids of open collections whose last fact is later than `now`. */
    async listAhead(now: EpochMs): Promise<string[]> {
      return (await ahead.all(store, { now })).map(({ id }) => id);
    },
    /** Claims a due collection by its lease. Returns false when another worker was faster. */
    claim: ({ id, fence }: Pick<Due, 'id' | 'fence'>, now: EpochMs, leaseUntil: EpochMs): Promise<boolean> =>
      store.apply([claimDue({ id, fence, now, leaseUntil })]),
    /** Gives a claimed collection back before its prompt. Returns false when the claim was lost. */
    postpone: (key: Pick<Due, 'id' | 'fence'> & { nextAt: EpochMs }): Promise<boolean> =>
      store.apply([postpone(key)]),
  };
}

/** Releases every lease and makes its collection due. Only for the single writer, when it starts. */
export function releaseLeases(now: EpochMs): Write {
  return release({ now });
}

/** Makes the scheduled collection of a session, if there is one, due for a poll now. */
export function pollNowWrite(merchantId: string, sessionId: string, now: EpochMs): Write {
  return pollNow({ merchantId, sessionId, now });
}

/** Makes one collection due now, if it has no newer fact than the caller has read. */
export function checkNowWrite({ id, version }: { id: string; version: number }, now: EpochMs): Write {
  return checkNow({ id, version, now });
}
