import Database from 'better-sqlite3';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';

/** A disk that takes no commit while it is full. */
export type FullDisk = {
  createStore: typeof createSqliteStore;
  /** Fills it up, or makes space. */
  fill(isFull: boolean): void;
  /** How often something was to be written while it was full. */
  rejectedCommits(): number;
};

/** A disk on which there is no space while a test says so. */
export function createFullDisk(): FullDisk {
  let isFull = false;
  let tries = 0;
  function connect(file: string): Database.Database {
    const connection = new Database(file);
    const { prepare } = connection;
    const prepared = (sql: string) => {
      const statement = prepare.call(connection, sql) as Database.Statement;
      const { run } = statement;
      statement.run = (...args: unknown[]) => {
        if (isFull && sql === 'COMMIT' && connection.inTransaction) {
          tries++;
          throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
        }
        return run.apply(statement, args);
      };
      return statement;
    };
    return Object.assign(connection, { prepare: prepared });
  }
  return {
    createStore: (options) => createSqliteStore({ ...options, connect }),
    fill(full) {
      isFull = full;
    },
    rejectedCommits: () => tries,
  };
}
