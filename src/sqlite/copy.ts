import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage, UserError } from '../shared/errors.ts';
import { Database } from './driver.ts';
import { createPrivately } from './private-file.ts';
import { requireDatabaseFile } from './require-database-file.ts';
import { syncWhile } from './sync-while.ts';

/**
 * Copies a database into a new file that only its owner can read. The copy is one read transaction: other connections
 * may write meanwhile, and their writes are not in it. The file and its name are on disk when this returns.
 */
export function copyInto(connection: Database, file: string): void {
  rmSync(file, { force: true });
  createPrivately(file);
  connection.prepare('VACUUM INTO ?').run(file);
  syncFile(file);
}

/**
 * Copies a ledger that a gateway may be writing, and records in the copy when it was made.
 *
 * @throws UserError when the ledger cannot be read or the copy cannot be written. No file remains then.
 */
export function copyDatabase(from: string, to: string, now: number): void {
  requireDatabaseFile(from);
  let source: Database | undefined;
  try {
    const connection = new Database(from, { fileMustExist: true, timeout: 2_000 });
    source = connection;
    syncWhile(to, () => copyInto(connection, to));
    recordCopyTime(to, now);
    syncFile(to);
  } catch (cause) {
    rmSync(to, { force: true });
    throw new UserError(`cannot copy ${from}: ${errorMessage(cause)}`, { cause });
  } finally {
    source?.close();
  }
}

/** Records when a copy was made. Does nothing in a file without the table `restore`, which is not a ledger. */
export function recordCopyTime(file: string, now: number): void {
  const copy = new Database(file);
  try {
    if (hasTable(copy, 'restore')) copy.prepare('INSERT INTO restore (taken_at) VALUES (?)').run(now);
  } finally {
    copy.close();
  }
}

/** Returns whether a database has a table, index or trigger of this name. */
export function hasTable(connection: Database, name: string): boolean {
  const count = connection.prepare('SELECT count(*) FROM sqlite_schema WHERE name = ?').pluck();
  return count.get(name) !== 0;
}

/** Writes a file and its directory entry to the disk. */
export function syncFile(file: string): void {
  for (const path of [file, dirname(file)]) {
    const handle = openSync(path, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }
}
