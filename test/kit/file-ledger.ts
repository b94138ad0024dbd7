import type { DatabaseLocation } from '../../src/gateway/database/database-location.ts';
import type { Clock } from '../../src/shared/clock.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { SqlValue, Store } from '../../src/sqlite/store.ts';
import { withoutTriggers } from './with-database.ts';

/** The ledger of a till's gateway beside the gateway's own code. Statements are portable between the engines. */
export type TestLedger = {
  /** Where commands find it. */
  location: DatabaseLocation;
  /** Opens the store while no gateway runs. The caller closes it. */
  open(clock: Clock): Promise<Store>;
  /** Reads rows, with the names of the columns in the statement. */
  rows<Row>(sql: string, args?: readonly SqlValue[]): Promise<Row[]>;
  /** Runs statements without the triggers of the tables, as a person with access to the database could. */
  change(sql: string): Promise<void>;
};

/** Each use opens the file, which a test may replace. */
export function fileLedger(file: string): TestLedger {
  return {
    location: { file },
    open: async (clock) => createSqliteStore({ file, schema: 'gateway', clock }),
    async rows<Row>(sql: string, args: readonly SqlValue[] = []) {
      const connection = new Database(file, { readonly: true });
      try {
        return connection.prepare<unknown[], Row>(sql).all(...args);
      } finally {
        connection.close();
      }
    },
    async change(sql) {
      const connection = new Database(file, { fileMustExist: true });
      try {
        withoutTriggers(connection, () => connection.exec(sql));
      } finally {
        connection.close();
      }
    },
  };
}
