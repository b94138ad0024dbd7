import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { startEmbeddedPostgres } from './start-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server of this run, without a database. */
    postgresUrl: string;
  }
}

/** A database with the gateway's tables, which tests copy. */
export const migratedTemplate = 'dialtill_migrated';

/**
 * Starts one PostgreSQL for all tests of a run, and stops it afterwards.
 *
 * `DIALTILL_TEST_POSTGRES` selects another server: `postgres://user:password@host:port`.
 */
export default async function startPostgres({ provide }: TestProject): Promise<() => Promise<void>> {
  const given = process.env.DIALTILL_TEST_POSTGRES;
  const server = given === undefined ? await startEmbeddedPostgres() : { url: given, stop: async () => {} };
  await createTemplate(server.url);
  provide('postgresUrl', server.url);
  return server.stop;
}

async function createTemplate(url: string): Promise<void> {
  const client = new pg.Client(`${url}/postgres`);
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${migratedTemplate}`);
  await client.query(`CREATE DATABASE ${migratedTemplate}`);
  await client.end();
  const store = await createPostgresStore({ url: `${url}/${migratedTemplate}` });
  await store.close();
}
