import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { writeWatermark } from '../../src/gateway/upkeep/ledger-origin.ts';
import { ledgerTables } from '../../src/gateway/upkeep/ledger-tables-query.ts';
import { migratePostgres } from '../../src/postgres/migrate.ts';
import type { EpochMs } from '../../src/shared/clock.ts';
import type { Database } from '../../src/sqlite/driver.ts';
import { migrate } from '../../src/sqlite/migrate.ts';
import { serviceFile } from '../../src/testing/programs.ts';
import { temporaryFolder } from './folder.ts';
import { createClient, createDatabase } from './postgres.ts';
import type { Till } from './till.ts';
import { withDatabase, withoutTriggers } from './with-database.ts';

/*
 * Databases that released versions wrote: `test/upgrade/<version>/<engine>`, each a file of statements that insert the rows. The tables are
 * those of the migrations that the version had; `earlier.json` has their hashes.
 */

const root = 'test/upgrade';
const migrationsOf = {
  sqlite: 'drizzle/gateway',
  postgres: 'drizzle/postgres/gateway',
  service: 'drizzle/service',
} as const;
type Schema = keyof typeof migrationsOf;

/** The engine of a gateway's ledger. */
export type LedgerEngine = Exclude<Schema, 'service'>;

/** What no database has, and a start on it needs. */
type Facts = {
  now: EpochMs;
  /** The key of the merchant at the service. */
  key: string;
  /** The signing secrets of the merchant's endpoints. */
  secrets: string[];
  ledger: string;
  facts: number;
  /** Hash of the last block of the chain. */
  head: string;
  /** Hashes of the migrations of both databases, in their order. */
  gateway: string[];
  service: string[];
};

/** The databases of an earlier version. */
export type EarlierLedger = Facts & {
  version: string;
  /** Writes the files of both programs. A ledger on a server is not among them. */
  placeFiles(folder: string): void;
  /** Creates a database with the ledger, and returns its URL. */
  createDatabase(): Promise<string>;
};

/** Returns the versions with databases, the oldest first. */
export function listEarlierVersions(): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

const hashesOf = (folder: string) => readMigrationFiles({ migrationsFolder: folder }).map(({ hash }) => hash);

/** Returns a folder with the first migrations of a schema. @throws Error when one of them was changed after its release. */
function firstMigrations(schema: Schema, hashes: readonly string[]): string {
  const folder = temporaryFolder();
  cpSync(migrationsOf[schema], folder, { recursive: true });
  const journal = join(folder, 'meta/_journal.json');
  const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8'));
  writeFileSync(journal, JSON.stringify({ ...rest, entries: entries.slice(0, hashes.length) }));
  const changed = hashesOf(folder).findIndex((hash, i) => hash !== hashes[i]);
  if (changed >= 0 || entries.length < hashes.length)
    throw new Error(`${migrationsOf[schema]}: migration ${changed} was changed after a release`);
  return folder;
}

function placeFile(file: string, migrations: string, rows: string): void {
  withDatabase(file, (database) => {
    migrate(database, migrations);
    withoutTriggers(database, () => database.exec(rows));
  });
}

/** Reads the databases of an earlier version. */
export function readEarlierLedger(version: string, engine: LedgerEngine): EarlierLedger {
  const folder = join(root, version, engine);
  const facts = JSON.parse(readFileSync(join(folder, 'earlier.json'), 'utf8')) as Facts;
  const rowsOf = (name: string) => readFileSync(join(folder, `${name}.sql`), 'utf8');
  return {
    ...facts,
    version,
    placeFiles(to) {
      const file = join(to, 'gateway.db');
      if (engine === 'sqlite') placeFile(file, firstMigrations(engine, facts.gateway), rowsOf('gateway'));
      writeWatermark(file, facts);
      placeFile(serviceFile(to), firstMigrations('service', facts.service), rowsOf('service'));
    },
    async createDatabase() {
      const url = await createDatabase('template0');
      const client = createClient(url);
      await client.connect();
      try {
        await migratePostgres(client, firstMigrations('postgres', facts.gateway));
        // A session that applies the changes of a primary runs no triggers.
        await client.query(
          `BEGIN; SET LOCAL session_replication_role = replica; ${rowsOf('gateway')}; COMMIT`,
        );
      } finally {
        await client.end();
      }
      return url;
    },
  };
}

const literal = (value: unknown) =>
  value === null || typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;

/** On PostgreSQL, a number that the server gave is given again. */
const words = { sqlite: 'VALUES', postgres: 'OVERRIDING SYSTEM VALUE VALUES' } as const;

/** Returns the statement that inserts the rows of a table; an empty text without rows. */
function insertOf(
  table: string,
  rows: readonly Record<string, unknown>[],
  engine: LedgerEngine = 'sqlite',
): string {
  const [first] = rows;
  if (!first) return '';
  const columns = Object.keys(first).map((name) => `"${name}"`);
  const values = rows.map((row) => `(${Object.values(row).map(literal).join(', ')})`);
  return `INSERT INTO "${table}" (${columns.join(', ')}) ${words[engine]}\n${values.join(',\n')};\n`;
}

function serviceRows(database: Database): string {
  const tables = database
    .prepare<[], { name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' ORDER BY name`,
    )
    .all();
  return tables
    .map(({ name }) =>
      insertOf(name, database.prepare<[], Record<string, unknown>>(`SELECT * FROM "${name}"`).all()),
    )
    .join('');
}

/** Writes the databases of a running till as those of a version. */
export async function writeEarlierLedger(
  till: Till,
  { version, engine, secrets }: { version: string; engine: LedgerEngine; secrets: string[] },
): Promise<void> {
  const folder = join(root, version, engine);
  mkdirSync(folder, { recursive: true });
  const inserts: string[] = [];
  for (const { name, key } of ledgerTables) {
    const order = key.map((column) => `"${column}"`).join(', ');
    const rows = await till.ledger.rows<Record<string, unknown>>(`SELECT * FROM "${name}" ORDER BY ${order}`);
    inserts.push(insertOf(name, rows, engine));
  }
  writeFileSync(join(folder, 'gateway.sql'), inserts.join(''));
  const service = withDatabase(serviceFile(till.folder), serviceRows, { readonly: true });
  writeFileSync(join(folder, 'service.sql'), service);
  const [facts] = await till.ledger.rows<Pick<Facts, 'ledger' | 'facts' | 'head'>>(
    `SELECT id AS ledger, (SELECT count(*) FROM fact) AS facts,
       (SELECT hash FROM seal ORDER BY number DESC LIMIT 1) AS head
     FROM ledger_file`,
  );
  if (!facts) throw new Error('the ledger has no id');
  const written: Facts = {
    ...{ now: till.clock.now(), key: till.config.merchants[0]?.key ?? '', secrets },
    ...facts,
    ...{ gateway: hashesOf(migrationsOf[engine]), service: hashesOf(migrationsOf.service) },
  };
  writeFileSync(join(folder, 'earlier.json'), `${JSON.stringify(written, null, 2)}\n`);
}
