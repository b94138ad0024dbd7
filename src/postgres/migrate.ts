import { fileURLToPath } from 'node:url';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import type { PoolClient } from 'pg';
import { UserError } from '../shared/errors.ts';
import { findLedger } from './cluster.ts';
import { memberLock, writerLock } from './locks.ts';
import { continueSequences } from './numbers.ts';

/** Any number that no other program uses for an advisory lock on this database: "dial" in ASCII. */
const migrationLock = 0x64_69_61_6c;

const migrationsTable =
  'CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (hash text NOT NULL, created_at bigint PRIMARY KEY)';

/** Returns the folder with the gateway's migrations for PostgreSQL. */
function migrationsFolder(): string {
  return fileURLToPath(new URL('../../drizzle/postgres/gateway', import.meta.url));
}

/**
 * Upgrades a database to the schema of this program, in one transaction. Only one process does so at a time; the others
 * wait, and then find nothing to do. Sequences that are behind their rows continue after them.
 *
 * @returns the tables whose sequence was behind.
 * @throws UserError when a newer version of the program wrote the database, or one whose migrations this program does not
 *   have, or when gateways of an older version use it. Nothing is changed then.
 */
export async function migratePostgres(
  client: Pick<PoolClient, 'query'>,
  folder = migrationsFolder(),
): Promise<string[]> {
  const known = readMigrationFiles({ migrationsFolder: folder });
  await client.query('BEGIN');
  try {
    // Before anything else, and without the limits of a usual transaction: another process may migrate a large database.
    await client.query(
      'SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL transaction_timeout = 0',
    );
    await client.query(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    // Another process may have created the ledger meanwhile, where its own search path led.
    await findLedger(client);
    await client.query(migrationsTable);
    const applied = await readApplied(client);
    const missing = listMissing(known, applied);
    if (applied.length > 0 && missing.length > 0) await requireNoGateway(client);
    for (const migration of missing) {
      for (const statement of migration.sql) await client.query(statement);
      await client.query('INSERT INTO "__drizzle_migrations" (hash, created_at) VALUES ($1, $2)', [
        migration.hash,
        migration.folderMillis,
      ]);
    }
    const behind = await continueSequences(client);
    await client.query('COMMIT');
    return behind;
  } catch (fault) {
    await client.query('ROLLBACK').catch(() => {});
    throw fault;
  }
}

/** Keeps gateways out until the transaction ends. @throws UserError when one of the version before still runs. */
async function requireNoGateway(client: Pick<PoolClient, 'query'>): Promise<void> {
  for (const lock of [memberLock, writerLock]) {
    const { rows } = await client.query(`SELECT pg_try_advisory_xact_lock(${lock}) AS locked`);
    if (rows[0]?.locked === true) continue;
    throw new UserError(
      'gateways of an older version use this database, and its tables must change. Stop all of them, then start this one.',
    );
  }
}

/**
 * Rejects a database that another version of the program wrote, or none.
 *
 * @throws UserError when its schema is not that of this program.
 */
export async function requireCurrentPostgresSchema(client: Pick<PoolClient, 'query'>): Promise<void> {
  const found = await client.query(`SELECT to_regclass('__drizzle_migrations') IS NOT NULL AS found`);
  if (found.rows[0]?.found !== true)
    throw new UserError('there is no ledger in this database. A gateway creates it at its first start.');
  const missing = listMissing(
    readMigrationFiles({ migrationsFolder: migrationsFolder() }),
    await readApplied(client),
  );
  if (missing.length > 0)
    throw new UserError(
      'an older version of dialtill wrote the database. Start the gateway once to upgrade it.',
    );
}

async function readApplied(client: Pick<PoolClient, 'query'>): Promise<number[]> {
  const found = await client.query('SELECT created_at FROM "__drizzle_migrations" ORDER BY created_at');
  return found.rows.map((row) => Number(row.created_at));
}

function listMissing(known: readonly MigrationMeta[], applied: readonly number[]): readonly MigrationMeta[] {
  const times = known.map(({ folderMillis }) => folderMillis);
  const newest = applied.at(-1) ?? 0;
  if (newest > Math.max(...times))
    throw new UserError('a newer version of dialtill wrote the database. Install that version.');
  if (applied.some((time, index) => time !== times[index]))
    throw new UserError(
      'a development version of dialtill wrote the database; its schema cannot be upgraded.',
    );
  return known.slice(applied.length);
}
