import { renameSync, rmSync } from 'node:fs';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { UserError } from '../shared/errors.ts';
import {
  expectedSchema,
  isReplicationTable,
  migrationsTable,
  readSchemaObjects,
  schemaDifferences,
} from './compare-schema.ts';
import { copyInto, hasTable } from './copy.ts';
import { Database, toFileError } from './driver.ts';
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
function readSchemaVersion(connection: Database, folder: string): SchemaVersion {
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

const otherSchema = {
  gateway:
    'is a ledger of a gateway, not the database of a collection service. Choose another folder for the service with --data',
  service:
    'is the database of a collection service, not a ledger of a gateway. Name the ledger: database.file of the configuration has its path',
} as const satisfies Record<SchemaName, string>;

/**
 * Compares the migrations of a file with those of a folder, and rejects a file that no release with this folder has written.
 *
 * @throws UserError when the file belongs to the other program of dialtill, or to a development version.
 */
function readKnownVersion(connection: Database, folder: string): SchemaVersion {
  const version = readSchemaVersion(connection, folder);
  const { comparison } = version;
  if (comparison === 'newer' || comparison === 'foreign') {
    const first = connection.prepare('SELECT min(created_at) FROM __drizzle_migrations').pluck().get();
    for (const name of ['gateway', 'service'] as const) {
      const other = migrationsFolder(name);
      if (other !== folder && readKnown(other).times[0] === Number(first))
        throw new UserError(`${connection.name} ${otherSchema[name]}.`);
    }
  }
  if (comparison !== 'foreign') return version;
  throw new UserError(
    `${connection.name} was written by a development version of dialtill whose schema cannot be upgraded. Use that version, or move the file to another folder and start with a new one.`,
  );
}

/**
 * Compares the migrations of a file that must have some with those of this program.
 *
 * @throws UserError when the file is no database of dialtill, or one of its other program or of a development version.
 */
export function requireSchema(connection: Database, schema: SchemaName): SchemaVersion {
  const version = readKnownVersion(connection, migrationsFolder(schema));
  if (version.comparison === 'empty') throw notOfDialtill(connection.name);
  return version;
}

function notOfDialtill(file: string): UserError {
  return new UserError(`${file} is not a database of dialtill. Check its path.`);
}

/**
 * Rejects a file whose schema is not the one of this program.
 *
 * @throws UserError as `requireSchema` does, and when another version of the program wrote the file.
 */
export function requireCurrentSchema(connection: Database, schema: SchemaName): void {
  const { name } = connection;
  const { comparison } = requireSchema(connection, schema);
  if (comparison === 'older')
    throw new UserError(
      `${name} was written by an older version of dialtill. To upgrade the ledger, start the gateway: it copies the file, then upgrades it. To read a file that was moved aside (.before-…, .replaced-…), use the version that wrote it.`,
    );
  if (comparison === 'newer')
    throw new UserError(`${name} was written by a newer version of dialtill. Read it with that version.`);
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
  const { comparison, newest } = readKnownVersion(connection, folder);
  if (comparison === 'newer') {
    throw new UserError(
      `${connection.name} was written by a newer version of dialtill. Install that version, or restore an older copy.`,
    );
  }
  if (!acceptChanges) requireUnchangedSchema(connection, folder, newest);
  if (comparison === 'current') return;
  // A copy that an earlier attempt left is replaced: the file may have changed since.
  if (comparison === 'older' && !isCopy)
    copyBeforeUpgrade(connection, `${connection.name}.before-${readKnown(folder).newest}`);
  const temporaryStore = connection.pragma('temp_store', { simple: true });
  // The index of a large table is sorted in a file.
  connection.pragma('temp_store = FILE');
  runMigrations(connection, folder, newest);
  connection.pragma(`temp_store = ${temporaryStore}`);
  requireStrictTables(connection);
}

/**
 * Runs the migrations after the newest one of a file in one transaction, and records them as Drizzle's migrator does. That one
 * rolls back a transaction which a full disk has already ended, and then reports only that it cannot.
 */
function runMigrations(connection: Database, folder: string, newest: number): void {
  const missing = readMigrationFiles({ migrationsFolder: folder }).filter(
    ({ folderMillis }) => folderMillis > newest,
  );
  connection.transaction(() => {
    if (!hasTable(connection, '__drizzle_migrations')) connection.exec(migrationsTable);
    const record = connection.prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)');
    for (const { sql, hash, folderMillis } of missing) {
      for (const statement of sql) connection.exec(statement);
      record.run(hash, folderMillis);
    }
  })();
}

/** Differences that an error message lists. */
const maxDifferences = 10;

function requireUnchangedSchema(connection: Database, folder: string, newest: number): void {
  const found = readSchemaObjects(connection);
  // A new file has no objects yet.
  if (found.length === 0) return;
  const differences = schemaDifferences(found, expectedSchema(folder, newest));
  if (differences.length === 0) return;
  if (newest === 0) throw notOfDialtill(connection.name);
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
  let connection = new Database(from, { fileMustExist: true });
  try {
    copyInto(connection, to);
    connection.close();
    connection = new Database(to);
    migrate(connection, migrationsFolder(schema), { ...options, isCopy: true });
  } catch (fault) {
    throw toFileError(to, fault) ?? fault;
  } finally {
    connection.close();
  }
}

/** Copies the database under a draft name and renames the copy, so that a file with the final name is complete. */
function copyBeforeUpgrade(connection: Database, file: string): void {
  const draft = `${file}.new`;
  try {
    copyInto(connection, draft);
    renameSync(draft, file);
  } catch (fault) {
    // Half a copy would keep a full disk full.
    rmSync(draft, { force: true });
    throw fault;
  }
}
