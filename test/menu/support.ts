import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type LoadedMenu, loadMenu } from '../../src/menu/file/load.ts';
import type { Menu } from '../../src/menu/schema.ts';
import { startMenu } from '../../src/menu/state/start-menu.ts';
import type { MenuContext, Step } from '../../src/menu/state/state.ts';
import { step } from '../../src/menu/state/step.ts';
import { perOperator } from '../../src/shared/msisdn.ts';
import { formatFileErrors } from '../../src/shared/yaml.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { msisdnOf } from '../kit/msisdn.ts';

export const context: MenuContext = {
  merchant: 'Demo Shop',
  dialler: msisdnOf('0244123456'),
  operator: 'mtn',
  sequenced: true,
  limit: 160,
  alphabet: 'gsm',
  now: Date.parse('2026-03-06T10:00:00Z'),
  localTime: '2026-03-06T10:00',
  shortReference: () => '48217369',
  isAttendant: false,
  blocksRequests: false,
  networks: perOperator((operator) => operator),
  approvals: perOperator((operator) =>
    operator === 'mtn' ? 'Dial *170#, Wallet, My Approvals' : 'Dial *110#, approvals',
  ),
};

/** Loads a menu. @throws Error when it is invalid. */
export function menuIn(file: string): Menu {
  const loaded = loadMenu(file);
  if (!loaded.ok) throw new Error(formatFileErrors(loaded.errors));
  return loaded.menu;
}

export function loadText(text: string): LoadedMenu {
  const file = join(temporaryFolder(), 'menu.yaml');
  writeFileSync(file, text);
  return loadMenu(file);
}

/** Returns the first step of the menu in its default language. */
export function start(menu: Menu, context: MenuContext): Step {
  return startMenu(menu, menu.languages[0], context);
}

/** Types the inputs one after another, starting at the first screen. */
export function walk(menu: Menu, inputs: readonly string[], from: MenuContext = context): Step {
  return inputs.reduce((at, input) => step(menu, at.state, input, from), start(menu, from));
}

/** Writes files by their names into a new folder. Returns the folder. */
export function writeFiles(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Returns file, line, path and message of every error of a menu in a folder. */
export function errorsIn(folder: string, name = 'menu.yaml'): string[] {
  const loaded = loadMenu(join(folder, name));
  return loaded.ok
    ? []
    : formatFileErrors(loaded.errors)
        .replaceAll(`${folder}/`, '')
        .replaceAll(/^(\S+:\d+):\d+/gm, '$1')
        .split('\n');
}
