import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { createPostgresStore, type PostgresOptions } from '../../src/postgres/postgres.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { migratedTemplate } from './postgres-server.ts';

let created = 0;

/** Runs one statement on a database of the test server, outside of any store. */
export async function runSql(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
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
