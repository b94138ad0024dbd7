import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadMenu } from '../../src/menu/file/load.ts';
import { menuSchema } from '../../src/menu/schema.ts';
import { temporaryFolder } from '../kit/folder.ts';
import {
  menuPartSchemaFile,
  menuSchemaFile,
  writtenMenuPartSchema,
  writtenMenuSchema,
} from './menu-schema.ts';

const read = (file: string) => parse(readFileSync(file, 'utf8'));
const committed = read(menuSchemaFile);
const committedPart = read(menuPartSchemaFile);
const valid = new Ajv2020({ strict: false }).compile(committed);
const validPart = new Ajv2020({ strict: false }).compile(committedPart);
const yamlIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `${folder}/${name}`);

test('the committed schemas of the menu language are those that the code makes (npm run docs)', () => {
  expect(committed).toEqual(JSON.parse(JSON.stringify(writtenMenuSchema())));
  expect(committedPart).toEqual(JSON.parse(JSON.stringify(writtenMenuPartSchema())));
});

test.each(yamlIn('fixtures/menus'))('an editor finds nothing to mark in %s', (file) => {
  expect(valid(read(file))).toBe(true);
});

test.each(yamlIn('fixtures/menus/parts'))(
  'an editor that has the schema of parts finds nothing in %s',
  (file) => {
    expect(validPart(read(file))).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(`$schema=../../../${menuPartSchemaFile}`);
  },
);

describe('an editor marks', () => {
  const shop = read('fixtures/menus/shop.yaml');
  test.each([
    ['a key that does not exist', { ...shop, sceens: {} }],
    ['a screen of an unknown kind', { ...shop, screens: { welcome: { kind: 'menu', text: 'Hello' } } }],
    [
      'an option without a screen to go to',
      { ...shop, screens: { a: { kind: 'choose', text: 'x', options: [{ label: 'y' }] } } },
    ],
    ['a key that options have', { ...shop, keys: { back: '1' } }],
    ['a menu without screens', { languages: ['en'], start: 'a' }],
    ['an included file in the place of a menu', read('fixtures/menus/parts/common.yaml')],
  ])('%s', (_, menu) => {
    expect(valid(menu)).toBe(false);
  });

  test.each([
    ['a key that does not exist', { screen: {} }],
    ['a screen of an unknown kind', { screens: { welcome: { kind: 'menu', text: 'Hello' } } }],
    ['a message that there is none of', { messages: { hello: 'Hello' } }],
    ['a menu in the place of an included file', shop],
  ])('in an included file %s', (_, part) => {
    expect(validPart(part)).toBe(false);
  });
});

describe('an included file may hold exactly what the gateway takes there', () => {
  const { screens, ...rest } = read('fixtures/menus/shop.yaml');
  const { done, ...others } = screens;
  const parts = {
    ...{ languages: rest.languages, askLanguage: false, languageNames: { en: 'English' }, include: [] },
    ...{ start: rest.start, keys: { back: '0' }, messages: { yes: 'Pay' }, answers: {}, screens: { done } },
  };

  test('each key of a menu is looked at', () => {
    expect(Object.keys(parts)).toEqual(Object.keys(menuSchema.shape));
  });

  test.each(Object.entries(parts))('%s', (key, value) => {
    const folder = temporaryFolder();
    const menu = { ...rest, screens: key === 'screens' ? others : screens, include: ['part.yaml'] };
    writeFileSync(join(folder, 'part.yaml'), JSON.stringify({ [key]: value }));
    writeFileSync(join(folder, 'menu.yaml'), JSON.stringify(menu));
    const isTaken = ['include', 'messages', 'screens'].includes(key);
    expect(loadMenu(join(folder, 'menu.yaml')).ok).toBe(isTaken);
    expect(validPart({ [key]: value })).toBe(isTaken);
  });
});
