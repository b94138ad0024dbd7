import { renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate as runMigrations } from 'drizzle-orm/better-sqlite3/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { UserError } from '../shared/errors.ts';
import { copyInto, hasTable } from './copy.ts';

/** The two programs keep their tables in files of their own. */
export type SchemaName = 'gateway' | 'service';

function migrationsFolder(schema: SchemaName): string {
  return fileURLToPath(new URL(`../../drizzle/${schema}`, import.meta.url));
}

type Known = { newest: number; known: number };
const knownMigrations = new Map<SchemaName, Known>();

/** The migrations that this program has; their files are read once. */
function knownOf(schema: SchemaName): Known {
  let found = knownMigrations.get(schema);
  if (!found) {
    const migrations = readMigrationFiles({ migrationsFolder: migrationsFolder(schema) });
    found = { newest: Math.max(...migrations.map((one) => one.folderMillis)), known: migrations.length };
    knownMigrations.set(schema, found);
  }
  return found;
}

/** Where a file stands: the time of its newest migration, and of the newest that this program has. 0: it has none. */
export function paymentSummaryOf(
  connection: Database.Database,
  schema: SchemaName,
): { applied: number; count: number; newest: number; known: number } {
  const { newest, known } = knownOf(schema);
  if (!hasTable(connection, '__drizzle_migrations')) return { applied: 0, count: 0, newest, known };
  const [applied, count] = connection
    .prepare('SELECT coalesce(max(created_at), 0), count(*) FROM __drizzle_migrations')
    .raw()
    .get() as [number, number];
  return { applied: Number(applied), count, newest, known };
}

/**
 * Makes sure that what this program asks for is in the file.
 *
 * @throws UserError when the file is no ledger, or was written by another version of the program.
 */
export function refuseOtherVersion(connection: Database.Database, schema: SchemaName): void {
  const { applied, newest } = paymentSummaryOf(connection, schema);
  const { name } = connection;
  if (applied === newest) return;
  if (applied === 0) throw new UserError(`${name} is no database of dialtill.`);
  throw new UserError(
    applied < newest
      ? `${name} was written by an older version of dialtill. If it is the ledger, start the gateway once: it upgrades the file, and leaves a copy beside it. If it was set aside (.before-…, .replaced-…), leave it as it is, and read it with the version that wrote it.`
      : `${name} was written by a newer version of dialtill. Read it with that version.`,
  );
}

/**
 * Brings the file to this program's schema: all missing migrations in one transaction, after a copy of a file
 * that already holds data (`<file>.before-<time of the newest migration>`), unless that is a copy itself.
 *
 * @throws UserError when the file was written by a newer program; nothing is touched then.
 */
export function migrate(
  connection: Database.Database,
  schema: SchemaName,
  { isCopy = false }: { isCopy?: boolean } = {},
): void {
  const { applied, newest } = paymentSummaryOf(connection, schema);
  if (applied > newest) {
    throw new UserError(
      `${connection.name} was written by a newer version of dialtill. Install that version, or restore an older copy.`,
    );
  }
  if (applied === newest) return;
  // Also where a try before this one left a copy: an older program may have written the file since.
  if (applied > 0 && !isCopy) copyTo(connection, `${connection.name}.before-${newest}`);
  runMigrations(drizzle(connection), { migrationsFolder: migrationsFolder(schema) });
  const loose = connection
    .prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0
              AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'`)
    .pluck()
    .all();
  if (loose.length > 0) throw new Error(`a migration made tables that are not STRICT: ${loose.join(', ')}`);
}

/**
 * Copies a file, and brings the copy to this program's schema.
 *
 * @throws UserError when the file was written by a newer program; an unfinished copy may be left then.
 */
export function copyMigrated(from: string, to: string, schema: SchemaName): void {
  const source = new Database(from, { fileMustExist: true });
  try {
    copyInto(source, to);
  } finally {
    source.close();
  }
  const copy = new Database(to);
  try {
    migrate(copy, schema, { isCopy: true });
  } finally {
    copy.close();
  }
}

/** Copies the database in one step: a copy that has its name is whole. */
function copyTo(connection: Database.Database, file: string): void {
  const draft = `${file}.new`;
  copyInto(connection, draft);
  renameSync(draft, file);
}
