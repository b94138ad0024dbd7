import type { RunQuery } from '../sqlite/store.ts';

/** Pauses between two checks, in milliseconds: about four seconds together. */
const pausesMs = [1, 2, 5, 10, 20, 50, 100, 200, 400, 800, 1_200, 1_200];

/**
 * Creates the wait for the transactions that have begun. A row gets its number before its commit, so a transaction that is
 * still open can have a lower number than a row that is visible. Each one has a transaction id before its first number
 * (the triggers `…_numbered`); the id that the wait takes is newer than all of them.
 */
export function createSettled(query: RunQuery): () => Promise<boolean> {
  return async () => {
    const [newest] = (await query('SELECT pg_current_xact_id()', [], 'row')) as [string];
    for (const pauseMs of pausesMs) {
      const open = 'SELECT pg_snapshot_xmin(pg_current_snapshot()) < CAST(? AS xid8)';
      const [isOpen] = (await query(open, [newest], 'row')) as [number];
      if (isOpen === 0) return true;
      // The server waits: it needs no clock of this process.
      await query('SELECT pg_sleep(?)', [pauseMs / 1_000], 'row');
    }
    return false;
  };
}
