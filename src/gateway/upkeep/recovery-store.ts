import { desc, ne, or, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareQuery, prepareWrite, toWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type MovedMerchants, noneMoved } from '../database/moved-merchants-query.ts';
import {
  account,
  accountSession,
  fact,
  hasJob,
  inbox,
  ledgerFile,
  openStatusesText,
  restore,
  seal,
  staffAction,
  turn,
} from '../database/schema.ts';

type RestoreRow = typeof restore.$inferSelect;

const { placeholder } = sql;

const insertId = prepareWrite<{ id: string; cluster: string | null }>(
  build.insert(ledgerFile).values({ id: placeholder('id'), cluster: placeholder('cluster') }),
  1,
);

const insertStarted = prepareWrite<{ now: EpochMs }>(
  build.insert(restore).values({ restoredAt: placeholder('now'), begunAt: placeholder('now') }),
  1,
);

const startAll: (values: { now: EpochMs }) => Write = prepareWrite(
  build
    .update(restore)
    .set({
      restoredAt: sql`coalesce(${restore.restoredAt}, ${placeholder('now')})`,
      begunAt: sql`${placeholder('now')}`,
    })
    .where(sql`${restore.begunAt} IS NULL`),
);

const completeAll = prepareWrite<{ now: EpochMs }>(
  build
    .update(restore)
    .set({ doneAt: sql`${placeholder('now')}` })
    .where(sql`${restore.begunAt} IS NOT NULL AND ${restore.doneAt} IS NULL`),
);

// Every open collection has a job, so that only those with one are read. Those of moved merchants are of another database.
const isOpen = sql`${hasJob} AND status IN ${openStatusesText}
  AND merchant_id NOT IN (SELECT value FROM json_each(${placeholder('moved')}))`;

// No fact is earlier than its predecessor.
const markedAt = sql`max(${placeholder('now')}, updated_at)`;

/** Records for each open collection that the ledger was restored. */
const markFacts = prepareWrite<{ data: string; now: EpochMs; moved: string }>(
  toWrite(sql`INSERT INTO fact (subject_id, merchant_id, version, kind, data, at)
    SELECT id, merchant_id, version + 1, 'restored', ${placeholder('data')}, ${markedAt} FROM collection
    WHERE ${isOpen} ORDER BY id`),
);

const markRows = prepareWrite<{ now: EpochMs; moved: string }>(
  toWrite(sql`UPDATE collection SET version = version + 1, restored_at = ${markedAt}, updated_at = ${markedAt}
    WHERE ${isOpen}`),
);

const markJobs = prepareWrite<{ now: EpochMs; moved: string }>(
  toWrite(sql`UPDATE job SET next_at = ${placeholder('now')}, lease_until = 0, fence = fence + 1, attempts = 0
    WHERE collection_id IN (SELECT id FROM collection WHERE ${isOpen})`),
);

const endSessions = prepareWrite(build.delete(accountSession));

const endCodes = prepareWrite(build.update(account).set({ codeDigest: null, codeUntil: null }));

export type RecoveryStore = ReturnType<typeof recoveryStore>;

const identity = prepareQuery(
  build
    .select({
      id: sql<string | null>`(SELECT ${ledgerFile.id} FROM ${ledgerFile})`,
      facts: sql<number>`(SELECT coalesce(max(seq), 0) FROM fact)`,
    })
    .from(sql`(SELECT 1)`),
);

const unfinished = prepareQuery(
  build.select().from(restore).where(sql`${restore.doneAt} IS NULL`).orderBy(sql`${restore.number}`),
);

const counts = prepareQuery(
  build
    .select({
      open: sql<number>`count(*)`,
      unanswered: sql<number>`count(*) FILTER (WHERE restored_at IS NOT NULL)`,
      waiting: sql<number>`count(*) FILTER (WHERE restored_at IS NOT NULL AND lapsed_at IS NULL)`,
    })
    .from(sql`collection`)
    .where(sql`${isOpen} AND livemode = ${placeholder('livemode')}`),
);

