import { renameSync } from 'node:fs';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate as runMigrations } from 'drizzle-orm/better-sqlite3/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { UserError } from '../shared/errors.ts';
import {
  expectedSchema,
  isReplicationTable,
  readSchemaObjects,
  schemaDifferences,
} from './compare-schema.ts';
import { copyInto, hasTable } from './copy.ts';
import { Database } from './driver.ts';
import { migrationsFolder, type SchemaName } from './migrations-folder.ts';

/** The migrations of a file, compared with those of this program. */
export type SchemaVersion = {
  /** Number of migrations in the file; 0 in a file without tables of dialtill. */
  applied: number;
  /** Number of migrations that this program has. */
  known: number;
  /** `foreign`: the file has a migration that this program does not have among its own. */
  comparison: 'empty' | 'older' | 'current' | 'newer' | 'foreign';
  /** Creation time of the newest migration in the file; 0 in a file without tables of dialtill. */
  newest: number;
};

/** The migrations of one folder. */
type KnownMigrations = {
  count: number;
  /** Creation times in milliseconds: the numbers by which Drizzle orders migrations. */
  times: readonly number[];
  newest: number;
};

const knownMigrations = new Map<string, KnownMigrations>();

/** Reads a folder of migrations once. */
function readKnown(folder: string): KnownMigrations {
  let known = knownMigrations.get(folder);
  if (!known) {
    const migrations = readMigrationFiles({ migrationsFolder: folder });
    const times = migrations.map((one) => one.folderMillis);
    known = { count: migrations.length, times, newest: Math.max(...times) };
    knownMigrations.set(folder, known);
  }
  return known;
}

/** Compares the migrations of a file with those of a folder. */
export function readSchemaVersion(connection: Database, folder: string): SchemaVersion {
  const known = readKnown(folder);
  if (!hasTable(connection, '__drizzle_migrations'))
    return { applied: 0, known: known.count, comparison: 'empty', newest: 0 };
  const [applied, newest] = connection
    .prepare('SELECT count(*), coalesce(max(created_at), 0) FROM __drizzle_migrations')
    .raw()
    .get() as [number, number];
  return { applied, known: known.count, comparison: compare(Number(newest), known), newest: Number(newest) };
}

function compare(newest: number, known: KnownMigrations): SchemaVersion['comparison'] {
  if (newest === 0) return 'empty';
  if (newest === known.newest) return 'current';
  if (newest > known.newest) return 'newer';
  return known.times.includes(newest) ? 'older' : 'foreign';
}

function foreignSchema(file: string): UserError {
  return new UserError(
    `${file} was written by a development version of dialtill whose schema cannot be upgraded. Use that version, or move the file to another folder and start with a new one.`,
  );
}

/**
 * Rejects a file whose schema is not the one of this program.
 *
 * @throws UserError when the file is no database of dialtill, or another version of the program wrote it.
 */
export function requireCurrentSchema(connection: Database, schema: SchemaName): void {
  const { name } = connection;
  const { comparison } = readSchemaVersion(connection, migrationsFolder(schema));
  switch (comparison) {
    case 'current':
      return;
    case 'empty':
      throw new UserError(`${name} is not a database of dialtill.`);
    case 'older':
      throw new UserError(
        `${name} was written by an older version of dialtill. To upgrade the ledger, start the gateway: it copies the file, then upgrades it. To read a file that was moved aside (.before-…, .replaced-…), use the version that wrote it.`,
      );
    case 'newer':
      throw new UserError(`${name} was written by a newer version of dialtill. Read it with that version.`);
    case 'foreign':
      throw foreignSchema(name);
  }
}

/**
 * Upgrades a file to the schema of a migrations folder: all missing migrations run in one transaction. A file that
 * holds data is first copied to `<file>.before-<time of the newest migration>`.
 *
 * @param options.isCopy skips the copy, because the file is a copy already.
 * @param options.acceptChanges also upgrades a file whose schema was changed, to audit it.
 * The schema is compared with the migrations before anything is written: a planted trigger would run in the first write.
 *
 * @throws UserError when a newer version of the program wrote the file, or a development version whose migrations this
 *   program does not have, or when the schema of the file was changed. The file is not changed then.
 */
export function migrate(
  connection: Database,
  folder: string,
  { isCopy = false, acceptChanges = false }: { isCopy?: boolean; acceptChanges?: boolean } = {},
): void {
  const { comparison, newest } = readSchemaVersion(connection, folder);
  if (comparison === 'newer') {
    throw new UserError(
      `${connection.name} was written by a newer version of dialtill. Install that version, or restore an older copy.`,
    );
  }
  if (comparison === 'foreign') throw foreignSchema(connection.name);
  if (!acceptChanges) requireUnchangedSchema(connection, folder, newest);
  if (comparison === 'current') return;
  // A copy that an earlier attempt left is replaced: the file may have changed since.
  if (comparison === 'older' && !isCopy)
    copyBeforeUpgrade(connection, `${connection.name}.before-${readKnown(folder).newest}`);
  const temporaryStore = connection.pragma('temp_store', { simple: true });
  // The index of a large table is sorted in a file.
  connection.pragma('temp_store = FILE');
  runMigrations(drizzle(connection), { migrationsFolder: folder });
  connection.pragma(`temp_store = ${temporaryStore}`);
  requireStrictTables(connection);
}

/** Differences that an error message lists. */
const maxDifferences = 10;

function requireUnchangedSchema(connection: Database, folder: string, newest: number): void {
  const found = readSchemaObjects(connection);
  // A new file has no objects yet.
  if (found.length === 0) return;
  const differences = schemaDifferences(found, expectedSchema(folder, newest));
  if (differences.length === 0) return;
  const more = differences.length - maxDifferences;
  throw new UserError(
    `the schema of ${connection.name} was changed: ${differences.slice(0, maxDifferences).join('; ')}${more > 0 ? `; and ${more} more` : ''}. Nothing was written. What to do: docs/operations/changed-schema.md.`,
  );
}

/** @throws Error when a table is not STRICT, which Drizzle cannot declare: a mistake in a migration. */
function requireStrictTables(connection: Database): void {
  const lax = connection
    .prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0
              AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_\\_%' ESCAPE '\\' ORDER BY name`)
    .pluck()
    .all()
    .filter((name) => !isReplicationTable(String(name)));
  if (lax.length > 0) throw new Error(`a migration created tables that are not STRICT: ${lax.join(', ')}`);
}

/**
 * Copies a file and upgrades the copy.
 *
 * @param options.acceptChanges also upgrades a copy whose schema was changed, to audit it.
 * @throws UserError when a newer version of the program wrote the file, or its schema was changed. An incomplete copy may
 *   remain.
 */
export function copyAndMigrate(
  from: string,
  to: string,
  schema: SchemaName,
  options: { acceptChanges?: boolean } = {},
): void {
  const source = new Database(from, { fileMustExist: true });
  try {
    copyInto(source, to);
  } finally {
    source.close();
  }
  const copy = new Database(to);
  try {
    migrate(copy, migrationsFolder(schema), { ...options, isCopy: true });
  } finally {
    copy.close();
  }
}

/** Copies the database under a draft name and renames the copy, so that a file with the final name is complete. */
function copyBeforeUpgrade(connection: Database, file: string): void {
  const draft = `${file}.new`;
  copyInto(connection, draft);
  renameSync(draft, file);
}
