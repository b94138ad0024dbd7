import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadMenu } from '../../src/menu/file/load.ts';
import { cedis, pesewas } from '../../src/menu/index.ts';
import { formatFileErrors } from '../../src/shared/yaml.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { errorsIn, menuIn, writeFiles } from './support.ts';

const good = `import { confirm, defineMenu, choose, end, option } from 'dialtill/menu';

type Price = \`\${bigint}.00\`;
const price: Price = '5.00';

export default defineMenu({
  languages: ['en'],
  start: 'buy',
  screens: {
    buy: choose({ text: 'Water', options: [option('A bag', 'confirm', { set: { amount: price } })] }),
    confirm: confirm({ text: 'Pay {amount}?', to: 'done' }),
    done: end({ text: 'Approve {amount}' }),
  },
});
`;

/** The same menu as JavaScript without imports. */
const data = `{
  languages: ['en'],
  start: 'buy',
  screens: {
    buy: { kind: 'choose', text: 'Water', options: [{ label: 'A bag', set: { amount: '5.00' }, to: 'confirm' }] },
    confirm: { kind: 'confirm', text: 'Pay {amount}?', to: 'done' },
    done: { kind: 'end', text: 'Approve {amount}' },
  },
}`;

type Files = Readonly<Record<string, string>>;

/** Returns file, line, path and message of every error. */
const errorsOf = (files: Files) => errorsIn(writeFiles(files), 'menu.ts');

test('a menu in TypeScript equals the same menu in YAML', () => {
  expect(menuIn('test/menu/typescript/tickets.ts')).toEqual(menuIn('fixtures/menus/tickets.yaml'));
});

test.each([
  ['menu.ts', good],
  ['menu.mts', good],
  ['menu.mjs', `export default ${data}`],
  ['menu.js', `export default ${data}`],
  ['menu.js', `module.exports = ${data}`],
  ['menu.js', `import { defineMenu } from 'dialtill/menu';\nexport default defineMenu(${data})`],
])('%s is a menu', (name, text) => {
  const folder = writeFiles({ [name]: text, 'good.ts': good });
  expect(menuIn(join(folder, name))).toEqual(menuIn(join(folder, 'good.ts')));
});

test('each load reads the current files, including imports', () => {
  const folder = writeFiles({
    'menu.ts': good
      .replace("'5.00'", 'bag')
      .replace('type Price', "import { bag } from './price.ts';\ntype Price"),
    'price.ts': "export const bag = '5.00';",
  });
  const priceOf = () => JSON.stringify(menuIn(join(folder, 'menu.ts')).screens.buy);
  expect(priceOf()).toContain('500');
  writeFileSync(join(folder, 'price.ts'), "export const bag = '6.00';");
  expect(priceOf()).toContain('600');
});

describe('lookups', () => {
  const lookupContext = { signal: new AbortController().signal };
  const request = {
    lookup: 'student',
    dialler: msisdnOf('0244123456'),
    payer: msisdnOf('0244123456'),
    operator: 'mtn',
    language: 'en',
    values: {},
  } as const;

  test('have their handlers next to the menu, by screen', async () => {
    const loaded = loadMenu('test/menu/typescript/school.ts');
    if (!loaded.ok) throw new Error(formatFileErrors(loaded.errors));
    expect(Object.keys(loaded.handlers)).toEqual(['student']);
    expect(loaded.menu.screens.student).not.toHaveProperty('find');
    expect(await loaded.handlers.student?.({ ...request, reference: '123456' }, lookupContext)).toMatchObject(
      {
        due: 12_000,
      },
    );
    expect(await loaded.handlers.student?.({ ...request, reference: '654321' }, lookupContext)).toBe(
      undefined,
    );
  });

  test('have no handler for a screen with the name of an object property', () => {
    const loaded = loadMenu('test/menu/typescript/school.ts');
    expect(loaded.ok && loaded.handlers.constructor).toBe(undefined);
  });

  test('have no handlers in a YAML menu', () => {
    const loaded = loadMenu('fixtures/menus/shop.yaml');
    expect(loaded.ok && Object.keys(loaded.handlers)).toEqual([]);
  });

  const look = (rest: string) => `{ kind: 'lookup', take: {}, found: 'confirm'${rest} }`;
  const withLookup = (rest: string) => ({
    'menu.ts': good
      .replace("'confirm', {", "'look', {")
      .replace('done: end', `look: ${look(rest)} as never, done: end`),
  });
  test.each([
    ['without url and find', '', 'expected a url, or find in a menu written in TypeScript'],
    [
      'with both url and find',
      ", url: '/x', find: async () => ({})",
      'expected one of url and find, found both',
    ],
  ])('one %s is an error', (_, rest, message) => {
    expect(errorsOf(withLookup(rest))).toEqual([`menu.ts:1 screens.look.url: ${message}`]);
  });

  test('with a find that is not a function are an error', () => {
    expect(errorsOf(withLookup(", url: '/x', find: 'me'"))).toEqual([
      'menu.ts:1 screens.look.find: unknown key',
    ]);
  });
});

