import { UserError } from '../shared/errors.ts';
import { Database } from './driver.ts';
import { toFileError, toStoreFault } from './fault.ts';
import { ensurePrivate } from './private-file.ts';

/**
 * Locks a database file for writing by this process.
 *
 * The lock is an exclusive SQLite lock on a small file beside the database. The operating system releases it when the
 * process ends, also in a crash, so no stale lock remains. Other processes can still read the database.
 *
 * @returns the function that releases the lock.
 * @throws UserError when another process has the lock, or the small file cannot be created.
 */
export function lockDatabase(file: string): () => void {
  ensurePrivate(`${file}.lock`);
  let lock: Database | undefined;
  try {
    lock = new Database(`${file}.lock`, { timeout: 0 });
    lock.pragma('journal_mode = DELETE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    if (toStoreFault(cause).kind !== 'busy') throw toFileError(`${file}.lock`, cause) ?? cause;
    throw new UserError(
      `${file} is in use by another dialtill process. Stop that process, or use another database file.`,
      { cause },
    );
  }
  return () => void lock?.close();
}
