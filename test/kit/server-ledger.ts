import { drizzle } from 'drizzle-orm/sqlite-proxy';
import type pg from 'pg';
import { onTestFinished } from 'vitest';
import { createDecoder } from '../../src/postgres/pipeline.ts';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { createPostgresReader } from '../../src/postgres/reader.ts';
import { translate } from '../../src/postgres/statements.ts';
import type { SqlValue, Store } from '../../src/sqlite/store.ts';
import type { TestLedger } from './file-ledger.ts';
import { createClient, createDatabase } from './postgres.ts';

/** Creates the ledger of a test on the PostgreSQL of this run, or opens the one at a URL. */
export async function createServerLedger(existing?: string) {
  const url = existing ?? (await createDatabase());
  const inFlight = new Set<Promise<unknown>>();
  let batches = 0;
  const counted =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> => {
      const running = work(...args);
      const ended: Promise<unknown> = running.then(
        () => inFlight.delete(ended),
        () => inFlight.delete(ended),
      );
      inFlight.add(ended);
      return running;
    };
  let opened: Store | undefined;
  const ledger = serverLedger(url);
  onTestFinished(() => opened?.close());
  return {
    ledger,
    /** Resolves when a statement in flight has ended; absent without one. A clock that a test advances waits for it. */
    busy: () => (inFlight.size > 0 ? Promise.race(inFlight) : undefined),
    /** Watches the gateway's batches as `watchWrites` watches a file. */
    watchWrites() {
      let known: number | undefined;
      return {
        any() {
          const before = known;
          known = batches;
          return known !== before;
        },
        close() {},
      };
    },
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
        apply: counted((batch, signal) => store.apply(batch, signal).finally(() => batches++)),
        applyReturning: counted((write) => store.applyReturning(write).finally(() => batches++)),
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

/** Reads and changes a database beside its gateways, on one connection. */
function serverLedger(url: string): TestLedger {
  let connecting: Promise<pg.Client> | undefined;
  const connect = async () => {
    const client = createClient(url, { types: { getTypeParser: createDecoder as never } });
    client.on('error', () => {});
    onTestFinished(() => client.end());
    await client.connect();
    return client;
  };
  const connected = () => (connecting ??= connect());
  return {
    location: { url, maxConnections: 4 },
    open: () => createPostgresStore({ url, maxConnections: 4 }),
    async rows<Row>(sql: string, args: readonly SqlValue[] = []) {
      const client = await connected();
      const { rows } = await client.query(translate(sql), [...args]);
      return rows as Row[];
    },
    async change(sql) {
      const client = await connected();
      // A session that applies the changes of a primary runs no triggers.
      await client.query(`BEGIN; SET LOCAL session_replication_role = replica; ${sql}; COMMIT`);
    },
  };
}
