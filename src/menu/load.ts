import { readFileSync } from 'node:fs';
import { type Fault, parseYaml } from '../shared/yaml.ts';
import { checkMenu } from './check.ts';
import { type Menu, menuSchema } from './schema.ts';

export type LoadedMenu = { ok: true; menu: Menu } | { ok: false; faults: Fault[] };

/** Reads a menu file. Either a menu that can be walked without surprise, or all its faults with their lines. */
export function loadMenu(file: string): LoadedMenu {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { ok: false, faults: [{ file, line: 1, path: '', message: 'expected a file that can be read' }] };
  }
  const parsed = parseYaml(text, menuSchema, file, checkMenu);
  return parsed.ok ? { ok: true, menu: parsed.value } : parsed;
}
