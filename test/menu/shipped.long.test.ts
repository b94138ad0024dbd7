import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { registerMenu } from '../../src/cli/commands/menu/menu.ts';
import type { Menu, Text } from '../../src/menu/schema.ts';
import { listPlaceholders } from '../../src/menu/text/render.ts';
import { runCommand } from '../kit/command.ts';
import { menuIn } from './support.ts';

/* The included menus, which merchants can use unchanged. */

const menus = readdirSync('fixtures/menus')
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => `fixtures/menus/${name}`);

/** Runs `dialtill menu check`, as `npm run check:menus` does. */
const check = (file: string, ...options: string[]) =>
  runCommand(['menu', 'check', file, ...options], (program, streams) => {
    const loadConfig = () => {
      throw new Error('no configuration is read');
    };
    registerMenu(program, {
      ...streams,
      loadWithoutSecrets: loadConfig,
      clock: { now: () => Date.parse('2026-03-06T09:00:00Z') },
    });
  });

test.each(menus)('every route through %s works on every aggregator', async (file) => {
  const { out, err, code } = await check(file);
  expect({ out, err, code }).toEqual({ out: expect.stringMatching(/^ok /), err: '', code: 0 });
});

test('the market menu needs at most four inputs before the payment, including the language', async () => {
  expect(await check('fixtures/menus/market-till.yaml', '--max-inputs', '4')).toMatchObject({ code: 0 });
});

const examples = menus.filter((file) => !/(shop|tickets)\.yaml$/.test(file));

describe.each(examples)('%s', (file) => {
  const menu = menuIn(file);

  test('shows the fee and the total on the confirm screen in every language', () => {
    const shown = placeholdersOn(menu, 'confirm');
    expect(shown.length).toBeGreaterThan(0);
    for (const names of shown) expect(names).toEqual(expect.arrayContaining(['amount', 'fee', 'total']));
  });

  test('shows the short reference and the instructions for approval after the confirmation', () => {
    const shown = placeholdersOn(menu, 'confirmed');
    expect(shown.length).toBeGreaterThan(0);
    for (const names of shown)
      expect(names).toEqual(expect.arrayContaining(['approvals', 'short_reference']));
  });

  test('shows the payment status to attendants only', () => {
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

/** Returns the placeholders of all confirm screens, or of the screens after them, in one list for each language. */
function placeholdersOn(menu: Menu, which: 'confirm' | 'confirmed'): (readonly string[])[] {
  return Object.values(menu.screens).flatMap((screen) => {
    if (screen.kind !== 'confirm') return [];
    const behind = menu.screens[screen.to];
    if (which === 'confirm') return inAll(screen.text);
    return behind?.kind === 'end' ? inAll(behind.text) : [];
  });
}

function inAll(text: Text): (readonly string[])[] {
  return (typeof text === 'string' ? [text] : Object.values(text)).map(listPlaceholders);
}
