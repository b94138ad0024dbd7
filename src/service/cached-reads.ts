import type { Store, Write } from '../sqlite/store.ts';

/** Tables whose rows change rarely, and which most calls read. */
const cachedTables = ['api_key', 'merchant', 'fee_override', 'endpoint', 'signing_secret'] as const;
type CachedTable = (typeof cachedTables)[number];

/** Results that one reader caches at most. The oldest one makes way. */
const maxCached = 1_000;

/**
 * Returns a function that reads like `load`, and caches each result in memory until a batch writes to one of the tables.
 * `undefined` is not cached: callers ask for names that do not exist.
 *
 * @param tables all tables that `load` reads.
 */
export type CacheReads = <Result>(
  tables: readonly CachedTable[],
  load: (key: string) => Promise<Result>,
) => (key: string) => Promise<Result>;

const writtenTable = /^\s*(?:insert into|update|delete from)\s+"?(\w+)/i;

/**
 * Creates `keep` for a store. One process owns the database file, so every change of a row is a batch that the returned
 * store applies: once `apply` resolves, no reader returns what the batch has replaced.
 */
export function createCachedReads(store: Store): { store: Store; keep: CacheReads } {
  /** The number of batches that wrote to each table. */
  const changes = new Map<CachedTable, number>();
  const count = (table: CachedTable) => changes.set(table, (changes.get(table) ?? 0) + 1);

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
      type Cached = { result: Awaited<ReturnType<typeof load>>; at: number };
      const cached = new Map<string, Cached>();
      const countChanges = () => tables.reduce((sum, table) => sum + (changes.get(table) ?? 0), 0);
      return async (key) => {
        const at = countChanges();
        const found = cached.get(key);
        if (found?.at === at) return found.result;
        const result = await load(key);
        cached.delete(key);
        const [oldest] = cached.keys();
        if (cached.size >= maxCached && oldest !== undefined) cached.delete(oldest);
        // A batch that was written during the read has counted by now: the result is then read again.
        if (result !== undefined) cached.set(key, { result, at });
        return result;
      };
    },
  };
}

/** Returns the cached tables that a batch writes to. */
function writtenTables(batch: readonly Write[]): CachedTable[] {
  return batch.flatMap(({ sql }) => {
    // Statements are constants of the program, so that their number has a bound.
    const known = tablesByName.get(sql) ?? findWritten(sql);
    tablesByName.set(sql, known);
    return known;
  });
}

const tablesByName = new Map<string, readonly CachedTable[]>();

/** A statement of an unknown form counts for all tables. */
function findWritten(sql: string): readonly CachedTable[] {
  const name = writtenTable.exec(sql)?.[1]?.toLowerCase();
  return name === undefined ? cachedTables : cachedTables.filter((table) => table === name);
}
