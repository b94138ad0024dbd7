import { and, asc, desc, eq, gt, gte, isNotNull, lte, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { build, equals, parameter, prepareQuery, prepareWrite } from '../../../sqlite/statement.ts';
import type { Store, Write } from '../../../sqlite/store.ts';
import { collection, isUnprompted, phoneLock, turn } from '../../database/schema.ts';

const { placeholder } = sql;

/** A collection that is due for so long may be claimed by any gateway, in milliseconds. */
const overdueMs = 5_000;

/** The latest due collections of a merchant among which payments to confirm come first. */
const minCandidates = 8;

/** Of this gateway, or of a process that wrote the ledger as a file. */
const isAtHome = sql`(${collection.home} IS NULL OR ${collection.home} = ${placeholder('home')})`;
/** The gateway of an overdue collection has ended, or has too much work. */
const isServedHere = sql`(${isAtHome} OR ${collection.nextAt} <= ${placeholder('overdue')})`;

const claimDue = prepareWrite<{
  id: string;
  fence: number;
  now: EpochMs;
  leaseUntil: EpochMs;
  home: string | null;
  overdue: EpochMs;
}>(
  build
    .update(collection)
    .set({
      // If the worker stops, the collection is due again when the lease expires.
      nextAt: parameter('leaseUntil'),
      leaseUntil: parameter('leaseUntil'),
      fence: sql`${collection.fence} + 1`,
      home: parameter('home'),
      attempts: sql`${collection.attempts} + 1`,
    })
    .where(
      and(
        equals(collection, 'id', 'fence'),
        // Null when the collection was closed since it was listed: the claim is lost, which is no fault.
        isNotNull(collection.nextAt),
        lte(collection.leaseUntil, placeholder('now')),
        // Another gateway can have become the home since the collection was listed: its END screen is on its way.
        isServedHere,
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
        equals(collection, 'id', 'fence'),
        // An event may have ended it meanwhile.
        eq(collection.status, 'created'),
      ),
    ),
  1,
);

/** Loses when the payer's phone has a turn that was not seen. */
const unlessDialled = prepareWrite<{ id: string; payer: string } & SeenTurns>(
  build
    .update(collection)
    .set({ home: sql`${collection.home}` })
    .where(
      and(
        equals(collection, 'id'),
        sql`NOT EXISTS (SELECT 1 FROM ${turn} WHERE ${and(
          eq(turn.dialler, placeholder('payer')),
          gte(turn.at, placeholder('since')),
          gt(turn.seq, placeholder('seq')),
        )})`,
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

/** Every scheduled collection belongs to this gateway: no other one is connected. */
const adoptAll = prepareWrite<{ home: string }>(
  build
    .update(collection)
    .set({ home: parameter('home') })
    .where(isNotNull(collection.nextAt)),
);

const adopt = prepareWrite<{ id: string; home: string }>(
  build
    .update(collection)
    .set({ home: parameter('home') })
    .where(and(equals(collection, 'id'), sql`${collection.status} IN ('accepted', 'created')`)),
);

const pollNow = prepareWrite<{ merchantId: string; sessionId: string; now: EpochMs }>(
  build
    .update(collection)
    .set({ nextAt: parameter('now') })
    .where(and(equals(collection, 'merchantId', 'sessionId'), gt(collection.nextAt, placeholder('now')))),
);

const checkNow = prepareWrite<{ id: string; version: number; now: EpochMs }>(
  build
    .update(collection)
    .set({ nextAt: parameter('now') })
    .where(and(equals(collection, 'id', 'version'), isNotNull(collection.nextAt))),
  1,
);

/** The mode to serve, and the merchants to leave out because their keys allow no call now. */
export type ServedMerchants = { livemode: 0 | 1; excludedMerchants: readonly string[] };

/** The turns of a phone that were read: all of them since a time, up to a row of the table. */
export type SeenTurns = { since: EpochMs; seq: number };

/** A collection that is due. */
export type Due = { id: string; merchantId: string; fence: number };

const isOfMode = equals(collection, 'livemode');
const isDue = and(
  lte(collection.nextAt, placeholder('now')),
  lte(collection.leaseUntil, placeholder('now')),
  isOfMode,
  isServedHere,
);
const isOfMerchant = equals(collection, 'merchantId');

const columns = {
  id: collection.id,
  merchantId: collection.merchantId,
  fence: collection.fence,
  status: collection.status,
  openedAt: collection.openedAt,
  nextAt: collection.nextAt,
};

type DueRow = Due & Pick<typeof collection.$inferSelect, 'status' | 'openedAt' | 'nextAt'>;

/** Payers wait for these. They are few: each one ends at its prompt deadline. */
const unprompted = prepareQuery(
  build
    .select(columns)
    .from(collection)
    .where(
      and(
        isDue,
        sql`${isUnprompted}`,
        sql`${collection.merchantId} NOT IN (SELECT value FROM json_each(${placeholder('excluded')}))`,
      ),
    )
    .orderBy(desc(collection.nextAt))
    .limit(placeholder('limit')),
);

// Reads the first due time of each merchant by index, so that the cost grows with the merchants and not with a backlog.
const scheduledOfMerchants = sql`(WITH RECURSIVE head(merchant) AS (
  SELECT (SELECT merchant_id FROM collection WHERE next_at IS NOT NULL AND livemode = ${placeholder('livemode')}
    ORDER BY merchant_id LIMIT 1)
  UNION ALL
  SELECT (SELECT n.merchant_id FROM collection n WHERE n.next_at IS NOT NULL AND n.livemode = ${placeholder('livemode')}
    AND n.merchant_id > head.merchant ORDER BY n.merchant_id LIMIT 1)
  FROM head WHERE head.merchant IS NOT NULL)
  SELECT merchant, (SELECT f.next_at FROM collection f WHERE f.next_at IS NOT NULL AND f.livemode = ${placeholder('livemode')}
    AND f.merchant_id = head.merchant ORDER BY f.next_at LIMIT 1) AS at
  FROM head WHERE merchant IS NOT NULL) AS scheduled`;

const scheduledMerchants = prepareQuery(
  build.select({ merchantId: sql<string>`merchant`, at: sql<EpochMs>`at` }).from(scheduledOfMerchants),
);

const latestQuery = prepareQuery(
  build
    .select(columns)
    .from(collection)
    .where(and(isDue, isOfMerchant))
    .orderBy(desc(collection.nextAt))
    .limit(placeholder('limit')),
);

const oldestDueQuery = prepareQuery(
  build
    .select(columns)
    .from(collection)
    .where(and(isDue, isOfMerchant))
    .orderBy(asc(collection.nextAt))
    .limit(placeholder('limit')),
);

/** The first one of this gateway, among those that are due before the first one of another gateway is overdue. */
const firstAtHome = prepareQuery(
  build
    .select({ at: sql<EpochMs | null>`min(${collection.nextAt})` })
    .from(collection)
    .where(
      and(
        isOfMode,
        isNotNull(collection.nextAt),
        lte(collection.nextAt, placeholder('until')),
        sql`${collection.merchantId} IN (SELECT value FROM json_each(${placeholder('merchants')}))`,
        isAtHome,
      ),
    ),
);

const ahead = prepareQuery(
  build
    .select({ id: collection.id })
    .from(collection)
    .where(and(isNotNull(collection.nextAt), gt(collection.updatedAt, placeholder('now')))),
);

/**
 * Lists and claims due collections.
 *
 * @param home the name of this gateway, where several use one database; null otherwise.
 */
export function dueStore(store: Store, home: string | null) {
  let rounds = 0;
  /** A collection that is due since then may be claimed by any gateway. */
  const overdueAt = (now: EpochMs) => (home === null ? now : now - overdueMs);

  /** Returns the merchants with due collections. Each call begins with another one, so that none waits for the others. */
  async function merchantsDue({ livemode, excludedMerchants, now }: ServedMerchants & { now: EpochMs }) {
    const excluded = new Set(excludedMerchants);
    const scheduled = await scheduledMerchants.all(store, { livemode });
    const due = scheduled.filter(({ merchantId, at }) => at <= now && !excluded.has(merchantId));
    const first = rounds++ % Math.max(1, due.length);
    return [...due.slice(first), ...due.slice(0, first)].map(({ merchantId }) => merchantId);
  }

  async function listOfMerchants(
    query: typeof latestQuery,
    { limit, ...served }: ServedMerchants & { now: EpochMs; limit: number },
  ): Promise<DueRow[]> {
    const merchants = (await merchantsDue(served)).slice(0, limit);
    const share = Math.max(minCandidates, Math.ceil(limit / Math.max(1, merchants.length)));
    const { livemode, now } = served;
    const values = { livemode, now, home, overdue: overdueAt(now), limit: share };
    const of = (merchantId: string) => query.all(store, { merchantId, ...values });
    return (await Promise.all(merchants.map(of))).flat();
  }

  /** The newest come first in each group: after an outage the payers who still wait are served. */
  async function listNewest(key: ServedMerchants & { now: EpochMs; limit: number }): Promise<DueRow[]> {
    const { excludedMerchants, ...values } = key;
    const excluded = JSON.stringify(excludedMerchants);
    const first = await unprompted.all(store, { ...values, excluded, home, overdue: overdueAt(key.now) });
    const rest = first.length < key.limit ? await listOfMerchants(latestQuery, key) : [];
    const known = new Set(first.map(({ id }) => id));
    return [...first, ...rest.filter(({ id }) => !known.has(id))].toSorted(
      (one, other) => getGroup(one) - getGroup(other) || other.openedAt - one.openedAt,
    );
  }

  async function listOldestDue(key: ServedMerchants & { now: EpochMs; limit: number }): Promise<DueRow[]> {
    const found = await listOfMerchants(oldestDueQuery, key);
    return found.toSorted((one, other) => (one.nextAt ?? 0) - (other.nextAt ?? 0));
  }

  return {
    /**
     * Lists due collections: `newest` puts unprompted collections first, then payments to confirm; `oldest` the ones that are
     * due the longest. The cost does not grow with a backlog, also not with that of excluded merchants.
     */
    async listDue({
      order,
      ...key
    }: ServedMerchants & { now: EpochMs; limit: number; order: 'newest' | 'oldest' }): Promise<Due[]> {
      const found = await (order === 'newest' ? listNewest(key) : listOldestDue(key));
      return found.slice(0, key.limit).map(({ id, merchantId, fence }) => ({ id, merchantId, fence }));
    },
    /** Returns when the next collection is due; `null` when none is open. */
    async nextDueAt({ livemode, excludedMerchants }: ServedMerchants): Promise<EpochMs | null> {
      const scheduled = await scheduledMerchants.all(store, { livemode });
      const served = scheduled.filter(({ merchantId }) => !excludedMerchants.includes(merchantId));
      if (served.length === 0) return null;
      const first = Math.min(...served.map(({ at }) => at));
      if (home === null) return first;
      const until = first + overdueMs;
      const near = served.filter(({ at }) => at <= until).map(({ merchantId }) => merchantId);
      const own = await firstAtHome.get(store, { livemode, home, until, merchants: JSON.stringify(near) });
      return own?.at ?? until;
    },
    /** Lists the ids of open collections whose last fact is later than `now`. */
    async listAhead(now: EpochMs): Promise<string[]> {
      return (await ahead.all(store, { now })).map(({ id }) => id);
    },
    /** Claims a due collection by its lease. Returns false when another worker was faster, or has become its home. */
    claim: ({ id, fence }: Pick<Due, 'id' | 'fence'>, now: EpochMs, leaseUntil: EpochMs): Promise<boolean> =>
      store.apply([claimDue({ id, fence, now, leaseUntil, home, overdue: overdueAt(now) })]),
    /** Makes this gateway the home of a collection whose END screen it sends again. */
    async adopt(id: string): Promise<void> {
      if (home !== null) await store.apply([adopt({ id, home })]);
    },
    /** Gives a claimed collection back before its prompt. Returns false when the claim was lost. */
    postpone: (key: Pick<Due, 'id' | 'fence'> & { nextAt: EpochMs }): Promise<boolean> =>
      store.apply([postpone(key)]),
  };
}

/** Collections that are not prompted yet come first, then payments to confirm, then other polls. */
function getGroup({ status }: Pick<DueRow, 'status'>): number {
  if (status === 'accepted' || status === 'created') return 0;
  return status === 'paid' ? 1 : 2;
}

/** Releases every lease and makes its collection due. Only for the single writer, when it starts. */
export function releaseLeases(now: EpochMs): Write {
  return release({ now });
}

/** Makes a gateway the home of every scheduled collection. For a gateway that starts while no other one is connected. */
export function adoptAllWrite(home: string): Write {
  return { ...adoptAll({ home }), isUnbounded: true };
}

/** The guard of a batch that requests a prompt: it loses when the payer has dialled, or typed, since `seen` was read. */
export function unlessDialledWrite(id: string, payer: Msisdn, seen: SeenTurns): Write {
  return { ...unlessDialled({ id, payer, ...seen }), locks: [phoneLock(payer)] };
}

/** Makes the scheduled collection of a session, if there is one, due for a poll now. */
export function pollNowWrite(merchantId: string, sessionId: string, now: EpochMs): Write {
  return pollNow({ merchantId, sessionId, now });
}

/** Makes one collection due now, if it has no newer fact than the caller has read. */
export function checkNowWrite({ id, version }: { id: string; version: number }, now: EpochMs): Write {
  return checkNow({ id, version, now });
}
