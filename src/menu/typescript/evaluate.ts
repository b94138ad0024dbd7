import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';
import type { FileError } from '../../shared/yaml.ts';
import * as menuModule from '../index.ts';

type Evaluated = { ok: true; value: unknown } | { ok: false; fault: FileError };

/**
 * Runs a program in TypeScript or JavaScript as it is on disk now, and returns its default export. What it imports as
 * `dialtill/menu` is the module of this very program.
 *
 * Fails with what it throws, at the line of its own where that is known.
 */
export function evaluate(file: string): Evaluated {
  const path = resolve(file);
  // Without caches: what is run is what is on disk.
  const run = createJiti(import.meta.url, {
    fsCache: false,
    moduleCache: false,
    virtualModules: { 'dialtill/menu': menuModule },
  });
  let exported: unknown;
  try {
    exported = run(path);
  } catch (thrown) {
    return {
      ok: false,
      fault: {
        ...placeOf(thrown, file),
        path: '',
        message: `expected a program that runs: ${wordsOf(thrown)}`,
      },
    };
  }
  const value = defaultOf(exported);
  if (value === undefined || value instanceof Promise) {
    const found = value === undefined ? 'none' : 'a promise';
    const message = `expected a default export, such as defineMenu({ ... }), found ${found}`;
    return { ok: false, fault: { file, line: 1, path: '', message } };
  }
  return { ok: true, value };
}

/** In a module without a default export, the loader would give the whole module for it. */
function defaultOf(exported: unknown): unknown {
  if (typeof exported !== 'object' || exported === null) return exported;
  if ('__esModule' in exported || Object.hasOwn(exported, 'default')) {
    return Object.hasOwn(exported, 'default') && 'default' in exported ? exported.default : undefined;
  }
  return exported;
}

function wordsOf(thrown: unknown): string {
  const [first = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split(
    '\n',
  );
  return first.replace(/^Error: /, '').trim();
}

/** This program's own files are no place where a merchant can put anything right. */
const ownFiles = fileURLToPath(new URL('../..', import.meta.url));

/** The nearest place in the program or what it imports, where the stack tells one. */
function placeOf(thrown: unknown, file: string): { file: string; line: number } {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  for (const text of stack.split('\n')) {
    const [, path, line] = /^\s*(?:at (?:.* \()?)?(?:file:\/\/)?(\/.*?):(\d+)(?::\d+)?\)?$/.exec(text) ?? [];
    if (path === undefined || path.startsWith(ownFiles) || path.includes(`${sep}node_modules${sep}`))
      continue;
    const shown = path === resolve(file) ? file : join(dirname(file), relative(dirname(resolve(file)), path));
    return { file: shown, line: Number(line) };
  }
  return { file, line: 1 };
}
