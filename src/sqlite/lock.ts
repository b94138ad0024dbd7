import { type Stats, statSync } from 'node:fs';
import { errorMessage, UserError } from '../shared/errors.ts';
import { Database, toFileError, toStoreFault } from './driver.ts';
import { ensurePrivate } from './private-file.ts';

/**
 * Rejects a path that cannot be an existing database, before SQLite reports "unable to open database file" for each of them.
 *
 * @throws UserError when there is no such file, or it is a folder or a device.
 */
export function requireDatabaseFile(file: string): void {
  const found = readStats(file);
  if (found === undefined)
    throw new UserError(
      `there is no database ${file}. Check the path; a gateway has none before its first start.`,
    );
  if (found.isFile()) return;
  throw new UserError(
    `${file} is ${found.isDirectory() ? 'a folder' : 'no file'}. Name the file of a database.`,
  );
}

function readStats(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (cause) {
    throw new UserError(`cannot open the database ${file}: ${errorMessage(cause)}`, { cause });
  }
}

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
