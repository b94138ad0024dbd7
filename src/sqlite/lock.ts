import Database from 'better-sqlite3';
import { UserError } from '../shared/errors.ts';
import { createPrivately } from './private-file.ts';

/**
 * Takes the one right to write a database file, and returns the function that gives it back.
 *
 * The lock is an exclusive SQLite lock on a small file beside the database, which the operating system drops
 * when the process ends, however it ends: there is no stale lock to clean up after a crash. The database itself
 * stays readable for `dialtill ledger`.
 *
 * @throws UserError when another process holds it, or the small file cannot be made.
 */
export function lockDatabase(file: string): () => void {
  createPrivately(`${file}.lock`);
  const lock = new Database(`${file}.lock`, { timeout: 0 });
  try {
    lock.pragma('journal_mode = DELETE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    throw new UserError(
      `${file} is in use by another dialtill process. Stop that one first, or give this one another database file.`,
      { cause },
    );
  }
  return () => lock.close();
}
