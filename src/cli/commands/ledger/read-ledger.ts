import { damageOf } from '../../../sqlite/fault.ts';
import { createSqliteReader } from '../../../sqlite/sqlite.ts';
import type { Store } from '../../../sqlite/store.ts';

/**
 * Opens the database for reading, runs the work, and closes the database.
 *
 * @throws UserError when the file is missing, damaged, or of another version.
 */
export async function readLedger(file: string, work: (store: Store) => Promise<void>): Promise<void> {
  const store = createSqliteReader(file);
  try {
    await work(store);
  } catch (fault) {
    throw damageOf(file, fault) ?? fault;
  } finally {
    await store.close();
  }
}
