import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadMenu } from '../../src/menu/file/load.ts';
import { menuSchema, screenSchema } from '../../src/menu/schema.ts';
import { formatNames } from '../../src/menu/text/format.ts';
import { commonPlaceholders } from '../../src/menu/text/render.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { menusFile, writtenMenus } from './messages.ts';

const document = readFileSync(menusFile, 'utf8');

/** Returns the code in the first column of the tables of a section. */
function rowsOf(heading: string): string[] {
  const part = document.split(/^(?=#{2,3} )/m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const cells = [...part.matchAll(/^\| (`.+?) \| /gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

test('the table of messages is what `npm run docs` would write', () => {
  expect(writtenMenus(document)).toBe(document);
  expect(rowsOf('## Messages').length).toBeGreaterThan(50);
});

test('every key of the file has its row', () => {
  expect(rowsOf('## The file').sort()).toEqual(Object.keys(menuSchema.shape).sort());
});

test('every format and every common placeholder has a row', () => {
  const rows = rowsOf('## Values in texts');
  const names = rows.flatMap((row) => /^\{(\w+)\}$/.exec(row)?.[1] ?? []);
  expect(names).toEqual(expect.arrayContaining(commonPlaceholders));
  expect(rows.filter((row) => /^\w+$/.test(row))).toEqual(formatNames);
});

test('every kind of screen has a section', () => {
  const kinds = screenSchema.options.flatMap((one) =>
    'shape' in one ? [...one.shape.kind.values] : ['ask'],
  );
  const sections = [...document.matchAll(/^### `(\w+)`: /gm)].map(([, kind]) => kind);
  expect(sections).toEqual([...new Set(kinds)].sort((a, b) => sections.indexOf(a) - sections.indexOf(b)));
});

test('every finding has a row, in the order of FindingKind', () => {
  const [, union = ''] =
    /export type FindingKind =\n([\s\S]+?);/.exec(readFileSync('src/menu/prove/finding.ts', 'utf8')) ?? [];
  const kinds = [...union.matchAll(/'(\w+)'/g)].map(([, kind]) => kind);
  expect(kinds.length).toBeGreaterThan(10);
  expect(rowsOf('## Findings of `menu check`')).toEqual(kinds);
});

test('every example is valid', () => {
  const blocks = [...document.matchAll(/^```yaml\n([\s\S]+?)^```$/gm)].map(([, text = '']) => parse(text));
  const examples = blocks.filter((one): one is Record<string, unknown> => one !== null);
  expect(examples.length).toBeGreaterThan(8);
  const isScreen = (value: unknown) => typeof value === 'object' && value !== null && 'kind' in value;
  for (const example of examples) {
    const [first] = Object.values(example);
    if (isScreen(first)) for (const screen of Object.values(example)) screenSchema.parse(screen);
    else menuSchema.partial().parse(example);
  }
});

test('the menu in TypeScript can be loaded', () => {
  const [, program = ''] = /^```ts\n([\s\S]+?)^```$/m.exec(document) ?? [];
  const file = join(temporaryFolder(), 'menu.ts');
  writeFileSync(file, program);
  expect(loadMenu(file)).toMatchObject({ ok: true, menu: { start: 'amount' } });
});
