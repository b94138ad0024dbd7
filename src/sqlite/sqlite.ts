import { dirname } from 'node:path';
import { traced } from '../shared/tracing.ts';
import { compareLedger, createSchemaWatch } from './compare-schema.ts';
import {
  connect,
  createQueryRunner,
  type Database,
  makeDurable,
  toFileError,
  toStoreFault,
} from './driver.ts';
import { createWriter } from './group-commit.ts';
import { lockDatabase } from './lock.ts';
import { migrate } from './migrate.ts';
import { migrationsFolder } from './migrations-folder.ts';
import { createFolder, ensurePrivate, makeSiblingsPrivate } from './private-file.ts';
import { connectForReading, readingStore } from './read-connection.ts';
import { rejectUnfinishedRestore } from './replace-database.ts';
import { createQueryBuilder, type Store, type StoreOptions } from './store.ts';

const storeSpan = { attributes: { 'db.system.name': 'sqlite' }, kind: 'client' } as const;

/** Time for which the opening waits for a file that another process locks. */
const openTimeoutMs = 5_000;

export type SqliteOptions = StoreOptions & {
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
    throw toFileError(options.file, fault) ?? fault;
  }
  const opened = connection;
  const watch = createSchemaWatch(opened, migrationsFolder(options.schema));
  const writer = createWriter(opened, options, watch);
  const query = createQueryRunner(opened, writer.reportFault);
  return {
    engine: 'sqlite',
    query,
    read: createQueryBuilder(query),
    apply: (batch, signal) => traced('apply', storeSpan, () => writer.apply(batch, signal)),
    applyReturning: (write) => traced('apply', storeSpan, () => writer.applyReturning(write)),
    settled: async () => true,
    ledgerDifferences: () => compareLedger(query),
    usable: writer.usable,
    async close() {
      await writer.drain();
      try {
        if (opened.open && writer.usable()) opened.pragma('wal_checkpoint(TRUNCATE)');
      } catch (fault) {
        // Nothing is lost: the next opening reads the write-ahead log.
        if (toStoreFault(fault).kind !== 'full') throw fault;
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
 * @throws UserError as `connectForReading` does.
 */
export function createSqliteReader(
  file: string,
  { anyVersion = false, live = false }: { anyVersion?: boolean; live?: boolean } = {},
): Store {
  return readingStore(connectForReading(file, { anyVersion, begin: !live }));
}
