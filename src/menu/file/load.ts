import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { isMap, mapOrEmpty } from '../../shared/json.ts';
import { maxTextFileBytes, readTextFile } from '../../shared/text-file.ts';
import { type FileError, readYaml, schemaErrors, sortErrors, type YamlSource } from '../../shared/yaml.ts';
import { checkMenu } from '../check/check.ts';
import type { Report } from '../check/names.ts';
import { type LookupHandlers, noHandlers } from '../effects/lookup.ts';
import { type Menu, menuSchema } from '../schema.ts';
import { isProgram, type MenuSource, type ReadMenu, readProgram } from '../typescript/read-program.ts';

/** One of the files of a menu. */
type Part = { readonly file: string; readonly source: YamlSource };

const maxFiles = 16;
const maxDepth = 4;

const including = z.object({ include: menuSchema.shape.include });
/** The keys of an included file. Their content is checked with the whole menu. */
const included = z.strictObject({
  include: z.unknown().optional(),
  messages: z.record(z.string(), z.unknown()).optional(),
  screens: z.record(z.string(), z.unknown()).optional(),
});

/** The files read so far, by their real path, and the errors of files that could not be read. */
type Reading = { readonly parts: Map<string, Part>; readonly errors: FileError[] };

/** The files from the first to the current one, each included by the one before. */
type IncludePath = readonly { readonly file: string; readonly real: string }[];

/**
 * Reads a menu with the files that it includes, and the files that those include. A file is read once, even if several
 * files include it.
 *
 * @returns errors for files that cannot be read: invalid syntax, a missing file, a circle, too many files, too deep.
 */
export function readWithIncluded(text: string, file: string): ReadMenu {
  const source = readYaml(text, file);
  if (!source.ok) return source;
  const reading: Reading = { parts: new Map(), errors: [] };
  follow(reading, { file, source }, [{ file, real: findRealPath(file) ?? file }]);
  const parts = [...reading.parts.values()];
  const files = [file, ...parts.map((part) => part.file)];
  if (reading.errors.length > 0) {
    return { ok: false, errors: sortErrors([...source.errors, ...reading.errors], files) };
  }
  return { ok: true, ...mergeParts({ file, source }, parts), files, handlers: noHandlers };
}

function follow(reading: Reading, { file, source }: Part, path: IncludePath): void {
  const parsed = including.safeParse(source.value);
  if (!parsed.success) {
    reading.errors.push(...schemaErrors(source, including));
    return;
  }
  for (const [i, name] of parsed.data.include.entries()) {
    const includedFile = isAbsolute(name) ? name : join(dirname(file), name);
    const problem = readIncluded(reading, includedFile, path);
    if (problem !== undefined) reading.errors.push(source.errorAt(['include', i], problem));
  }
}

/** Reads an included file and its own includes. Returns the problem with the include, if any. */
function readIncluded(reading: Reading, file: string, path: IncludePath): string | undefined {
  const real = findRealPath(file);
  if (real === undefined) return `expected a readable file: cannot read ${file}`;
  const circleStart = path.findIndex((one) => one.real === real);
  if (circleStart >= 0) {
    const names = [...path.slice(circleStart).map((one) => one.file), file];
    return `expected files that do not include each other in a circle: ${names.join(' > ')}`;
  }
  if (reading.parts.has(real)) return undefined;
  if (path.length > maxDepth) return `expected included files at most ${maxDepth} deep`;
  if (reading.parts.size === maxFiles) return `expected at most ${maxFiles} included files`;
  const text = readTextFile(real, 'regular');
  if (text === undefined) {
    return `expected a regular file of at most ${maxTextFileBytes / 1024} KiB: ${file} is not`;
  }
  const source = readYaml(text, file);
  if (!source.ok) {
    reading.errors.push(...source.errors);
    return undefined;
  }
  const shape = included.safeParse(source.value);
  const errors = [...source.errors, ...(shape.success ? [] : schemaErrors(source, included))];
  const part = { file, source: { ...source, errors } };
  reading.parts.set(real, part);
  follow(reading, part, [...path, { file, real }]);
  return undefined;
}

function findRealPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

/** The keys that several files of a menu can share, each with its own names. */
const sharedKeys = ['messages', 'screens'] as const;

type Owners = Map<string, Part>;

