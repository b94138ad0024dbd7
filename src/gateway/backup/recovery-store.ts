import { sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { ledgerFile, openStatuses, restore } from '../schema.ts';

export type RestoreRow = typeof restore.$inferSelect;

const { placeholder } = sql;

const insertId = prepareWrite<{ id: string }>(build.insert(ledgerFile).values({ id: placeholder('id') }), 1);

const insertBegun = prepareWrite<{ now: EpochMs }>(
  build.insert(restore).values({ restoredAt: placeholder('now'), begunAt: placeholder('now') }),
  1,
);

const beginAll: (values: { now: EpochMs }) => Write = prepareWrite(
  build
    .update(restore)
    .set({
      restoredAt: sql`coalesce(${restore.restoredAt}, ${placeholder('now')})`,
      begunAt: sql`${placeholder('now')}`,
    })
    .where(sql`${restore.begunAt} IS NULL`),
);

const endAll = prepareWrite<{ now: EpochMs }>(
  build
    .update(restore)
    .set({ doneAt: sql`${placeholder('now')}` })
    .where(sql`${restore.begunAt} IS NOT NULL AND ${restore.doneAt} IS NULL`),
);

// What is open is due: by that index few rows are read, however many there are.
const isOpen = "status IN ('accepted', 'created', 'initiating', 'initiated') AND next_at IS NOT NULL";

/** The fact and the row of everything that is open; no fact is earlier than the one before it. */
function markOpen(takenAt: EpochMs | null, now: EpochMs): Write[] {
  const facts = `INSERT INTO fact (collection_id, merchant_id, version, kind, data, at)
    SELECT id, merchant_id, version + 1, 'restored', ?, max(?, updated_at) FROM collection WHERE ${isOpen} ORDER BY id`;
  const rows = `UPDATE collection SET version = version + 1, restored_at = max(?, updated_at),
    updated_at = max(?, updated_at), next_at = ?, lease_until = 0, fence = fence + 1, attempts = 0 WHERE ${isOpen}`;
  return [
    { sql: facts, args: [JSON.stringify({ takenAt }), now] },
    { sql: rows, args: [now, now, now] },
  ];
}

export type RecoveryStore = ReturnType<typeof recoveryStore>;

/** Where the file came from, and what was open in it when it was restored. */
export function recoveryStore(store: Store) {
  const identity = store.read
    .select({
      id: sql<string | null>`(SELECT ${ledgerFile.id} FROM ${ledgerFile})`,
      facts: sql<number>`(SELECT coalesce(max(seq), 0) FROM fact)`,
    })
    .from(sql`(SELECT 1)`)
    .prepare();
  const unfinished = store.read
    .select()
    .from(restore)
    .where(sql`${restore.doneAt} IS NULL`)
    .orderBy(sql`${restore.number}`)
    .prepare();
  const counts = store.read
    .select({
      open: sql<number>`count(*)`,
      unanswered: sql<number>`coalesce(sum(restored_at IS NOT NULL), 0)`,
      waiting: sql<number>`coalesce(sum(restored_at IS NOT NULL AND lapsed_at IS NULL), 0)`,
    })
    .from(sql`collection`)
    .where(sql`status IN ${openStatuses} AND next_at IS NOT NULL AND livemode = ${placeholder('livemode')}`)
    .prepare();

  return {
    async identity(): Promise<{ id: string | null; facts: number }> {
      return (await identity.get()) ?? { id: null, facts: 0 };
    },
    /** Restores whose recovery is not over, the first one first. */
    unfinished: (): Promise<RestoreRow[]> => unfinished.all(),
    /** Open collections; those that the service has not answered for since; those of them that still hold their payer. */
    async counts(livemode: 0 | 1): Promise<{ open: number; unanswered: number; waiting: number }> {
      return (await counts.get({ livemode })) ?? { open: 0, unanswered: 0, waiting: 0 };
    },
    nameFile: (id: string): Promise<boolean> => store.apply([insertId({ id })]),
    /**
     * Marks what is open and begins, in one transaction; `false` when nothing was written, since a fact stands where a
     * mark is to. `isOld`: nothing in the file told that it is a copy.
     */
    begin: (takenAt: EpochMs | null, isOld: boolean, now: EpochMs): Promise<boolean> =>
      store.apply([...(isOld ? [insertBegun({ now })] : []), beginAll({ now }), ...markOpen(takenAt, now)]),
    end: (now: EpochMs): Promise<boolean> => store.apply([endAll({ now })]),
  };
}