describe('proxy screens', () => {
  const part = (rest: string) => ({
    'menu.ts': good
      .replace("'confirm', {", "'part', {")
      .replace('done: end', `part: { kind: 'proxy', take: {}, done: 'confirm'${rest} } as never, done: end`),
  });

  test('have the function answer as their handler', () => {
    const loaded = loadMenu(join(writeFiles(part(", answer: async () => ({ text: 'One' })")), 'menu.ts'));
    expect(loaded.ok && Object.keys(loaded.handlers)).toEqual(['part']);
  });

  test('without url and answer, and with find, are an error', () => {
    expect(errorsOf(part(''))).toEqual([
      'menu.ts:1 screens.part.url: expected a url, or answer in a menu written in TypeScript',
    ]);
    expect(errorsOf(part(", url: '/x', answer: async () => ({})"))).toEqual([
      'menu.ts:1 screens.part.url: expected one of url and answer, found both',
    ]);
    expect(errorsOf(part(", answer: async () => ({}), find: 'me'"))).toEqual([
      'menu.ts:1 screens.part.find: unknown key',
    ]);
  });
});

const table: [what: string, files: Files, errors: string[]][] = [
  [
    'that throws',
    { 'menu.ts': good.replace('export default', "throw new Error('no prices');\nexport default") },
    ['menu.ts:6: expected a program that runs without an error: no prices'],
  ],
  [
    'that throws a value other than an Error',
    { 'menu.ts': `throw 'no prices';\n${good}` },
    ['menu.ts:1: expected a program that runs without an error: no prices'],
  ],
  [
    'that throws while its menu is read',
    { 'menu.ts': "export default {\n  get screens() {\n    throw new Error('no prices');\n  },\n};" },
    ['menu.ts:3: expected a program that runs without an error: no prices'],
  ],
  [
    'that throws while a part of its menu is read',
    { 'menu.ts': "export default { screens: { get buy() { throw new Error('no prices'); } } };" },
    ['menu.ts:1: expected a program that runs without an error: no prices'],
  ],
  [
    'that imports a module that throws',
    {
      'menu.ts': `import './parts/prices.ts';\n${good}`,
      'parts/prices.ts':
        'interface Price {\n  minor: number;\n}\nconst prices: Price[] = [];\nprices[0].minor += 1;\n',
    },
    [
      "parts/prices.ts:5: expected a program that runs without an error: TypeError: Cannot read properties of undefined (reading 'minor')",
    ],
  ],
  [
    'that passes an invalid amount',
    {
      'menu.ts': good
        .replace('import { confirm', 'import { cedis, confirm')
        .replace(/type Price[^;]*;/, '')
        .replace("price: Price = '5.00'", "price = cedis('five')"),
    },
    [
      'menu.ts:4: expected a program that runs without an error: RangeError: expected an amount such as \'12.00\', found "five"',
    ],
  ],
  [
    'that is not valid TypeScript',
    { 'menu.ts': good.replace("'5.00';", ';') },
    ['menu.ts:4: expected a program that runs without an error: ParseError: Unexpected token'],
  ],
  [
    'that imports invalid TypeScript',
    { 'menu.ts': `import './parts.ts';\n${good}`, 'parts.ts': '\nconst a = ;' },
    ['parts.ts:2: expected a program that runs without an error: ParseError: Unexpected token'],
  ],
  [
    'that imports a missing file',
    { 'menu.ts': `\nimport './gone.ts';\n${good}` },
    ["menu.ts:2: expected a program that runs without an error: Cannot find module './gone.ts'"],
  ],
  [
    'with a top-level await',
    { 'menu.ts': good.replace('type Price', 'await Promise.resolve();\ntype Price') },
    [
      'menu.ts:3: expected a program that runs without an error: SyntaxError: await is only valid in async functions and the top level bodies of modules',
    ],
  ],
  [
    'without a default export',
    { 'menu.ts': good.replace('export default', 'export const menu =') },
    ['menu.ts:1: expected a default export, such as defineMenu({ ... }), found none'],
  ],
  [
    'whose default export is a promise',
    { 'menu.ts': 'export default Promise.resolve({});' },
    ['menu.ts:1: expected a default export, such as defineMenu({ ... }), found a promise'],
  ],
  [
    'whose default export is not a menu',
    { 'menu.ts': 'export default 5;' },
    ['menu.ts:1: expected a map, found a number'],
  ],
  [
    'with values that a menu file cannot contain',
    {
      'menu.ts': good
        .replace("text: 'Water'", "text: (() => 'Water') as never")
        .replace("text: 'Approve {amount}'", 'text: new Date(0) as never'),
    },
    [
      'menu.ts:1 screens.buy.text: expected a text, a number, true or false, a list or a map',
      'menu.ts:1 screens.done.text: expected a text, a number, true or false, a list or a map',
    ],
  ],
  [
    'with a route to an unknown screen that the compiler does not see',
    { 'menu.ts': good.replace("to: 'done'", "to: 'doen' as never") },
    ['menu.ts:1 screens.confirm.to: expected the name of a screen: buy, confirm, done, found doen'],
  ],
  [
    'that includes files',
    { 'menu.ts': good.replace('defineMenu({', "({ include: ['more.yaml'],"), 'more.yaml': 'screens: {}' },
    ['menu.ts:1 include: expected no include in a program; use import'],
  ],
];
test.each(table)('a program is rejected %s', (_, files, errors) => {
  expect(errorsOf(files)).toEqual(errors);
});

test('a menu object with a circular reference is rejected', () => {
  const round = good
    .replace('export default defineMenu(', 'const menu: any = (')
    .concat('menu.screens.more = menu;\nexport default menu;\n');
  const [error] = errorsOf({ 'menu.ts': round });
  expect(error).toMatch(
    /^menu\.ts:1 (screens\.more\.)+.*: expected a text, a number, true or false, a list or a map$/,
  );
});

test('a missing program is an error', () => {
  const loaded = loadMenu('nowhere/menu.ts');
  expect(loaded.ok ? '' : formatFileErrors(loaded.errors)).toBe(
    'nowhere/menu.ts:1: expected a readable file',
  );
});

test.each([
  ['12', '12.00'],
  ['12.5', '12.50'],
  ['1,200.05', '1200.05'],
])('cedis of %s are %s', (text, amount) => {
  expect(cedis(text)).toBe(amount);
});

test('pesewas are converted to cedis, and other numbers are rejected', () => {
  expect([pesewas(5), pesewas(1250)]).toEqual(['0.05', '12.50']);
  expect(() => pesewas(12.5)).toThrow(RangeError);
  expect(() => pesewas(-1)).toThrow(RangeError);
  expect(() => cedis('12.345')).toThrow(RangeError);
});
