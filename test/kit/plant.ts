import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** A bug: one place of the program with a wrong replacement. */
export type PlantedBug = {
  name: string;
  /** Only where the original text occurs in several files of `src`. Other bugs follow their text when it moves. */
  file?: string;
  /** The original text, which occurs exactly once. */
  find: string;
  replace: string;
};

/**
 * The changes of bugs by their names, each as `git diff --word-diff` prints it: `[-removed-]`, `{+added+}`, and around
 * them the text that makes the place unique. With a `file` before it, see `PlantedBug`.
 */
export type Changes = Readonly<Record<string, string | readonly [file: string, change: string]>>;

/** Returns the bugs of a table of changes. */
export function bugsIn(changes: Changes): PlantedBug[] {
  const marked = /\[-(.*?)-\]|\{\+(.*?)\+\}/gs;
  return Object.entries(changes).map(([name, value]) => {
    const [change, file] = typeof value === 'string' ? [value] : [value[1], value[0]];
    return {
      ...{ name, ...(file && { file }) },
      find: change.replaceAll(marked, (_, removed = '') => removed),
      replace: change.replaceAll(marked, (_, _removed, added = '') => added),
    };
  });
}

/** A planted bug with the rule or invariant that it breaks. */
export type RuleBug = PlantedBug & { rule: string };

/** Returns the bugs of a table of changes by the rule that they break. */
export function bugsByRule(rules: Readonly<Record<string, Changes>>): RuleBug[] {
  return Object.entries(rules).flatMap(([rule, changes]) => bugsIn(changes).map((bug) => ({ ...bug, rule })));
}

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

/** Reads the files of `src`, by their names from the root of a project. */
export function readSources(root: string): ReadonlyMap<string, string> {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.tsx?$/.test(name)).map((name) => join('src', name));
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/**
 * Returns the file in which the original text of a bug occurs.
 *
 * @throws Error unless it occurs exactly once.
 */
export function locateBug({ name, file, find }: PlantedBug, sources: ReadonlyMap<string, string>): string {
  const found = [...sources].flatMap(([one, text]) =>
    file === undefined || one === file ? Array.from(text.split(find).slice(1), () => one) : [],
  );
  const [place] = found;
  if (place !== undefined && found.length === 1) return place;
  throw new Error(
    `${name}: expected one match in ${file ?? 'src'}, found ${found.length}: ${found.join(', ')}`,
  );
}

/**
 * Replaces the original text in a copy of the project by the bug. Returns a function that restores the file.
 *
 * @throws Error unless the original text occurs exactly once.
 */
export function plant(bug: PlantedBug, folder: string): () => void {
  const path = join(folder, locateBug(bug, readSources(folder)));
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(bug.find, () => bug.replace),
  );
  return () => writeFileSync(path, text);
}
