import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { UserError } from '../shared/errors.ts';

/** A connection to a SQLite file. */
export type Database = BetterSqlite3.Database;

/** A compiled statement. */
export type Statement<Parameters extends unknown[] = unknown[]> = BetterSqlite3.Statement<Parameters>;

/** The result of a write. */
export type RunResult = BetterSqlite3.RunResult;

/**
 * The package of SQLite for this version of Node. Version 12 of better-sqlite3 can abort Node 24 when a statement or a
 * connection is garbage collected; version 13 does not load in Node 20.
 */
const packageName = Number.parseInt(process.versions.node, 10) >= 24 ? 'better-sqlite3-13' : 'better-sqlite3';

/** Opens connections. The only import of better-sqlite3 in the program. */
export const Database: typeof BetterSqlite3 = loadDriver(createRequire(import.meta.url), packageName);

/**
 * Loads the package and its binary.
 *
 * @throws UserError when the package is not installed (it is an optional dependency on Node 24 and newer), or when npm did
 *   not run its install script, which places the binary.
 */
export function loadDriver(load: (name: string) => unknown, name: string): typeof BetterSqlite3 {
  try {
    const driver = load(name) as typeof BetterSqlite3;
    // The package loads its binary with the first connection.
    new driver(':memory:').close();
    return driver;
  } catch (cause) {
    if (cause instanceof Error && cause.message.startsWith('Could not locate the bindings file')) {
      throw new UserError(
        `the package ${name} has no binary for Node ${process.versions.node}, because npm did not run its install script. ` +
          `Run "npm rebuild ${name}" where dialtill is installed.`,
        { cause },
      );
    }
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'MODULE_NOT_FOUND')) throw cause;
    throw new UserError(
      `the package ${name} is not installed, and Node ${process.versions.node} needs it. ` +
        'Run "npm install --include=optional" where dialtill is installed, or use Node 20 or 22.',
      { cause },
    );
  }
}
