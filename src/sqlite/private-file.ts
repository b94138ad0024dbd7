import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf, messageOf, UserError } from '../shared/errors.ts';

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

/**
 * Replaces a small file in one step, readable by its owner alone: it holds secrets. Also after a power cut it is the old
 * file or the new one, whole.
 */
export function replacePrivately(file: string, text: string): void {
  const draft = `${file}.new`;
  const handle = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(handle, text);
    // A name that is on disk before its text is would be that of an empty file.
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}

/**
 * Makes sure that a folder is there, and those above it. New ones are their owner's alone.
 *
 * @throws UserError when it cannot be made, or a file is in the way.
 */
export function createFolder(folder: string): void {
  try {
    make(resolve(folder));
  } catch (cause) {
    throw new UserError(`cannot make the folder ${folder}: ${messageOf(cause)}`, { cause });
  }
}

/** Step by step: Node's own recursive way never ends where the system says that nothing can be made (`/proc`). */
function make(folder: string): void {
  if (isFolder(folder)) return;
  make(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (fault) {
    if (codeOf(fault) !== 'EEXIST' || !isFolder(folder)) throw fault;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
