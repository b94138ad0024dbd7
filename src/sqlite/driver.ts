import BetterSqlite3 from 'better-sqlite3';

/** Opens connections. The only import of better-sqlite3 in the program. */
export const Database: typeof BetterSqlite3 = BetterSqlite3;

/** A connection to a SQLite file. */
export type Database = BetterSqlite3.Database;

/** A compiled statement. */
export type Statement<Parameters extends unknown[] = unknown[]> = BetterSqlite3.Statement<Parameters>;

/** The result of a write. */
export type RunResult = BetterSqlite3.RunResult;
