import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSeed } from '../../test/seed/create-seed.ts';
import { multiply } from '../scale/multiply.ts';
import { seal } from '../scale/seal.ts';

/** Two thousand payments a day of a ledger of 200,000: the pages of a day have a full one. */
const perDay = 2_000;

/**
 * Builds a ledger that ends now, so that the pages of today have payments.
 *
 * @param folder one with a ledger of an earlier run keeps it.
 * @returns the file of the ledger.
 */
export async function buildLedger(folder: string, collections: number): Promise<string> {
  const ledger = join(folder, 'ledger');
  const database = join(ledger, 'gateway.db');
  if (existsSync(database)) return database;
  await createSeed(ledger, Date.now());
  multiply(database, collections, Math.max(1, collections / perDay));
  await seal(database);
  return database;
}
