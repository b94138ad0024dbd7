import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { messageOf, UserError } from '../shared/errors.ts';
import { createPrivately } from './private-file.ts';

/**
 * Writes all that a database holds now into a new file, readable by its owner alone. One read transaction: writers of
 * the database go on meanwhile, in whatever process they are, and what they write is not in the copy. It is on disk, and
 * so is its name, when this returns.
 */
export function copyInto(connection: Database.Database, file: string): void {
  rmSync(file, { force: true });
  createPrivately(file);
  connection.prepare('VACUUM INTO ?').run(file);
  syncFile(file);
}

/**
 * Copies a database that a gateway may be writing, and notes in the copy when it was made.
 *
 * @throws UserError when the database cannot be read to its end, or the copy cannot be written: nothing is left then.
 */
export function copyDatabase(from: string, to: string, now: number): void {
  let source: Database.Database | undefined;
  try {
    source = new Database(from, { fileMustExist: true, timeout: 2_000 });
    copyInto(source, to);
    noteCopy(to, now);
    syncFile(to);
  } catch (cause) {
    rmSync(to, { force: true });
    throw new UserError(`cannot copy ${from}: ${messageOf(cause)}`, { cause });
  } finally {
    source?.close();
  }
}

/** A file of an older program has no place for the note. */
function noteCopy(file: string, now: number): void {
  const copy = new Database(file);
  try {
    if (hasTable(copy, 'restore')) copy.prepare('INSERT INTO restore (taken_at) VALUES (?)').run(now);
  } finally {
    copy.close();
  }
}

export function hasTable(connection: Database.Database, name: string): boolean {
  const known = connection.prepare('SELECT count(*) FROM sqlite_schema WHERE name = ?').pluck();
  return known.get(name) !== 0;
}

/** Waits until a file and its name are on disk. */
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
