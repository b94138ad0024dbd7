import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { registerMenu } from '../../src/cli/commands/menu/menu.ts';
import type { Menu, Text } from '../../src/menu/schema.ts';
import { placeholdersOf } from '../../src/menu/text/render.ts';
import { runCommand } from '../kit/command.ts';
import { menuIn } from './support.ts';

/* The menus that ship, for merchants to take as they are. */

const menus = readdirSync('fixtures/menus')
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => `fixtures/menus/${name}`);

/** Runs `dialtill menu check`, as `npm run check:menus` does. */
const check = (file: string, ...options: string[]) =>
  runCommand(['menu', 'check', file, ...options], (program, streams) => {
    const loadConfig = () => {
      throw new Error('no configuration is read');
    };
    registerMenu(program, { ...streams, loadConfig, noColor: false });
  });

test.each(menus)('every way through %s can be walked on every aggregator', async (file) => {
  const { out, err, code } = await check(file);
  expect({ out, err, code }).toEqual({ out: expect.stringMatching(/^ok /), err: '', code: 0 });
});

test('the menu of a market asks for four inputs at most before it takes the money, the language among them', async () => {
  expect(await check('fixtures/menus/market-till.yaml', '--max-inputs', '4')).toMatchObject({ code: 0 });
});

const examples = menus.filter((file) => !/(shop|tickets)\.yaml$/.test(file));

describe.each(examples)('%s', (file) => {
  const menu = menuIn(file);

  test('tells the fee and the total before the yes, in every language', () => {
    const said = sayings(menu, 'confirm');
    expect(said.length).toBeGreaterThan(0);
    for (const names of said) expect(names).toEqual(expect.arrayContaining(['amount', 'fee', 'total']));
  });

  test('tells the short reference and how to approve by hand once the payer has agreed', () => {
    const said = sayings(menu, 'agreed');
    expect(said.length).toBeGreaterThan(0);
    for (const names of said) expect(names).toEqual(expect.arrayContaining(['approvals', 'short_reference']));
  });

  test('tells attendants whether it has been paid, and nobody else', () => {
    const asking = Object.entries(menu.screens).flatMap(([name, { kind }]) =>
      kind === 'status' ? name : [],
    );
    const leading = Object.values(menu.screens).flatMap((screen) =>
      screen.kind === 'choose'
        ? screen.options.filter(({ to }) => typeof to === 'string' && asking.includes(to))
        : [],
    );
    expect(leading.map(({ when }) => when)).toEqual([{ dialler: 'attendant' }]);
  });
});

/** The placeholders of the texts of all confirm screens, or of the screens behind them, one list for each language. */
function sayings(menu: Menu, which: 'confirm' | 'agreed'): string[][] {
  return Object.values(menu.screens).flatMap((screen) => {
    if (screen.kind !== 'confirm') return [];
    const behind = menu.screens[screen.to];
    if (which === 'confirm') return inAll(screen.text);
    return behind?.kind === 'end' ? inAll(behind.text) : [];
  });
}

function inAll(text: Text): string[][] {
  return (typeof text === 'string' ? [text] : Object.values(text)).map(placeholdersOf);
}
