import { and, asc, desc, eq, getTableColumns, gt, lte, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import { build, equals, parameter, prepareQuery, prepareWrite, toWrite } from '../../../sqlite/statement.ts';
import type { Store } from '../../../sqlite/store.ts';
import { type MovedMerchants, noneMoved } from '../../database/moved-merchants-query.ts';
import { collection, job } from '../../database/schema.ts';

const { placeholder } = sql;

/** A job that is due for so long may be claimed by any gateway, in milliseconds. */
const overdueMs = 5_000;

/** The latest due jobs of a merchant among which payments to confirm come first. */
const minCandidates = 8;

/** The columns of `CollectionWithJob`, of collections that are joined with their jobs. */
const columnsWithJob = {
  ...getTableColumns(collection),
  nextAt: job.nextAt,
  leaseUntil: sql<number>`coalesce(${job.leaseUntil}, 0)`,
  fence: sql<number>`coalesce(${job.fence}, 0)`,
  home: job.home,
  attempts: sql<number>`coalesce(${job.attempts}, 0)`,
};

/** Selects collections with their jobs, for `prepareQuery` or from a store. */
export function selectWithJob(condition: SQL | undefined, from: Pick<Store['read'], 'select'> = build) {
  return from
    .select(columnsWithJob)
    .from(collection)
    .leftJoin(job, eq(job.collectionId, collection.id))
    .where(condition);
}

/** Of this gateway, or of a process that wrote the ledger as a file. */
const isAtHome = sql`(${job.home} IS NULL OR ${job.home} = ${placeholder('home')})`;
/** The gateway of an overdue job has ended, or has too much work. */
const isServedHere = sql`(${isAtHome} OR ${job.nextAt} <= ${placeholder('overdue')})`;
/** One of the collections that were listed. */
const isListed = sql`${job.collectionId} IN (SELECT value FROM json_each(${placeholder('ids')}))`;

/** On a server, rows that another gateway is claiming are skipped: `translate` reads the comment. */
const claimDue = prepareWrite<{
  ids: string;
  now: EpochMs;
  leaseUntil: EpochMs;
  home: string | null;
  overdue: EpochMs;
}>(
  toWrite(sql`UPDATE job SET next_at = ${placeholder('leaseUntil')}, lease_until = ${placeholder('leaseUntil')},
    fence = fence + 1, home = ${placeholder('home')}, attempts = attempts + 1
    WHERE collection_id IN (SELECT ${job.collectionId} FROM ${job}
      WHERE ${and(isListed, lte(job.nextAt, placeholder('now')), lte(job.leaseUntil, placeholder('now')), isServedHere)}
      /* skip locked */)
    RETURNING collection_id, merchant_id, fence`),
);

const postpone = prepareWrite<{ collectionId: string; fence: number; nextAt: EpochMs }>(
  build
    .update(job)
    .set({ nextAt: parameter('nextAt'), leaseUntil: 0 })
    // An event may have ended it meanwhile.
    .where(and(equals(job, 'collectionId', 'fence'), eq(job.urgency, 0))),
  1,
);

const adopt = prepareWrite<{ collectionId: string; home: string }>(
  build
    .update(job)
    .set({ home: parameter('home') })
    .where(and(equals(job, 'collectionId'), eq(job.urgency, 0))),
);

/** The mode to serve, and the merchants to leave out because their keys allow no call now. */
export type ServedMerchants = { livemode: 0 | 1; excludedMerchants: readonly string[] };

/** A collection that is due. */
export type Due = { id: string; merchantId: string };

/** A claimed collection: a write with another fence is rejected. */
export type Claim = Due & { fence: number };

const isOfMode = equals(job, 'livemode');
const isDue = and(
  lte(job.nextAt, placeholder('now')),
  lte(job.leaseUntil, placeholder('now')),
  isOfMode,
  isServedHere,
);
const isOfMerchant = equals(job, 'merchantId');

const columns = {
  id: job.collectionId,
  merchantId: job.merchantId,
  urgency: job.urgency,
  openedAt: job.openedAt,
  nextAt: job.nextAt,
};

type DueRow = Due & Pick<typeof job.$inferSelect, 'urgency' | 'openedAt' | 'nextAt'>;

const isOfAnyUrgency = sql`${job.urgency} IN (0, 1, 2)`;

/** Some due jobs of all merchants: all of them, when there are fewer than the limit. */
const someDue = prepareQuery(
  build.select(columns).from(job).where(and(isDue, isOfAnyUrgency)).limit(placeholder('limit')),
);

/** Payers wait for these. They are few: each one ends at its prompt deadline. */
const unprompted = prepareQuery(
  build
    .select(columns)
    .from(job)
    .where(
      and(
        isDue,
        eq(job.urgency, 0),
        sql`${job.merchantId} NOT IN (SELECT value FROM json_each(${placeholder('excluded')}))`,
      ),
    )
    .orderBy(desc(job.nextAt))
    .limit(placeholder('limit')),
);

// Reads the first due time of each merchant by index, so that the cost grows with the merchants and not with a backlog.
const scheduledOfMerchants = sql`(WITH RECURSIVE head(merchant) AS (
  SELECT (SELECT merchant_id FROM job WHERE livemode = ${placeholder('livemode')} ORDER BY merchant_id LIMIT 1)
  UNION ALL
  SELECT (SELECT n.merchant_id FROM job n WHERE n.livemode = ${placeholder('livemode')}
    AND n.merchant_id > head.merchant ORDER BY n.merchant_id LIMIT 1)
  FROM head WHERE head.merchant IS NOT NULL)
  SELECT merchant, (SELECT f.next_at FROM job f WHERE f.livemode = ${placeholder('livemode')}
    AND f.merchant_id = head.merchant ORDER BY f.next_at LIMIT 1) AS at
  FROM head WHERE merchant IS NOT NULL) AS scheduled`;

const scheduledMerchants = prepareQuery(
  build.select({ merchantId: sql<string>`merchant`, at: sql<EpochMs>`at` }).from(scheduledOfMerchants),
);

const latestQuery = prepareQuery(
  build
    .select(columns)
    .from(job)
    .where(and(isDue, isOfMerchant))
    .orderBy(desc(job.nextAt))
    .limit(placeholder('limit')),
);

const oldestDueQuery = prepareQuery(
  build
    .select(columns)
    .from(job)
    .where(and(isDue, isOfMerchant))
    .orderBy(asc(job.nextAt))
    .limit(placeholder('limit')),
);

const firstOf = (urgency: 0 | 1 | 2) =>
  sql`(SELECT next_at FROM job WHERE ${isOfMode} AND ${eq(job.urgency, sql.raw(String(urgency)))} ORDER BY next_at LIMIT 1)`;

/** The first due time of all merchants. */
const firstDue = prepareQuery(
  build.select({ at: sql<EpochMs | null>`min(at)` }).from(sql`(SELECT ${firstOf(0)} AS at UNION ALL
    SELECT ${firstOf(1)} UNION ALL SELECT ${firstOf(2)}) AS first`),
);

/** The first one of this gateway, among those that are due before the first one of another gateway is overdue. */
const firstAtHome = prepareQuery(
  build
    .select({ at: sql<EpochMs | null>`min(${job.nextAt})` })
    .from(job)
    .where(
      and(
        isOfMode,
        isOfAnyUrgency,
        lte(job.nextAt, placeholder('until')),
        sql`${job.merchantId} NOT IN (SELECT value FROM json_each(${placeholder('excluded')}))`,
        isAtHome,
      ),
    ),
);

const ahead = prepareQuery(
  build
    .select({ id: collection.id, merchantId: job.merchantId })
    .from(job)
    .innerJoin(collection, eq(collection.id, job.collectionId))
    .where(gt(collection.updatedAt, placeholder('now'))),
);

/**
 * Lists and claims due collections by their jobs.
 *
 * @param home the name of this gateway, where several use one database; null otherwise.
 * @param moved merchants whose collections another database has: none of them is listed.
 */
export function claimStore(store: Store, home: string | null, moved: MovedMerchants = noneMoved) {
  let rounds = 0;
  /** A job that is due since then may be claimed by any gateway. */
  const overdueAt = (now: EpochMs) => (home === null ? now : now - overdueMs);
  const withoutMoved = (merchants: readonly string[]) => [...merchants, ...moved.keys()];

  /** Returns the merchants with due jobs. Each call begins with another one, so that none waits for the others. */
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

  /** Returns all due jobs, or undefined when there are more than the limit. */
  async function listAll({
    excludedMerchants,
    limit,
    ...key
  }: ServedMerchants & { now: EpochMs; limit: number }) {
    const found = await someDue.all(store, { ...key, home, overdue: overdueAt(key.now), limit: limit + 1 });
    if (found.length > limit) return undefined;
    return found.filter(({ merchantId }) => !excludedMerchants.includes(merchantId));
  }

  /** Returns jobs that are not prompted, and the latest of each merchant. */
  async function listNewest(key: ServedMerchants & { now: EpochMs; limit: number }): Promise<DueRow[]> {
    const { excludedMerchants, ...values } = key;
    const excluded = JSON.stringify(excludedMerchants);
    const first = await unprompted.all(store, { ...values, excluded, home, overdue: overdueAt(key.now) });
    const rest = first.length < key.limit ? await listOfMerchants(latestQuery, key) : [];
    const known = new Set(first.map(({ id }) => id));
    return [...first, ...rest.filter(({ id }) => !known.has(id))];
  }

  /** Returns the first due time of the merchants that are served; null without one. */
  async function findFirst({ livemode, excludedMerchants }: ServedMerchants): Promise<EpochMs | null> {
    if (excludedMerchants.length === 0) return (await firstDue.get(store, { livemode }))?.at ?? null;
    const scheduled = await scheduledMerchants.all(store, { livemode });
    const served = scheduled.filter(({ merchantId }) => !excludedMerchants.includes(merchantId));
    return served.length === 0 ? null : Math.min(...served.map(({ at }) => at));
  }

  return {
    /**
     * Lists due collections: `newest` puts unprompted ones first, then payments to confirm; `oldest` those that are due the
     * longest. The cost does not grow with a backlog, also not with that of excluded merchants.
     */
    async listDue({
      order,
      ...listed
    }: ServedMerchants & { now: EpochMs; limit: number; order: 'newest' | 'oldest' }): Promise<Due[]> {
      const isNewest = order === 'newest';
      const key = { ...listed, excludedMerchants: withoutMoved(listed.excludedMerchants) };
      const found =
        (await listAll(key)) ?? (await (isNewest ? listNewest(key) : listOfMerchants(oldestDueQuery, key)));
      const inOrder = found.toSorted(isNewest ? byUrgency : byDueTime);
      return inOrder.slice(0, key.limit).map(({ id, merchantId }) => ({ id, merchantId }));
    },
    /** Returns when the next collection is due; `null` when none is open. */
    async nextDueAt({ livemode, excludedMerchants }: ServedMerchants): Promise<EpochMs | null> {
      const served = { livemode, excludedMerchants: withoutMoved(excludedMerchants) };
      const first = await findFirst(served);
      if (first === null || home === null) return first;
      const until = first + overdueMs;
      const excluded = JSON.stringify(served.excludedMerchants);
      const own = await firstAtHome.get(store, { livemode, home, until, excluded });
      return own?.at ?? until;
    },
    /** Lists the ids of open collections whose last fact is later than `now`. */
    async listAhead(now: EpochMs): Promise<string[]> {
      const found = await ahead.all(store, { now });
      return found.filter(({ merchantId }) => !moved.has(merchantId)).map(({ id }) => id);
    },
    /**
     * Claims the collections that are still due, in one write. Another worker may have claimed the others since they were listed, or
     * another gateway may have become their home.
     */
    async claim(ids: readonly string[], now: EpochMs, leaseUntil: EpochMs): Promise<Claim[]> {
      const values = { ids: JSON.stringify(ids), now, leaseUntil, home, overdue: overdueAt(now) };
      const rows = ids.length === 0 ? [] : await store.applyReturning(claimDue(values));
      return rows.map(([id, merchantId, fence]) => ({ id, merchantId, fence }) as Claim);
    },
    /** Makes this gateway the home of a collection whose END screen it sends again. */
    async adopt(collectionId: string): Promise<void> {
      if (home !== null) await store.apply([adopt({ collectionId, home })]);
    },
    /** Gives a claimed collection back before its prompt. Returns false when the claim was lost. */
    postpone: (key: { collectionId: string; fence: number; nextAt: EpochMs }): Promise<boolean> =>
      store.apply([postpone(key)]),
  };
}

/** The newest come first of each urgency: after an outage the payers who still wait are served. */
function byUrgency(one: DueRow, other: DueRow): number {
  return one.urgency - other.urgency || other.openedAt - one.openedAt;
}

function byDueTime(one: DueRow, other: DueRow): number {
  return one.nextAt - other.nextAt;
}
