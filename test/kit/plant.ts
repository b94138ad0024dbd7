import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** A bug: one place of the program with a wrong replacement. */
export type PlantedBug = {
  name: string;
  file: string;
  /** The original text, which occurs exactly once in the file. */
  find: string;
  replace: string;
};

/** What a copy of the project does not need. */
const notCopied = ['dist', '.git'];

/** Copies the project to a temporary folder. Its dependencies are links. */
export function copyProject(root: string): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-planted-'));
  const copyOrLink = (source: string, target: string) => {
    if (basename(source) !== 'node_modules') return true;
    symlinkSync(source, target);
    return false;
  };
  const parts = readdirSync(root).filter((part) => !notCopied.includes(part));
  for (const part of parts)
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: copyOrLink });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Replaces the original text in a copy of the project by the bug. Returns a function that restores the file.
 *
 * @throws Error unless the original text occurs exactly once.
 */
export function plant({ name, file, find, replace }: PlantedBug, folder: string): () => void {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const matches = text.split(find).length - 1;
  if (matches !== 1) throw new Error(`${name}: expected one match in ${file}, found ${matches}`);
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  return () => writeFileSync(path, text);
}