/** Merges the files of a menu. An error at a path is reported in the file that defines the path, and a name in two files is an error. */
function mergeParts(first: Part, others: readonly Part[]): YamlSource {
  const { value, errors } = first.source;
  const owners: Owners = new Map();
  const conflicts = sharedKeys.flatMap((key) => claimNames(owners, key, [first, ...others]));
  const shared = sharedKeys.flatMap((key) => {
    // An invalid value of the first file is kept, so that the schema reports it.
    if (Object.hasOwn(value, key) && !isMap(value[key])) return [];
    const entries = [first, ...others].flatMap((part) =>
      listNames(part, key).filter(([name]) => owners.get(`${key} ${name}`) === part),
    );
    return Object.hasOwn(value, key) || entries.length > 0 ? [[key, Object.fromEntries(entries)]] : [];
  });
  return {
    value: { ...value, ...Object.fromEntries(shared) },
    errors: [...errors, ...others.flatMap(({ source }) => source.errors), ...conflicts],
    errorAt(path, message) {
      const owner = owners.get(`${String(path[0])} ${String(path[1])}`) ?? first;
      return owner.source.errorAt(path, message);
    },
  };
}

/** Assigns each name to the first file that has it. Returns an error for every other file with the same name. */
function claimNames(owners: Owners, key: string, parts: readonly Part[]) {
  return parts.flatMap((part) =>
    listNames(part, key).flatMap(([name]) => {
      const owner = owners.get(`${key} ${name}`);
      if (owner === undefined) {
        owners.set(`${key} ${name}`, part);
        return [];
      }
      const { file, line } = owner.source.errorAt([key, name], '');
      return part.source.errorAt([key, name], `expected a unique name: ${file}:${line} has the same`);
    }),
  );
}

function listNames({ source }: Part, key: string): [name: string, content: unknown][] {
  return Object.entries(mapOrEmpty(source.value[key]));
}

/** Reads a menu file: YAML with the files that it includes, or a program. */
export function readMenu(file: string): ReadMenu {
  const text = readTextFile(file);
  if (text === undefined) {
    return { ok: false, errors: [{ file, line: 1, path: '', message: 'expected a readable file' }] };
  }
  return isProgram(file) ? readProgram(file) : readWithIncluded(text, file);
}

export type LoadedMenu =
  | {
      ok: true;
      menu: Menu;
      /** The handlers of a menu in TypeScript. */
      handlers: LookupHandlers;
    }
  | { ok: false; errors: FileError[] };

/**
 * Loads a menu file with the files that it includes or imports. A TypeScript or JavaScript file is run.
 *
 * @returns the checked menu, or all errors with their files and lines.
 */
export function loadMenu(file: string): LoadedMenu {
  const source = readMenu(file);
  if (!source.ok) return source;
  const { menu, errors, ruleErrors } = checkSource(source);
  const all = [...errors, ...ruleErrors.map(({ path, message }) => source.errorAt(path, message))];
  return menu && all.length === 0
    ? { ok: true, menu, handlers: source.handlers }
    : { ok: false, errors: sortErrors(all, source.files) };
}

/** A rule between parts of the menu that is not met. */
type RuleError = {
  readonly path: Parameters<Report>[0];
  readonly message: string;
  readonly kind: Parameters<Report>[2];
};

export type CheckedSource = {
  /** Absent when the source does not match the schema. */
  readonly menu?: Menu;
  /** Errors in the syntax and against the schema. */
  readonly errors: readonly FileError[];
  /** Errors against rules between parts. */
  readonly ruleErrors: readonly RuleError[];
};

/** Checks everything about a menu that needs no walk through it. */
export function checkSource(source: MenuSource): CheckedSource {
  const parsed = menuSchema.safeParse(source.value);
  const ruleErrors: RuleError[] = [];
  const report: Report = (path, message, kind) => ruleErrors.push({ path, message, kind });
  checkMenu(source.value, report);
  checkLookups(source, report);
  const errors = [...source.errors, ...(parsed.success ? [] : schemaErrors(source, menuSchema))];
  return { ...(parsed.success && { menu: parsed.data }), errors, ruleErrors };
}

/** The key of the handler in a menu in TypeScript, by the kind of the screen. */
const handlerKeys = new Map([
  ['lookup', 'find'],
  ['proxy', 'answer'],
]);

/** Every lookup and every proxy screen has either a URL or a handler. */
function checkLookups({ value, handlers }: MenuSource, report: Report): void {
  for (const [name, screen] of Object.entries(mapOrEmpty(value.screens))) {
    const key = isMap(screen) ? handlerKeys.get(String(screen.kind)) : undefined;
    if (!isMap(screen) || key === undefined) continue;
    const targets = [screen.url, handlers[name]].filter((one) => one !== undefined);
    const path = ['screens', name, 'url'];
    if (targets.length === 0) report(path, `expected a url, or ${key} in a menu written in TypeScript`);
    if (targets.length > 1) report(path, `expected one of url and ${key}, found both`);
  }
}
