import type { Store, Write } from '../sqlite/store.ts';

/** Tables whose rows change rarely, and which most calls read. */
const keptTables = ['api_key', 'merchant', 'fee_override', 'endpoint', 'signing_secret'] as const;
type KeptTable = (typeof keptTables)[number];

/** Results that one reader keeps at most. The oldest one makes way. */
const maxKept = 1_000;

/**
 * Returns a function that reads like `load`, and keeps each result in memory until a batch writes to one of the tables.
 * `undefined` is not kept: callers ask for names that do not exist.
 *
 * @param tables all tables that `load` reads.
 */
export type KeepReads = <Result>(
  tables: readonly KeptTable[],
  load: (key: string) => Promise<Result>,
) => (key: string) => Promise<Result>;

const writtenTable = /^\s*(?:insert into|update|delete from)\s+"?(\w+)/i;

/**
 * Creates `keep` for a store. One process owns the database file, so every change of a row is a batch that the returned
 * store applies: once `apply` resolves, no reader returns what the batch has replaced.
 */
export function createKeptReads(store: Store): { store: Store; keep: KeepReads } {
  /** The number of batches that wrote to each table. */
  const changes = new Map<KeptTable, number>();
  const count = (table: KeptTable) => changes.set(table, (changes.get(table) ?? 0) + 1);

  return {
    store: {
      ...store,
      apply(batch, signal) {
        const written = writtenTables(batch);
        const applied = store.apply(batch, signal);
        return written.length === 0 ? applied : applied.finally(() => written.forEach(count));
      },
    },
    keep(tables, load) {
      type Kept = { result: Awaited<ReturnType<typeof load>>; at: number };
      const kept = new Map<string, Kept>();
      const countChanges = () => tables.reduce((sum, table) => sum + (changes.get(table) ?? 0), 0);
      return async (key) => {
        const at = countChanges();
        const found = kept.get(key);
        if (found?.at === at) return found.result;
        const result = await load(key);
        kept.delete(key);
        const [oldest] = kept.keys();
        if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
        // A batch that was written during the read has counted by now: the result is then read again.
        if (result !== undefined) kept.set(key, { result, at });
        return result;
      };
    },
  };
}

/** Returns the kept tables that a batch writes to. */
function writtenTables(batch: readonly Write[]): KeptTable[] {
  return batch.flatMap(({ sql }) => {
    // Statements are constants of the program, so that their number has a bound.
    const known = tablesByName.get(sql) ?? findWritten(sql);
    tablesByName.set(sql, known);
    return known;
  });
}

const tablesByName = new Map<string, readonly KeptTable[]>();

/** A statement of an unknown form counts for all tables. */
function findWritten(sql: string): readonly KeptTable[] {
  const name = writtenTable.exec(sql)?.[1]?.toLowerCase();
  return name === undefined ? keptTables : keptTables.filter((table) => table === name);
}
