import type { RunQuery } from '../sqlite/store.ts';

/** Pauses between two checks, in milliseconds: about four seconds together. */
const pausesMs = [1, 2, 5, 10, 20, 50, 100, 200, 400, 800, 1_200, 1_200];

/**
 * The transactions that have written a row of this database, or are about to. A statement locks its table before it draws
 * its first number, and the lock lasts until after the commit; the same rule lets `CREATE INDEX CONCURRENTLY` wait for
 * writers. The numbers below 16384 are PostgreSQL's own tables.
 */
const writers = `SELECT DISTINCT virtualtransaction FROM pg_locks
  WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted AND relation >= 16384
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * Creates the wait for the transactions that write now. A row gets its number before its commit, so a transaction that is
 * still open can have a lower number than a row that is visible. Transactions that begin later, and those of other databases
 * of the server, are not waited for.
 */
export function createSettled(query: RunQuery): () => Promise<boolean> {
  const readWriters = async () =>
    ((await query(writers, [], 'rows')) as [string][]).map(([writer]) => writer);
  return async () => {
    let open = await readWriters();
    for (const pauseMs of pausesMs) {
      if (open.length === 0) return true;
      // The server waits: it needs no clock of this process.
      await query('SELECT pg_sleep(?)', [pauseMs / 1_000], 'row');
      const now = new Set(await readWriters());
      open = open.filter((writer) => now.has(writer));
    }
    return open.length === 0;
  };
}
