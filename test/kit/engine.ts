import { test } from 'vitest';

/** The engine of the gateways' ledgers in this run. */
export const engine = process.env.DIALTILL_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';

/**
 * Returns `test` for a guarantee about a ledger in a file, in a file of tests that both engines play otherwise.
 *
 * @param _reason what the test does with the file.
 */
export function needsFile(_reason: string) {
  return test.skipIf(engine === 'postgres');
}
