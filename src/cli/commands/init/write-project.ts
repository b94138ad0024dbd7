import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../../../shared/errors.ts';
import {
  createFolder,
  createPrivately,
  readPrivately,
  replacePrivately,
} from '../../../sqlite/private-file.ts';
import type { ProjectFile } from './project-files.ts';

const ignored = ['.env', 'data/'];

/**
 * Checks that a project can be created in a folder.
 *
 * @throws UserError when one of its files exists: nothing is overwritten.
 */
export function checkFree(folder: string, names: readonly string[]): void {
  const existing = names.filter((name) => existsSync(join(folder, name)));
  if (existing.length === 0) return;
  throw new UserError(
    `${folder} already has ${existing.join(', ')}. Nothing was changed. Choose another folder: dialtill init <folder>`,
  );
}

/**
 * Writes the files of a project, private ones with mode 0600, and names the private ones in .gitignore.
 *
 * @throws UserError when a file cannot be written.
 */
export function writeProject(folder: string, files: readonly ProjectFile[]): void {
  createFolder(folder);
  for (const { name, text, isPrivate } of files) {
    const file = join(folder, name);
    if (isPrivate) {
      createPrivately(file);
      replacePrivately(file, text);
    } else writeNew(file, text);
  }
  ignoreInGit(join(folder, '.gitignore'));
}

/** Adds lines to a private file of a project. */
export function extendPrivately(folder: string, name: string, text: string): void {
  const file = join(folder, name);
  replacePrivately(file, readPrivately(file) + text);
}

function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (cause) {
    throw new UserError(`cannot create the file ${file}: ${messageOf(cause)}`, { cause });
  }
}

function ignoreInGit(file: string): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const missing = ignored.filter((entry) => !lines.includes(entry));
  if (missing.length === 0) return;
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  writeFileSync(file, `${before}${missing.join('\n')}\n`);
}
