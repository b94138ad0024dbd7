import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { findLeaks } from './leaks.ts';
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
  const server =
    given === undefined
      ? await startEmbeddedPostgres()
      : { url: given, logged: () => [], stop: async () => {} };
  await createTemplate(server.url);
  provide('postgresUrl', server.url);
  return async () => {
    await server.stop();
    try {
      requireNoLeaks(server.logged());
    } catch (fault) {
      // The run would pass otherwise.
      process.exitCode = 1;
      throw fault;
    }
  };
}

/** @throws Error when the server's log contains a number, a key or a body: invariant I11, over all tests of the run. */
export function requireNoLeaks(lines: readonly string[]): void {
  const leaks = lines.flatMap((line) => findLeaks(line).map((name) => `${name}: ${line}`));
  if (leaks.length > 0)
    throw new Error(`the log of PostgreSQL has ${leaks.length} leaks:\n${leaks.slice(0, 10).join('\n')}`);
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
