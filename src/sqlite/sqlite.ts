import { dirname } from 'node:path';
import { messageOf, UserError } from '../shared/errors.ts';
import { traced } from '../shared/tracing.ts';
import { connect, createQueryRunner, createReader, makeDurable } from './connection.ts';
import { Database } from './driver.ts';
import { damageOf } from './fault.ts';
import { createWriter, type GroupCommitOptions } from './group-commit.ts';
import { lockDatabase } from './lock.ts';
import { migrate, requireCurrentSchema } from './migrate.ts';
import { migrationsFolder, type SchemaName } from './migrations-folder.ts';
import { createFolder, ensurePrivate, makeSiblingsPrivate, type OnExposed } from './private-file.ts';
import { rejectUnfinishedRestore } from './replace-database.ts';
import { type Store, StoreFault } from './store.ts';
import { createSchemaWatch } from './watch-schema.ts';

const storeSpan = { attributes: { 'db.system.name': 'sqlite' }, kind: 'client' } as const;

/** Time for which the opening waits for a file that another process locks. */
const openTimeoutMs = 5_000;

export type SqliteOptions = GroupCommitOptions & {
  file: string;
  schema: SchemaName;
  /** Called with each existing file of the database that other users could access, after its mode was corrected. */
  onExposed?: OnExposed;
  /** Opens the connection; better-sqlite3 by default. Tests replace it to simulate a failing disk. */
  connect?: (file: string) => Database;
};

/**
 * Opens a SQLite store: locks the file, makes it private and its commits durable, and migrates it.
 *
 * @throws UserError when the file is in use, damaged or of a newer version, when it is a symbolic link or cannot be made
 *   private, when its schema was changed, or when SQLite is too old.
 */
export function createSqliteStore(options: SqliteOptions): Store {
  createFolder(dirname(options.file));
  const unlock = lockDatabase(options.file);
  let connection: Database | undefined;
  try {
    rejectUnfinishedRestore(options.file);
    makeSiblingsPrivate(options.file, options.onExposed);
    ensurePrivate(options.file, options.onExposed);
    connection = (options.connect ?? connect)(options.file);
    // A command that reads the file after a crash recovers it, and locks it for a moment.
    connection.pragma(`busy_timeout = ${openTimeoutMs}`);
    makeDurable(connection, options.file);
    migrate(connection, migrationsFolder(options.schema));
    connection.pragma('busy_timeout = 0');
  } catch (fault) {
    connection?.close();
    unlock();
    throw damageOf(options.file, fault) ?? fault;
  }
  const opened = connection;
  const watch = createSchemaWatch(opened, migrationsFolder(options.schema));
  const writer = createWriter(opened, options, watch);
  const query = createQueryRunner(opened, writer.reportFault);
  return {
    engine: 'sqlite',
    query,
    read: createReader(query),
    apply: (batch, signal) => traced('apply', storeSpan, () => writer.apply(batch, signal)),
    settled: async () => true,
    usable: writer.usable,
    async close() {
      await writer.drain();
      try {
        if (opened.open && writer.usable()) opened.pragma('wal_checkpoint(TRUNCATE)');
      } finally {
        opened.close();
        unlock();
      }
    },
  };
}

/**
 * Opens an existing file for reading, also while a gateway writes it. All reads see the file as it was at the opening, or,
 * with `live`, as it is at the time of the query.
 *
 * @throws UserError when the file does not exist or is damaged, or, unless `anyVersion`, when another version of the
 *   program wrote it.
 */
export function createSqliteReader(
  file: string,
  { anyVersion = false, live = false }: { anyVersion?: boolean; live?: boolean } = {},
): Store {
  let connection: Database;
  try {
    connection = new Database(file, { fileMustExist: true, timeout: 2000 });
    connection.pragma('query_only = ON');
    if (!live) connection.exec('BEGIN');
    connection.pragma('user_version');
  } catch (cause) {
    throw (
      damageOf(file, cause) ??
      new UserError(`cannot open the database ${file}: ${messageOf(cause)}`, { cause })
    );
  }
  try {
    if (!anyVersion) requireCurrentSchema(connection, 'gateway');
  } catch (fault) {
    connection.close();
    throw damageOf(file, fault) ?? fault;
  }
  const query = createQueryRunner(connection);
  return {
    engine: 'sqlite',
    query,
    read: createReader(query),
    apply: () => Promise.reject(new StoreFault('refused', 'this store is open for reading only')),
    settled: async () => true,
    usable: () => true,
    async close() {
      connection.close();
    },
  };
}
