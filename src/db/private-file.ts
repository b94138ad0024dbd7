import { closeSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { messageOf, UserError } from '../shared/errors.ts';

/**
 * Creates an empty file that its owner alone can read and write, unless it exists: databases hold phone numbers and
 * secrets. SQLite gives the files that it puts beside a database the same mode.
 *
 * An existing file is not even opened: closing it would drop the locks that this process holds on it.
 *
 * @throws UserError when the file cannot be made.
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return;
    throw new UserError(`cannot create the database file ${file}: ${messageOf(cause)}`, { cause });
  }
}

/** Replaces a small file in one step, readable by its owner alone: it holds secrets. */
export function replacePrivately(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}
