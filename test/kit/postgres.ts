import pg from 'pg';
import { inject, onTestFinished, vi } from 'vitest';
import { createPostgresStore, type PostgresOptions } from '../../src/postgres/postgres.ts';
import type { Store, Write } from '../../src/sqlite/store.ts';
import { migratedTemplate } from './postgres-server.ts';

let created = 0;

/** Creates a connection to a ledger, outside of any store, that is not open yet. */
export const createClient = (connectionString: string, config: pg.ClientConfig = {}) =>
  new pg.Client({ ...config, connectionString, options: '-c search_path=dialtill,public' });

/** Runs one statement on a database of the test server, outside of any store. */
export async function runSql(url: string, sql: string): Promise<unknown[]> {
  const client = createClient(url);
  // The statement reports a lost connection.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Creates a database of this test, and returns its URL. `template0` gives an empty one. */
export async function createDatabase(template = migratedTemplate): Promise<string> {
  const server = inject('postgresUrl');
  const name = `test_${process.pid}_${++created}`;
  await runSql(`${server}/postgres`, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  onTestFinished(() => {
    // The next test does not wait for the checkpoint. The server of the run deletes what is left.
    runSql(`${server}/postgres`, `DROP DATABASE ${name} WITH (FORCE)`).catch(() => {});
  });
  return `${server}/${name}`;
}

/** Opens a store on a database, and closes it after the test. */
export async function openPostgres(url: string, options: Partial<PostgresOptions> = {}): Promise<Store> {
  const store = await createPostgresStore({ maxConnections: 4, ...options, url });
  onTestFinished(() => store.close());
  return store;
}

/** Begins a transaction on a connection of its own. */
export async function begin(url: string): Promise<pg.Client> {
  const client = createClient(url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  return client;
}

/** Waits until this number of sessions waits for an advisory lock. */
export async function untilWaiting(url: string, sessions: number): Promise<void> {
  const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await vi.waitUntil(async () => (await runSql(url, waiting)).length >= sessions, { timeout: 5_000 });
}

/** The last write of a batch that stays open until the gate opens. */
export const behindGate: Write = { sql: 'SELECT pg_advisory_xact_lock(1)', args: [] };

/** Closes a gate. @returns a function that opens it. */
export async function closeGate(url: string): Promise<() => Promise<void>> {
  const client = await begin(url);
  await client.query('SELECT pg_advisory_xact_lock(1)');
  return async () => void (await client.query('COMMIT'));
}
