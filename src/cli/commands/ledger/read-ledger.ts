import { type DatabaseLocation, nameOf } from '../../../gateway/config/database-location.ts';
import { openForReading } from '../../../gateway/open-for-reading.ts';
import { damageOf } from '../../../sqlite/fault.ts';
import type { Store } from '../../../sqlite/store.ts';

/**
 * Opens the database for reading, runs the work, and closes the database.
 *
 * @throws UserError when the database is missing, damaged, cannot be reached, or is of another version.
 */
export async function readLedger(
  location: DatabaseLocation,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openForReading(location);
  try {
    await work(store);
  } catch (fault) {
    throw damageOf(nameOf(location), fault) ?? fault;
  } finally {
    await store.close();
  }
}
