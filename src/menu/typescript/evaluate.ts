import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';
import type { FileError } from '../../shared/yaml.ts';
import * as menuModule from '../index.ts';

type Evaluated = { ok: true; value: unknown } | { ok: false; error: FileError };

/**
 * Runs a TypeScript or JavaScript program and returns its default export. The program's `dialtill/menu` is the module of
 * this gateway.
 *
 * @returns an error for anything that the program throws, with the line in the program when the stack names one.
 */
export function evaluate(file: string): Evaluated {
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
export function programError(thrown: unknown, file: string): FileError {
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
