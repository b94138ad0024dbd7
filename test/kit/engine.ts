import { beforeEach, test } from 'vitest';

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

/**
 * Skips every test of a test file on PostgreSQL, where the file is about a ledger in a file.
 *
 * @param reason what the tests do with the file, or which tests state the guarantee for a server.
 */
export function allNeedFile(reason: string): void {
  beforeEach(({ skip }) => skip(engine === 'postgres', reason));
}
