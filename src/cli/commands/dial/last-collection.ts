import type { DatabaseLocation } from '../../../gateway/config/database-location.ts';
import { openForReading } from '../../../gateway/open-for-reading.ts';
import { findLastCollection } from '../../../gateway/support/collection-query.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';

/**
 * Returns the id of the newest collection that a phone opened, `null` when there is none, and `undefined` when the ledger
 * is not readable.
 */
export async function lastCollectionId(
  database: DatabaseLocation,
  dialler: Msisdn,
): Promise<string | null | undefined> {
  try {
    // A reader sees the ledger as it was when it was opened, so that each call opens a new one.
    const store = await openForReading(database);
    try {
      return (await findLastCollection(store, dialler)) ?? null;
    } finally {
      await store.close();
    }
  } catch {
    // A phone does not depend on the ledger; the ledger commands report what is wrong with it.
    return undefined;
  }
}
