import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { onTestFinished } from 'vitest';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { createPostgresReader } from '../../src/postgres/reader.ts';
import type { SqlValue, Store } from '../../src/sqlite/store.ts';
import { createDatabase } from './postgres.ts';

/** The engine of the gateways' ledgers in this run. */
export const engine = process.env.DIALTILL_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';

/** Creates the ledger of a test on the PostgreSQL of this run. */
export async function createServerLedger() {
  const url = await createDatabase();
  let inFlight = 0;
  const counted =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      inFlight++;
      try {
        return await work(...args);
      } finally {
        inFlight--;
      }
    };
  let opened: Store | undefined;
  onTestFinished(() => opened?.close());
  return {
    /** Whether a statement is in flight: a clock that a test advances does not wait for a server. */
    isBusy: () => inFlight > 0,
    /** Reads with the gateway's connections while it runs: to open one takes longer than most tests. */
    async openReader(): Promise<Store> {
      return opened ? { ...opened, close: async () => {} } : createPostgresReader(url);
    },
    /** Opens the store of a gateway, which closes it. */
    async open(): Promise<Store> {
      const store = await createPostgresStore({ url, maxConnections: 4 });
      const query = counted(store.query);
      const rows = async (sql: string, params: SqlValue[], method: string) => ({
        rows: (await query(sql, params, method === 'get' ? 'row' : 'rows')) as unknown[],
      });
      opened = {
        ...store,
        apply: counted(store.apply),
        query,
        read: drizzle(rows),
        settled: counted(store.settled),
        async close() {
          opened = undefined;
          await store.close();
        },
      };
      return opened;
    },
  };
}
