import { errorMessage, UserError } from '../shared/errors.ts';
import { compareLedger } from './compare-schema.ts';
import { createQueryRunner, Database, toFileError } from './driver.ts';
import { requireDatabaseFile } from './lock.ts';
import { requireCurrentSchema, requireSchema } from './migrate.ts';
import { createReadingStore, type Snapshots, type Store } from './store.ts';

/**
 * Opens an existing file for reading, also while a gateway writes it.
 *
 * @param begin starts the snapshot that all reads of the connection see.
 * @throws UserError when the file does not exist or is damaged, or, unless `anyVersion`, when it is no ledger or another version
 *   of the program wrote it.
 */
export function connectForReading(
  file: string,
  { anyVersion = false, begin = false }: { anyVersion?: boolean; begin?: boolean } = {},
): Database {
  requireDatabaseFile(file);
  let connection: Database;
  try {
    connection = new Database(file, { fileMustExist: true, timeout: 2000 });
    connection.pragma('query_only = ON');
    if (begin) connection.exec('BEGIN');
    connection.pragma('user_version');
  } catch (cause) {
    throw (
      toFileError(file, cause) ??
      new UserError(`cannot open the database ${file}: ${errorMessage(cause)}`, { cause })
    );
  }
  try {
    if (!anyVersion) requireCurrentSchema(connection, 'gateway');
  } catch (fault) {
    connection.close();
    throw toFileError(file, fault) ?? fault;
  }
  return connection;
}

/** Rejects a file that is no ledger of any version. @throws UserError */
export function requireLedger(file: string): void {
  const connection = connectForReading(file, { anyVersion: true });
  try {
    requireSchema(connection, 'gateway');
  } catch (fault) {
    throw toFileError(file, fault) ?? fault;
  } finally {
    connection.close();
  }
}

/** The most that SQLite maps of a file; what lies beyond is read. */
const mappedBytes = 2 ** 31;

/** Returns the store of a connection that only reads. */
export function readingStore(connection: Database): Store {
  const query = createQueryRunner(connection);
  return createReadingStore({
    engine: 'sqlite',
    query,
    ledgerDifferences: () => compareLedger(query),
    close: async () => void connection.close(),
  });
}

/**
 * Opens a file for reads that each see it as it is at their beginning. They run one after the other on one connection; between
 * them, it holds no snapshot, which would keep the write-ahead log from shrinking.
 *
 * @throws UserError as `connectForReading` does.
 */
export function createSqliteSnapshots(file: string): Snapshots {
  const connection = connectForReading(file);
  // Each commit of the writer empties the cache of this connection, and then each page would be a call of the system. SQLite maps
  // for reading only.
  connection.pragma(`mmap_size = ${mappedBytes}`);
  const store = readingStore(connection);
  let last: Promise<unknown> = Promise.resolve();

  async function readNow<Result>(work: Parameters<Snapshots['read']>[0]): Promise<Result> {
    connection.exec('BEGIN');
    try {
      return (await work(store)) as Result;
    } finally {
      connection.exec('ROLLBACK');
    }
  }

  return {
    read(work) {
      const result = last.then(() => readNow<Awaited<ReturnType<typeof work>>>(work));
      last = result.catch(() => {});
      return result;
    },
    async close() {
      await last;
      await store.close();
    },
  };
}
