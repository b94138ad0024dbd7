import { createHash } from 'node:crypto';
import type { RunQuery, Write } from '../sqlite/store.ts';
import { ledgerSchema, listLedgerObjects } from './compare-catalogue.ts';
import type { PipelineStep } from './pipeline.ts';

/**
 * Any number that no other program uses for an advisory lock on this database: "till" in ASCII. Each gateway shares it; a
 * program that takes it alone keeps gateways out.
 */
export const memberLock = 0x74_69_6c_6c;

/**
 * "tilt": shared by each connection that writes for a gateway. A gateway whose own connection was lost has no `memberLock` for a
 * moment, and could still write; a program that needs the database alone takes both.
 */
export const writerLock = 0x74_69_6c_74;

/** Taken in the order of the list, so that two pipelines never wait for each other. */
const lockStatement = {
  name: 'locks',
  text: 'SELECT count(pg_advisory_xact_lock(value::bigint)) FROM json_array_elements_text($1::json)',
  types: [0],
} as const;

/** The locks of a batch: 64-bit numbers as text, without repeats, in one order for all processes. */
export function listLocks(batch: readonly Write[]): string[] {
  const names = new Set(batch.flatMap(({ locks = [] }) => locks));
  return Array.from(names, getLockNumber).sort();
}

/** Returns the number of a named lock: not the name itself, which can contain the number of a phone. */
export function getLockNumber(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString();
}

/**
 * Returns the first step of a pipeline, which waits for its locks. It is a statement of its own: the statements after it see
 * what the batch before them has written, a guard in the same statement would not.
 */
export function lockStep(locks: readonly string[]): PipelineStep {
  return { statement: lockStatement, values: [JSON.stringify(locks)] };
}

/**
 * Creates a queue per lock, so that the batches of this process that wait for one lock occupy one connection and not all of
 * them.
 */
export function createLockQueue() {
  const last = new Map<string, Promise<void>>();
  /** Runs `work` after the earlier work that has a lock in common. */
  return async function inTurn<Result>(
    locks: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (locks.length === 0) return work();
    const earlier = locks.map((lock) => last.get(lock));
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    for (const lock of locks) last.set(lock, finished);
    try {
      await Promise.all(earlier);
      return await work();
    } finally {
      finish();
      for (const lock of locks) if (last.get(lock) === finished) last.delete(lock);
    }
  };
}

/** Pauses between two checks, in milliseconds: about four seconds together. */
const pausesMs = [1, 2, 5, 10, 20, 50, 100, 200, 400, 800, 1_200, 1_200];

// cspell:ignore relname relnamespace
/**
 * The transactions that have written a row of the ledger, or are about to. A statement locks its table before it draws
 * its first number, and the lock lasts until after the commit; the same rule lets `CREATE INDEX CONCURRENTLY` wait for
 * writers.
 */
const writers = `SELECT DISTINCT virtualtransaction FROM pg_locks
  WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND relation IN (SELECT oid FROM pg_class WHERE relnamespace = '${ledgerSchema}'::regnamespace
      AND relname IN (SELECT value FROM json_each(?)))`;

/**
 * Creates the wait for the transactions that write now. A row gets its number before its commit, so a transaction that is
 * still open can have a lower number than a row that is visible. Transactions that begin later, and those that write other tables
 * of the server, are not waited for.
 */
export function createSettled(query: RunQuery): () => Promise<boolean> {
  const tables = JSON.stringify(listLedgerObjects('table'));
  const readWriters = async () =>
    ((await query(writers, [tables], 'rows')) as [string][]).map(([writer]) => writer);
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
