import { fileURLToPath } from 'node:url';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import pg, { type ClientBase, type PoolClient } from 'pg';
import { UserError } from '../shared/errors.ts';
import { ledgerSchema, listLedgerObjects } from './compare-catalogue.ts';
import { memberLock, writerLock } from './locks.ts';

// cspell:ignore attidentity attname attrelid relname relnamespace
/** The columns of the ledger that the server numbers, each with its sequence. */
const numberedColumns = `SELECT t.relname AS name, a.attname AS column,
    pg_get_serial_sequence(quote_ident(t.relname), a.attname) AS sequence
  FROM pg_attribute AS a JOIN pg_class AS t ON t.oid = a.attrelid
  WHERE a.attidentity <> '' AND t.relnamespace = '${ledgerSchema}'::regnamespace AND t.relname = ANY ($1)
  ORDER BY name`;

/** Tables with the numbers of rows that retention has deleted. */
const deletedRows: Readonly<Record<string, string>> = { turn: 'deleted_turn' };

/**
 * Makes each sequence continue after the rows of its table. A logical replication carries rows and not sequences, so that each
 * insert would fail. Only one process at a time may do so.
 *
 * @returns the tables whose sequence was behind.
 */
async function continueSequences(client: Pick<ClientBase, 'query'>): Promise<string[]> {
  const { rows } = await client.query(numberedColumns, [listLedgerObjects('table')]);
  const behind: string[] = [];
  for (const { name, column, sequence } of rows) {
    const tables = [name, deletedRows[name]].filter((table) => table !== undefined);
    const last = tables.map(
      (table) => `(SELECT max(${pg.escapeIdentifier(column)}) FROM ${pg.escapeIdentifier(table)})`,
    );
    // The snapshot is older than the reading of the sequence, so that a number which is drawn meanwhile is not behind.
    const repaired = await client.query(
      `SELECT setval($1, used.last) FROM ${sequence} AS s, (SELECT greatest(${last.join(', ')}) AS last) AS used
       WHERE used.last >= s.last_value + s.is_called::int`,
      [sequence],
    );
    if (repaired.rows.length > 0) behind.push(name);
  }
  return behind;
}

/** Any number that no other program uses for an advisory lock on this database: "dial" in ASCII. */
const migrationLock = 0x64_69_61_6c;

const migrationsTable =
  'CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (hash text NOT NULL, created_at bigint PRIMARY KEY)';

/** Unlike `CREATE SCHEMA IF NOT EXISTS`, it needs no right when the schema exists. */
const createSchema = `DO $$ BEGIN
  IF to_regnamespace('${ledgerSchema}') IS NULL THEN CREATE SCHEMA ${ledgerSchema}; END IF;
END $$`;

/** Returns the folder with the gateway's migrations for PostgreSQL. */
function migrationsFolder(): string {
  return fileURLToPath(new URL('../../drizzle/postgres/gateway', import.meta.url));
}

/**
 * Upgrades a database to the schema of this program, in one transaction. Only one process does so at a time; the others
 * wait, and then find nothing to do. The ledger of an earlier version, which was in the schema of the search path, is moved. Sequences
 * that are behind their rows continue after them.
 *
 * @returns the tables whose sequence was behind, and the schema from which the ledger was moved.
 * @throws UserError when a newer version of the program wrote the database, or one whose migrations this program does not
 *   have, when there are two ledgers, or when gateways of an older version use it. Nothing is changed then.
 */
export async function migratePostgres(
  client: Pick<PoolClient, 'query'>,
  folder = migrationsFolder(),
): Promise<{ behind: string[]; movedFrom: string | null }> {
  const known = readMigrationFiles({ migrationsFolder: folder });
  await client.query('BEGIN');
  try {
    // Before anything else, and without the limits of a usual transaction: another process may migrate a large database.
    await client.query(
      'SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL transaction_timeout = 0',
    );
    await client.query(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    await client.query(createSchema);
    const [schema = ledgerSchema, second] = await listLedgers(client);
    if (second !== undefined) throw twoLedgers(schema, second);
    const movedFrom = schema === ledgerSchema ? null : schema;
    await client.query(`SET LOCAL search_path = ${schema}; ${migrationsTable}`);
    const applied = await readApplied(client, schema);
    const missing = listMissing(known, applied);
    if (movedFrom !== null || (applied.length > 0 && missing.length > 0)) await requireNoGateway(client);
    for (const migration of missing) {
      for (const statement of migration.sql) await client.query(statement);
      await client.query('INSERT INTO "__drizzle_migrations" (hash, created_at) VALUES ($1, $2)', [
        migration.hash,
        migration.folderMillis,
      ]);
    }
    if (movedFrom !== null) await moveToSchema(client);
    const behind = await continueSequences(client);
    await client.query('COMMIT');
    return { behind, movedFrom };
  } catch (fault) {
    await client.query('ROLLBACK').catch(() => {});
    throw fault;
  }
}

// cspell:ignore relname relkind relnamespace
/** Returns the schemas with a ledger. Tables of another program can have the name of one of its tables. */
async function listLedgers(client: Pick<PoolClient, 'query'>): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT relnamespace::regnamespace::text AS schema FROM pg_class
     WHERE relname IN ('ledger_file', '__drizzle_migrations') AND relkind = 'r'
     GROUP BY relnamespace HAVING count(*) = 2 ORDER BY schema`,
  );
  return rows.map(({ schema }) => schema);
}

function twoLedgers(one: string, other: string): UserError {
  return new UserError(
    `there are two ledgers: in the schemas ${one} and ${other}. Each may have payments of the other one. ` +
      'Start no gateway before you know which one you keep: docs/postgresql.md, "Messages".',
  );
}

/** Moves a ledger out of the schema of the search path. Indexes, triggers and sequences follow their tables. */
async function moveToSchema(client: Pick<PoolClient, 'query'>): Promise<void> {
  const objects = [
    ...listLedgerObjects('table').map((name) => `TABLE ${pg.escapeIdentifier(name)}`),
    ...listLedgerObjects('function').map((name) => `FUNCTION ${name}`),
    ...listLedgerObjects('operator').map((name) => `OPERATOR ${name}`),
  ];
  const moves = objects.map((object) => `ALTER ${object} SET SCHEMA ${ledgerSchema}`);
  await client.query([...moves, `SET LOCAL search_path = ${ledgerSchema}`].join('; '));
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
  const ledgers = await listLedgers(client);
  if (ledgers.length === 0)
    throw new UserError('there is no ledger in this database. A gateway creates it at its first start.');
  const known = readMigrationFiles({ migrationsFolder: migrationsFolder() });
  const isCurrent =
    ledgers.includes(ledgerSchema) &&
    listMissing(known, await readApplied(client, ledgerSchema)).length === 0;
  if (!isCurrent)
    throw new UserError(
      'an older version of dialtill wrote the database. Start the gateway once to upgrade it.',
    );
}

async function readApplied(client: Pick<PoolClient, 'query'>, schema: string): Promise<number[]> {
  const found = await client.query(
    `SELECT created_at FROM ${schema}."__drizzle_migrations" ORDER BY created_at`,
  );
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
