/* No library: writers of atomic files follow links, and give a file its mode only after it exists. */

import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, errorMessage, UserError } from '../shared/errors.ts';

/** Receives each file whose mode allowed other users to read or write it, after the mode was set to 0600. */
export type OnExposed = (file: string) => void;

/**
 * Creates an empty file with mode 0600: databases contain phone numbers and secrets. SQLite gives the files beside a
 * database the same mode. A symbolic link is never followed.
 *
 * @throws UserError when the path exists or the file cannot be created.
 */
export function createPrivately(file: string): void {
  try {
    // Exclusive creation fails on a symbolic link.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (cause) {
    throw new UserError(`cannot create the file ${file}: ${errorMessage(cause)}`, { cause });
  }
}

/**
 * Creates a file like `createPrivately`, or makes an existing one private.
 *
 * Does not open an existing file, because closing it would release the locks that this process has on it.
 *
 * @throws UserError as `createPrivately` and `makePrivate` do.
 */
export function ensurePrivate(file: string, onExposed?: OnExposed): void {
  try {
    createPrivately(file);
    giveToGateway(file);
  } catch (fault) {
    if (errorCode(fault) !== 'EEXIST') throw fault;
    makePrivate(file, onExposed);
  }
}

/**
 * Removes the permissions of other users from a file, if it exists.
 *
 * @throws UserError when the path is a symbolic link or no regular file, or when the mode cannot be corrected because the
 *   file belongs to another user.
 */
function makePrivate(file: string, onExposed: OnExposed = () => {}): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return;
  if (found.isSymbolicLink())
    throw new UserError(
      `${file} is a symbolic link, which another user could have placed there. Remove it, or configure the path that it points to.`,
    );
  if (!found.isFile()) throw new UserError(`${file}: expected a file`);
  if ((found.mode & 0o077) === 0 || process.getuid === undefined) return;
  if (found.uid !== process.getuid())
    throw new UserError(
      `other users can access ${file} (mode ${(found.mode & 0o777).toString(8)}), and it belongs to another user. Change its owner to the user of dialtill, and its mode to 600.`,
    );
  chmodSync(file, 0o600);
  onExposed(file);
}

/** The files that SQLite and the lock write beside a database. */
const writtenParts = ['-wal', '-shm', '-journal', '.lock', '.lock-journal'];

/**
 * Makes the files beside a database private: its parts, its watermark, and its earlier copies.
 *
 * @throws UserError for a part that cannot be made private. Earlier copies are not written, so they only are skipped.
 */
export function makeSiblingsPrivate(database: string, onExposed?: OnExposed): void {
  for (const part of writtenParts) makePrivate(database + part, onExposed);
  const name = basename(database);
  for (const other of readdirSync(dirname(database))) {
    if (other.startsWith(`${name}.`)) makePrivateIfOwned(join(dirname(database), other), onExposed);
  }
}

/** Makes a file private that this process does not write. Does nothing when that is not possible. */
export function makePrivateIfOwned(file: string, onExposed?: OnExposed): void {
  try {
    makePrivate(file, onExposed);
  } catch (fault) {
    if (!(fault instanceof UserError)) throw fault;
  }
}

/**
 * Replaces a small file in one step, with mode 0600: it contains secrets. After a power cut it is the old file or the new
 * one, complete. A symbolic link in the place of the file or of its draft is replaced and never followed.
 *
 * @throws UserError when it cannot be written, such as to a full disk.
 */
export function replacePrivately(file: string, text: string): void {
  const draft = `${file}.new`;
  try {
    // A crash may have left a draft. Removing a link does not touch its target.
    rmSync(draft, { force: true });
    writeDraft(draft, text);
    giveToGateway(draft);
    renameSync(draft, file);
  } catch (cause) {
    throw new UserError(`cannot write ${file}: ${errorMessage(cause)}`, { cause });
  }
}

function writeDraft(draft: string, text: string): void {
  const handle = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(handle, text);
    // Before the rename: a name on disk without its content would be an empty file.
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Gives a file to the owner of its folder, when root has written it: root runs commands such as a restore for the user of the
 * gateway, who must be able to open the file afterwards. The file is not opened, because closing it would release locks, and a
 * symbolic link is not followed. Does nothing where root may not do so, as in some containers.
 */
export function giveToGateway(file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  if (lstatSync(file).uid === uid) return;
  try {
    lchownSync(file, uid, gid);
  } catch (fault) {
    if (errorCode(fault) !== 'EPERM' && errorCode(fault) !== 'EINVAL') throw fault;
  }
}

const maxSmallFileBytes = 64 * 1024;

/**
 * Reads a small file that `replacePrivately` wrote.
 *
 * @throws Error when it cannot be read, is too large, or is no regular file, such as a symbolic link.
 */
export function readPrivately(file: string): string {
  return readSmall(file, () => true);
}

/**
 * As `readPrivately`, for a file whose content is trusted: only this user, root or the owner of its folder can have written it.
 *
 * @throws Error as `readPrivately` does, and when another user can have written it.
 */
export function readTrusted(file: string): string {
  const trusted = [process.getuid?.(), 0, statSync(dirname(file)).uid];
  const onWindows = process.getuid === undefined;
  return readSmall(file, ({ uid, mode }) => onWindows || (trusted.includes(uid) && (mode & 0o022) === 0));
}

function readSmall(file: string, isTrusted: (found: Stats) => boolean): string {
  // Non-blocking, because the opening of a named pipe would wait for a writer.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(handle);
    if (!found.isFile() || found.size > maxSmallFileBytes)
      throw new Error(`${file}: expected a file of at most ${maxSmallFileBytes} bytes`);
    if (!isTrusted(found)) throw new Error(`${file}: another user can have written it`);
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
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
    throw new UserError(`cannot create the folder ${folder}: ${errorMessage(cause)}`, { cause });
  }
}

/** Creates one level at a time: Node's `recursive` option loops forever in a file system without folders to create (`/proc`). */
function createMissing(folder: string): void {
  if (isFolder(folder)) return;
  createMissing(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (fault) {
    if (errorCode(fault) !== 'EEXIST' || !isFolder(folder)) throw fault;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
