import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';
import { isMap } from '../../shared/json.ts';
import { type FileError, formatPath, getKind, type YamlSource } from '../../shared/yaml.ts';
import { type LookupHandler, type LookupHandlers, toHandlers } from '../effects/lookup.ts';
import * as menuModule from '../index.ts';

/** A menu as read from its files, unchecked. */
export type MenuSource = YamlSource & {
  /** In the order in which their errors are reported. */
  readonly files: readonly string[];
  readonly handlers: LookupHandlers;
};

export type ReadMenu = ({ ok: true } & MenuSource) | { ok: false; errors: FileError[] };

const extensions = ['.ts', '.mts', '.js', '.mjs'];

export function isProgram(file: string): boolean {
  return extensions.includes(extname(file));
}

/** Runs a menu program and reads the menu that it exports: its data, and the handlers of its lookups. */
export function readProgram(file: string): ReadMenu {
  const ran = evaluate(file);
  if (!ran.ok) return { ok: false, errors: [ran.error] };
  let menu: ReturnType<typeof copyMenu>;
  try {
    menu = copyMenu(ran.value);
  } catch (thrown) {
    return { ok: false, errors: [programError(thrown, file)] };
  }
  const { value, unsupported, handlers } = menu;
  // The line of the program that created a part of the menu is not known.
  const errorAt = (path: readonly PropertyKey[], message: string) => {
    return { file, line: 1, path: formatPath(path), message };
  };
  if (unsupported.length > 0) {
    const expected = 'expected a text, a number, true or false, a list or a map';
    return { ok: false, errors: unsupported.map((path) => errorAt(path, expected)) };
  }
  if (!isMap(value)) return { ok: false, errors: [errorAt([], `expected a map, found ${getKind(value)}`)] };
  const errors =
    value.include !== undefined ? [errorAt(['include'], 'expected no include in a program; use import')] : [];
  return { ok: true, value, errors, errorAt, files: [file], handlers: toHandlers(handlers) };
}

function copyMenu(exported: unknown) {
  const { rest, handlers } = takeHandlers(exported);
  return { ...plainData(rest), handlers };
}

/** Separates the functions of lookups and proxy screens, `find` and `answer`, from the menu. */
function takeHandlers(menu: unknown): { rest: unknown; handlers: [string, LookupHandler][] } {
  const handlers: [string, LookupHandler][] = [];
  if (!isMap(menu) || !isMap(menu.screens)) return { rest: menu, handlers };
  const screens = Object.entries(menu.screens).map(([name, screen]) => {
    if (!isMap(screen)) return [name, screen];
    const { find, answer, ...rest } = screen;
    if (screen.kind === 'lookup' && isHandler(find)) {
      handlers.push([name, find]);
      return [name, answer === undefined ? rest : { ...rest, answer }];
    }
    if (screen.kind !== 'proxy' || !isHandler(answer)) return [name, screen];
    handlers.push([name, answer]);
    return [name, find === undefined ? rest : { ...rest, find }];
  });
  return { rest: { ...menu, screens: Object.fromEntries(screens) }, handlers };
}

function isHandler(value: unknown): value is LookupHandler {
  return typeof value === 'function';
}

const maxDepth = 32;
const maxParts = 100_000;

type Path = readonly (string | number)[];

/**
 * Copies a program's value as plain data: texts, numbers, booleans, lists and maps. Keys without a value are left out.
 * `unsupported` has the paths of all other values, which are left out too.
 */
function plainData(root: unknown): { value: unknown; unsupported: Path[] } {
  const unsupported: Path[] = [];
  let parts = 0;

  function copy(part: unknown, path: Path): unknown {
    parts += 1;
    if (typeof part === 'string' || typeof part === 'boolean' || Number.isFinite(part)) return part;
    const isSmall = path.length < maxDepth && parts <= maxParts;
    if (isSmall && Array.isArray(part)) return part.map((item, i) => copy(item, [...path, i]));
    if (isSmall && isPlainMap(part)) {
      const entries = Object.entries(part).filter(([, item]) => item !== undefined);
      return Object.fromEntries(entries.map(([key, item]) => [key, copy(item, [...path, key])]));
    }
    unsupported.push(path);
    return undefined;
  }

  return { value: copy(root, []), unsupported };
}

function isPlainMap(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

type Evaluated = { ok: true; value: unknown } | { ok: false; error: FileError };

/**
 * Runs a TypeScript or JavaScript program and returns its default export. The program's `dialtill/menu` is the module of
 * this gateway.
 *
 * @returns an error for anything that the program throws, with the line in the program when the stack names one.
 */
function evaluate(file: string): Evaluated {
  const path = resolve(file);
  // Without caches, so that the file on disk is run.
  const run = createJiti(import.meta.url, {
    fsCache: false,
    moduleCache: false,
    virtualModules: { 'dialtill/menu': menuModule },
  });
  let value: unknown;
  try {
    value = getDefault(run(path));
  } catch (thrown) {
    return { ok: false, error: programError(thrown, file) };
  }
  if (value === undefined || value instanceof Promise) {
    const found = value === undefined ? 'none' : 'a promise';
    const message = `expected a default export, such as defineMenu({ ... }), found ${found}`;
    return { ok: false, error: { file, line: 1, path: '', message } };
  }
  return { ok: true, value };
}

/** The error of a program that has thrown, also when its menu is read: a getter is code of the program. */
function programError(thrown: unknown, file: string): FileError {
  const message = `expected a program that runs without an error: ${getErrorText(thrown)}`;
  return { ...getLocation(thrown, file), path: '', message };
}

/** The default export. For a module without one, the loader returns the whole module. */
function getDefault(exported: unknown): unknown {
  if (typeof exported !== 'object' || exported === null) return exported;
  if ('__esModule' in exported || Object.hasOwn(exported, 'default')) {
    return Object.hasOwn(exported, 'default') && 'default' in exported ? exported.default : undefined;
  }
  return exported;
}

function getErrorText(thrown: unknown): string {
  const [first = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split(
    '\n',
  );
  return first.replace(/^Error: /, '').trim();
}

/** Stack frames in the gateway's own files are skipped: the merchant cannot correct them. */
const gatewayFiles = fileURLToPath(new URL('../..', import.meta.url));

/** The innermost location in the program or its imports that the stack names. */
function getLocation(thrown: unknown, file: string): { file: string; line: number } {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  for (const text of stack.split('\n')) {
    const [, path, line] = /^\s*(?:at (?:.* \()?)?(?:file:\/\/)?(\/.*?):(\d+)(?::\d+)?\)?$/.exec(text) ?? [];
    if (path === undefined || path.startsWith(gatewayFiles) || path.includes(`${sep}node_modules${sep}`))
      continue;
    const shown = path === resolve(file) ? file : join(dirname(file), relative(dirname(resolve(file)), path));
    return { file: shown, line: Number(line) };
  }
  return { file, line: 1 };
}
