import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf, messageOf, UserError } from '../shared/errors.ts';

/**
 * Creates an empty file with mode 0600, unless it exists: databases contain phone numbers and secrets. SQLite gives the
 * files beside a database the same mode.
 *
 * Does not open an existing file, because closing it would release the locks that this process has on it.
 *
 * @throws UserError when the file cannot be created.
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return;
    throw new UserError(`cannot create the database file ${file}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Replaces a small file in one step, with mode 0600: it contains secrets. After a power cut it is the old file or the new
 * one, complete.
 */
export function replacePrivately(file: string, text: string): void {
  const draft = `${file}.new`;
  const handle = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(handle, text);
    // Before the rename: a name on disk without its content would be an empty file.
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}

/**
 * Creates a folder and its parents where they are missing, with mode 0700.
 *
 * @throws UserError when it cannot be created, or a file has its name.
 */
export function createFolder(folder: string): void {
  try {
    createMissing(resolve(folder));
  } catch (cause) {
    throw new UserError(`cannot create the folder ${folder}: ${messageOf(cause)}`, { cause });
  }
}

/** Creates one level at a time: Node's `recursive` option loops forever in a file system without folders to create (`/proc`). */
function createMissing(folder: string): void {
  if (isFolder(folder)) return;
  createMissing(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (fault) {
    if (codeOf(fault) !== 'EEXIST' || !isFolder(folder)) throw fault;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
