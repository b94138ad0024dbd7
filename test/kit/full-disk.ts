import { Database, type Statement } from '../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';

/** A disk that rejects commits while it is full. */
export type FullDisk = {
  createStore: typeof createSqliteStore;
  /** Fills the disk or frees space. */
  fill(isFull: boolean): void;
  /** Returns the number of commits that failed because the disk was full. */
  rejectedCommits(): number;
};

/** Creates stores whose commits fail while the test declares the disk full. */
export function createFullDisk(): FullDisk {
  let isFull = false;
  let rejectedCommits = 0;
  function connect(file: string): Database {
    const connection = new Database(file);
    const { prepare } = connection;
    const prepared = (sql: string) => {
      const statement = prepare.call(connection, sql) as Statement;
      const { run } = statement;
      statement.run = (...args: unknown[]) => {
        if (isFull && sql === 'COMMIT' && connection.inTransaction) {
          rejectedCommits++;
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
    rejectedCommits: () => rejectedCommits,
  };
}
