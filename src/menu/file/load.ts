import { isMap, mapOrEmpty } from '../../shared/json.ts';
import { type FileError, schemaErrors, sortErrors } from '../../shared/yaml.ts';
import { checkMenu } from '../check/check.ts';
import type { Report } from '../check/draft.ts';
import type { LookupHandlers } from '../effects/handler.ts';
import { type Menu, menuSchema } from '../schema.ts';
import { readMenu } from './read.ts';
import type { MenuSource } from './source.ts';

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
  const errors = [...source.errors, ...(parsed.success ? [] : schemaErrors(source, parsed.error))];
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
