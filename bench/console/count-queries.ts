import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/*
 * Loaded before the gateway in its process and each of its threads: counts the queries of the threads that read for people, and not those
 * of the main thread, which serves payers and jobs as well.
 */

const name = 'benchmark.queries';
if (isMainThread) setEnvironmentData(name, new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) as never);
/** One number: the queries so far. */
export const counted = new Int32Array(getEnvironmentData(name) as unknown as SharedArrayBuffer);

if (!isMainThread) {
  const { prepare } = Database.prototype;
  Database.prototype.prepare = function (this: Database.Database, sql: string) {
    const statement = prepare.call(this, sql);
    for (const method of ['get', 'all'] as const) {
      const run = statement[method].bind(statement) as (...values: unknown[]) => never;
      statement[method] = (...values: unknown[]) => {
        Atomics.add(counted, 0, 1);
        return run(...values);
      };
    }
    return statement;
  } as typeof prepare;
}
