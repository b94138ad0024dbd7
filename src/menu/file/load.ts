import { type FileError, sortErrors } from '../../shared/yaml.ts';
import type { LookupHandlers } from '../effects/handler.ts';
import type { Menu } from '../schema.ts';
import { checkSource } from './check-source.ts';
import { readMenu } from './read.ts';

export type LoadedMenu =
  | {
      ok: true;
      menu: Menu;
      /** Of a menu written in TypeScript. */
      handlers: LookupHandlers;
    }
  | { ok: false; errors: FileError[] };

/**
 * Reads a menu file, and what it includes or imports. Either a menu that can be walked without surprise, or all faults
 * with their files and lines. A file in TypeScript or JavaScript is run.
 */
export function loadMenu(file: string): LoadedMenu {
  const source = readMenu(file);
  if (!source.ok) return source;
  const { menu, faults, told } = checkSource(source);
  const all = [...faults, ...told.map(({ path, message }) => source.errorAt(path, message))];
  return menu && all.length === 0
    ? { ok: true, menu, handlers: source.handlers }
    : { ok: false, errors: sortErrors(all, source.files) };
}
