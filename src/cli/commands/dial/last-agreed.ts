import { findLastAgreed } from '../../../gateway/support/collection-query.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { createSqliteReader } from '../../../sqlite/sqlite.ts';

/**
 * The id of the last collection that was agreed to on a phone, `null` when there is none, and `undefined` when the ledger
 * cannot be read from here.
 */
export async function lastAgreed(databaseFile: string, dialler: Msisdn): Promise<string | null | undefined> {
  try {
    // Anew each time: a reader sees the file as it was when it was opened.
    const store = createSqliteReader(databaseFile);
    try {
      return (await findLastAgreed(store, dialler)) ?? null;
    } finally {
      await store.close();
    }
  } catch {
    // What is wrong with a ledger is for its own commands to tell: a phone dials all the same.
    return undefined;
  }
}
