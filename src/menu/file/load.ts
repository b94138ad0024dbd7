import { type FileError, sortErrors } from '../../shared/yaml.ts';
import type { LookupHandlers } from '../effects/handler.ts';
import type { Menu } from '../schema.ts';
import { checkSource } from './check-source.ts';
import { readMenu } from './read.ts';

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