/** Returns the reads and writes of the recovery after a restore. */
export function recoveryStore(store: Store, merchants: MovedMerchants = noneMoved) {
  const listMoved = () => JSON.stringify([...merchants.keys()]);
  return {
    /** Returns the id of the ledger, null for a new file, and its number of facts. */
    async identity(): Promise<{ id: string | null; facts: number }> {
      return (await identity.get(store)) ?? { id: null, facts: 0 };
    },
    /** Returns the restores whose recovery is not complete, oldest first. */
    unfinished: (): Promise<RestoreRow[]> => unfinished.all(store),
    /**
     * Counts open collections: all of them (`open`), the marked ones without an answer of the service since
     * (`unanswered`), and those of them whose payer may not retry yet (`waiting`).
     */
    async counts(livemode: 0 | 1): Promise<{ open: number; unanswered: number; waiting: number }> {
      return (
        (await counts.get(store, { livemode, moved: listMoved() })) ?? { open: 0, unanswered: 0, waiting: 0 }
      );
    },
    setLedgerId: (id: string, cluster: string | null): Promise<boolean> =>
      store.apply([insertId({ id, cluster })]),
    /**
     * Starts the recovery and marks the open collections, in one transaction.
     *
     * @param isUndeclared true when the file itself does not record that it is a copy.
     * @returns `false` when nothing was written, because a fact already has the version of a mark.
     */
    start: (takenAt: EpochMs | null, isUndeclared: boolean, now: EpochMs): Promise<boolean> => {
      const moved = listMoved();
      return store.apply([
        ...(isUndeclared ? [insertStarted({ now })] : []),
        startAll({ now }),
        { ...markFacts({ data: JSON.stringify({ takenAt }), now, moved }), isUnbounded: true },
        { ...markRows({ now, moved }), isUnbounded: true },
        { ...markJobs({ now, moved }), isUnbounded: true },
        // A session or a code that was ended after the copy was taken must not be valid again.
        endSessions({}),
        endCodes({}),
      ]);
    },
    complete: (now: EpochMs): Promise<boolean> => store.apply([completeAll({ now })]),
  };
}

/** The conditions of the indexes that order events by their time. Only old events whose body is erased have none. */
const eventsOfIndexes = [
  sql`${inbox.body} <> '' AND ${inbox.state} IN ('handled', 'hint')`,
  sql`${inbox.state} IN ('parked', 'dead')`,
  sql`${inbox.nextAt} IS NOT NULL`,
];

/** Returns the time of the latest row of each append-only table. Empty tables have no entry. */
export async function latestWriteTimes({ read }: Store): Promise<EpochMs[]> {
  const latest = await Promise.all([
    read.select({ at: fact.at }).from(fact).orderBy(desc(fact.seq)).limit(1),
    read.select({ at: seal.at }).from(seal).orderBy(desc(seal.number)).limit(1),
    read.select({ at: turn.at }).from(turn).orderBy(desc(turn.seq)).limit(1),
    read.select({ at: staffAction.at }).from(staffAction).orderBy(desc(staffAction.seq)).limit(1),
    ...eventsOfIndexes.map((isOfIndex) =>
      read
        .select({ at: inbox.receivedAt })
        .from(inbox)
        .where(isOfIndex)
        .orderBy(desc(inbox.receivedAt))
        .limit(1),
    ),
  ]);
  return latest.flat().map(({ at }) => at);
}

const readCluster = prepareQuery(build.select({ cluster: ledgerFile.cluster }).from(ledgerFile));

const setCluster = prepareWrite<{ cluster: string }>(
  build
    .update(ledgerFile)
    .set({ cluster: sql`${placeholder('cluster')}` })
    .where(or(sql`${ledgerFile.cluster} IS NULL`, ne(ledgerFile.cluster, placeholder('cluster')))),
);

export type ClusterStore = ReturnType<typeof clusterStore>;

/** The server and database that a ledger records as its own. */
export function clusterStore(store: Store) {
  return {
    cluster: async (): Promise<string | null> => (await readCluster.get(store))?.cluster ?? null,
    setCluster: (cluster: string): Promise<boolean> => store.apply([setCluster({ cluster })]),
  };
}
