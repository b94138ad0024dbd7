import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { menuSchemaFile, writtenMenuSchema } from './menu-schema.ts';

const committed = JSON.parse(readFileSync(menuSchemaFile, 'utf8')) as object;
const valid = new Ajv2020({ strict: false }).compile(committed);
const written = readdirSync('fixtures/menus').filter((name) => name.endsWith('.yaml'));
const menus = written.map((name) => `fixtures/menus/${name}`);

test('the committed schema of the menu language is the one that the code makes (npm run docs)', () => {
  expect(committed).toEqual(JSON.parse(JSON.stringify(writtenMenuSchema())));
});

test.each(menus)('an editor finds nothing to mark in %s', (file) => {
  expect(valid(parse(readFileSync(file, 'utf8')))).toBe(true);
});

describe('an editor marks', () => {
  const shop = parse(readFileSync('fixtures/menus/shop.yaml', 'utf8'));
  test.each([
    ['a key that does not exist', { ...shop, sceens: {} }],
    ['a screen of an unknown kind', { ...shop, screens: { welcome: { kind: 'menu', text: 'Hello' } } }],
    [
      'an option without a screen to go to',
      { ...shop, screens: { a: { kind: 'choose', text: 'x', options: [{ label: 'y' }] } } },
    ],
    ['a key that options have', { ...shop, keys: { back: '1' } }],
    ['a menu without screens', { languages: ['en'], start: 'a' }],
  ])('%s', (_, menu) => {
    expect(valid(menu)).toBe(false);
  });
});
