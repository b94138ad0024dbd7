import { createHash } from 'node:crypto';
import type { Write } from '../sqlite/store.ts';
import type { Step } from './flight.ts';

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

/** Taken in the order of the list, so that two flights never wait for each other. */
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
 * Returns the first step of a flight, which waits for its locks. It is a statement of its own: the statements after it see
 * what the batch before them has written, a guard in the same statement would not.
 */
export function lockStep(locks: readonly string[]): Step {
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
