import { type FileError, schemaErrors } from '../../shared/yaml.ts';
import { checkMenu } from '../check/check.ts';
import type { Report } from '../check/draft.ts';
import { type Menu, menuSchema } from '../schema.ts';
import { isMap, type MenuSource } from './source.ts';

type Told = { readonly path: readonly (string | number)[]; readonly message: string };

export type CheckedSource = {
  /** Absent when the source has not the shape of a menu. */
  readonly menu?: Menu;
  /** What is wrong with the notation and the shape. */
  readonly faults: readonly FileError[];
  /** What its parts say wrongly about each other. */
  readonly told: readonly Told[];
};

/** Checks all that can be said of a menu without walking it. */
export function checkSource(source: MenuSource): CheckedSource {
  const parsed = menuSchema.safeParse(source.value);
  const told: Told[] = [];
  const report: Report = (path, message) => told.push({ path, message });
  checkMenu(source.value, report);
  checkAnswerers(source, report);
  const faults = [...source.errors, ...(parsed.success ? [] : schemaErrors(source, parsed.error))];
  return { ...(parsed.success && { menu: parsed.data }), faults, told };
}

/** Every look-up has one who answers it. */
function checkAnswerers({ value, handlers }: MenuSource, report: Report): void {
  const screens = isMap(value) && isMap(value.screens) ? value.screens : {};
  for (const [name, screen] of Object.entries(screens)) {
    if (!isMap(screen) || screen.kind !== 'lookup') continue;
    const answerers = [screen.url, handlers[name]].filter((one) => one !== undefined);
    const path = ['screens', name, 'url'];
    if (answerers.length === 0) report(path, 'expected a url, or find in a menu written in TypeScript');
    if (answerers.length > 1) report(path, 'expected one of url and find, found both');
  }
}
