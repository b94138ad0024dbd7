import { messageOf, UserError } from '../shared/errors.ts';
import { compareLedger } from './compare-schema.ts';
import { createQueryRunner, createReader } from './connection.ts';
import { Database } from './driver.ts';
import { damageOf } from './fault.ts';
import { requireCurrentSchema } from './migrate.ts';
import { type Store, StoreFault } from './store.ts';

/**
 * Opens an existing file for reading, also while a gateway writes it.
 *
 * @param begin starts the snapshot that all reads of the connection see.
 * @throws UserError when the file does not exist or is damaged, or, unless `anyVersion`, when another version of the
 *   program wrote it.
 */
export function connectForReading(
  file: string,
  { anyVersion = false, begin = false }: { anyVersion?: boolean; begin?: boolean } = {},
): Database {
  let connection: Database;
  try {
    connection = new Database(file, { fileMustExist: true, timeout: 2000 });
    connection.pragma('query_only = ON');
    if (begin) connection.exec('BEGIN');
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
  return connection;
}

/** Returns the store of a connection that only reads. */
export function readingStore(connection: Database): Store {
  const query = createQueryRunner(connection);
  return {
    engine: 'sqlite',
    query,
    read: createReader(query),
    apply: () => Promise.reject(new StoreFault('refused', 'this store is open for reading only')),
    settled: async () => true,
    ledgerDifferences: () => compareLedger(query),
    usable: () => true,
    async close() {
      connection.close();
    },
  };
}
