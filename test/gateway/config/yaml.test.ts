// cspell:ignore nmae exmple
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { Composer, Parser } from 'yaml';
import { z } from 'zod';
import { loadMenu } from '../../../src/menu/file/load.ts';
import { menuSchema } from '../../../src/menu/schema.ts';
import { readTextFile } from '../../../src/shared/text-file.ts';
import {
  type FileError,
  formatFileErrors,
  readYaml,
  schemaErrors,
  sortErrors,
} from '../../../src/shared/yaml.ts';
import { readTranscript } from '../../../src/testing/transcript.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { cpuMsOf } from '../../kit/size.ts';

const schema = z.strictObject({
  name: z.string(),
  size: z.int().max(9),
  colour: z.enum(['red', 'blue']).default('red'),
  'odd key': z.string().optional(),
  parts: z.array(z.strictObject({ id: z.string() })).default([]),
});

/** All errors of a file, by line. */
function read(text: string): FileError[] {
  const source = readYaml(text, 'box.yaml');
  return sortErrors(source.ok ? [...source.errors, ...schemaErrors(source, schema)] : source.errors);
}

function errorsOf(text: string): string[] {
  const errors = read(text);
  return errors.length === 0 ? [] : formatFileErrors(errors).split('\n');
}

test('a misspelt key is one error with the key that was meant', () => {
  const rows: [text: string, errors: string[]][] = [
    ['nmae: box\nsize: 3\n', ['box.yaml:1:1 nmae: unknown key: did you mean name?']],
    ['name: box\nsize: 3\ncolor: red\n', ['box.yaml:3:1 color: unknown key: did you mean colour?']],
    [
      'name: box\nsize: 3\nparts: [{ ip: x }]\n',
      ['box.yaml:3:11 parts[0].ip: unknown key: did you mean id?'],
    ],
    // The key that would be meant is there.
    ['name: box\nnames: box\nsize: 3\n', ['box.yaml:2:1 names: unknown key']],
  ];
  for (const [text, errors] of rows) expect(errorsOf(text)).toEqual(errors);
});

test('a misspelt key of a screen is one that a screen of its kind has', () => {
  const screen = (keys: string) => `languages: [en]\nstart: a\nscreens:\n  a: { text: A, ${keys} }\n`;
  const source = (keys: string) => {
    const found = readYaml(screen(keys), 'menu.yaml');
    return found.ok ? formatFileErrors(schemaErrors(found, menuSchema)).split('\n') : [];
  };
  expect(source('kind: ask, exmple: A, answer: reference, to: a')).toContain(
    'menu.yaml:4:28 screens.a.exmple: unknown key: did you mean example?',
  );
  expect(source('kind: end, exmple: A')).toEqual(['menu.yaml:4:28 screens.a.exmple: unknown key']);
});

const table: [string, string, string[]][] = [
  [
    'an error of a missing key has the position of its parent',
    '# box\nsize: 3\n',
    ['box.yaml:2:1 name: expected a text, found nothing'],
  ],
  [
    'an error of an empty key has its position',
    'size: 3\nname:\n',
    ['box.yaml:2:1 name: expected a text, found nothing'],
  ],
  [
    'an error of an unknown key has its position',
    'size: 3\nname: a\ncolor: red\n',
    ['box.yaml:3:1 color: unknown key: did you mean colour?'],
  ],
  [
    'an error of a list item has its index',
    'name: a\nsize: 1\nparts:\n  - id: x\n  -\n    id: 4\n  - 7\n',
    [
      'box.yaml:6:5 parts[1].id: expected a text, found a number',
      'box.yaml:7:5 parts[2]: expected a map, found a number',
    ],
  ],
  [
    'a key with a space is quoted',
    'name: a\nsize: 1\n"odd key": 1\n',
    ['box.yaml:3:1 ["odd key"]: expected a text, found a number'],
  ],
  [
    'a duplicate key is reported together with the other errors',
    'name: a\nsize: 10\nparts:\n  - id: x\n    id: y\n',
    ['box.yaml:2:1 size: expected a number of at most 9', 'box.yaml:5:5 parts[0].id: duplicate key'],
  ],
  [
    'an error of an enumeration lists its values',
    'name: a\nsize: 1\ncolour: pink\n',
    ['box.yaml:3:1 colour: expected one of red, blue'],
  ],
  [
    'a byte order mark is no part of the first key',
    '\uFEFFname: a\nsize: 1\nx: 1\n',
    ['box.yaml:3:1 x: unknown key'],
  ],
  ['a list at the top is an error', '# box\n- a\n', ['box.yaml:2:1: expected a map, found a list']],
  [
    'a duplicate key in a list of lists has the path of its map',
    'name: a\nsize: 1\nparts:\n  - [{ id: x, id: y }]\n',
    ['box.yaml:4:15 parts[0][0].id: duplicate key', 'box.yaml:4:5 parts[0]: expected a map, found a list'],
  ],
  ['an empty file is an error', '', ['box.yaml:1:1: expected a map, found nothing']],
  [
    'a syntax error has a position',
    'name: a\nsize: "3\n',
    ['box.yaml:3:1: not YAML: Missing closing "quote'],
  ],
  [
    'a tab as indentation is an error',
    'name:\n\ta: 1\n',
    ['box.yaml:2:1: not YAML: Tabs are not allowed as indentation. Use spaces'],
  ],
  [
    'a colon in a text without quotes is an error with what to do',
    'name: Amount: now\n',
    [
      'box.yaml:1:7: not YAML: Nested mappings are not allowed in compact mappings. Put a text with a colon and a space into quotes',
    ],
  ],
  [
    'a text that begins with a brace is an error with what to do',
    'name: {amount} due\n',
    ['box.yaml:1:16: not YAML: Unexpected scalar at node end. Put the whole text into quotes'],
  ],
  ['an unknown tag is an error', 'name: !secret a\nsize: 1\n', ['box.yaml:1:7: not YAML: Unresolved tag']],
  [
    'two documents in one file are an error',
    'name: a\n---\nname: b\n',
    ['box.yaml:2:1: not YAML: expected one document'],
  ],
  [
    'a text of more than 256 KiB is rejected',
    `name: ${'a'.repeat(300_000)}`,
    ['box.yaml:1: expected at most 256 KiB'],
  ],
];
test.each(table)('%s', (_, text, errors) => {
  expect(errorsOf(text)).toEqual(errors);
});

test('the expansion of aliases is bounded', () => {
  const levels = Array.from({ length: 9 }, (_, i) => {
    return `l${i + 1}: &l${i + 1} [${Array.from({ length: 9 }, () => `*l${i}`).join(', ')}]`;
  });
  const bomb = ['l0: &l0 boom', ...levels].join('\n');
  expect(errorsOf(bomb)).toEqual([
    expect.stringMatching(/^box\.yaml:\d+:\d+: expected YAML with few aliases, each after its anchor$/),
  ]);
});

test('a key that is not a string is an error', () => {
  expect(errorsOf('{}: a\nname: a\nsize: 1\n')).toEqual([
    'box.yaml:1:1: not YAML: With stringKeys, all keys must be strings',
  ]);
});

test('the depth is bounded in block and flow style', () => {
  const deep = ['['.repeat(50_000), '- '.repeat(50_000), '? '.repeat(50_000), '{a: '.repeat(50_000)];
  const indented = Array.from({ length: 600 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
  for (const text of [...deep, indented]) {
    expect(errorsOf(text)).toEqual(['box.yaml:1: expected at most 32 levels']);
  }
});

test('a list that contains itself is an error', () => {
  expect(errorsOf('name: &a [*a]\nsize: 1\n').length).toBeGreaterThan(0);
});

test('any text returns a value, or errors with lines and columns inside the text', () => {
  const piece = fc.constantFrom(
    'name',
    'size',
    ': ',
    '\n',
    '  ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '"',
    '&a',
    ' *a',
    '#',
    '|',
    '1',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((pieces) => pieces.join('')),
      ),
      (text) => {
        const source = readYaml(text, 'box.yaml');
        if (!source.ok) expect(source.errors.length).toBeGreaterThan(0);
        for (const { line, column = 1 } of read(text)) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(text.split(/\r\n|\n|\r/).length);
          expect(column).toBeGreaterThanOrEqual(1);
          expect(column).toBeLessThanOrEqual(text.length + 1);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test('a syntax error never quotes the file', () => {
  const secret = 'sk_live_abcdefgh';
  for (const text of [
    `a: |${secret}\n`,
    `a: "\\q${secret}"\n`,
    `a: "${secret}\n`,
    `a: *${secret}\n`,
    `a: [1]${secret}\n`,
  ]) {
    expect(errorsOf(text).length).toBeGreaterThan(0);
    expect(errorsOf(text).join('\n')).not.toContain(secret);
  }
});

/** CPU time for four times the input, as a multiple: about 4 when the time is linear, about 16 when it is quadratic. */
function growth(read: (size: number) => void, size: number): number {
  return cpuMsOf(() => read(4 * size)) / cpuMsOf(() => read(size));
}

test('many errors behind aliases are reported in linear time', () => {
  const read = (aliases: number) => {
    const keys = Array.from({ length: 150 }, (_, i) => `key${i}: 1`).join(', ');
    const text = `name: &a {${keys}}\nsize: 1\nparts: [${'*a, '.repeat(aliases)}]\n`;
    expect(text.length).toBeLessThan(9_000);
    expect(errorsOf(text)).toHaveLength(51);
  };
  expect(growth(read, 15)).toBeLessThan(10);
});

test('many unknown keys are reported in linear time', () => {
  const read = (keys: number) => {
    const unknown = Array.from({ length: keys }, (_, i) => `key${i}: 1`).join('\n');
    const errors = errorsOf(`name: a\nsize: 1\n${unknown}`);
    expect(errors[0]).toBe('box.yaml:3:1 key0: unknown key');
    expect(errors.at(-1)).toBe(`and ${keys - 50} more`);
  };
  expect(growth(read, 4_000)).toBeLessThan(10);
});

test('many duplicate keys are reported in linear time', () => {
  const read = (keys: number) => expect(errorsOf('name: a\n'.repeat(keys)).at(-1)).toMatch(/^and \d+ more$/);
  expect(growth(read, 4_000)).toBeLessThan(10);
});

test.each([
  ['more than 64 aliases', `name: &a x\nparts: [${'*a, '.repeat(65)}]`],
  [
    'aliases that expand to more than a mebibyte',
    `name: &a [${'x, '.repeat(8_000)}]\nparts: [${'*a, '.repeat(51)}]`,
  ],
  ['an alias inside its own anchor', 'name: &a {b: [*a]}\nsize: 1\n'],
])('a file with %s is rejected', (_, text) => {
  expect(errorsOf(text)).toEqual([
    expect.stringMatching(/^box\.yaml:\d+:\d+: expected YAML with few aliases, each after its anchor$/),
  ]);
});

test.each([
  ['is before its anchor', 'size: 1\nname: *a\nparts: &a []\n', '2:7'],
  ['is a service code without quotes', 'name: a\nparts:\n  - id: *713*5#\n', '3:9'],
])('an alias that %s has the position and the remedy', (_, text, position) => {
  expect(errorsOf(text)).toEqual([
    `box.yaml:${position}: expected an anchor before this alias. Put a text that begins with * into quotes`,
  ]);
});

test('an escape that YAML does not have names the other quotes', () => {
  expect(errorsOf('name: a\nodd key: "AC-\\d{4}"\n')).toEqual([
    'box.yaml:2:14: not YAML: Invalid escape sequence. Put a text with a backslash into single quotes',
  ]);
});

test('a file that is not in UTF-8 is named', () => {
  const text = 'name: a\nodd key: Caf\u00e9\n';
  for (const [bytes, line] of [
    [Buffer.from(text, 'latin1'), 2],
    [Buffer.from(`\ufeff${text}`, 'utf16le'), 1],
  ] as const) {
    const file = join(temporaryFolder(), 'box.yaml');
    writeFileSync(file, bytes);
    expect(errorsOf(readTextFile(file) ?? '')).toEqual([
      `box.yaml:${line}: expected a file in UTF-8. Save it again in this encoding`,
    ]);
  }
});

test('an alias stands for the last anchor of its name, and its errors are at the place of the anchor', () => {
  const text = 'name: a\nsize: 1\nparts:\n  - &p {id: x}\n  - &p {id: y, bad: 1}\n  - *p\n';
  expect(errorsOf(text)).toEqual([
    'box.yaml:5:16 parts[1].bad: unknown key',
    'box.yaml:5:16 parts[2].bad: unknown key',
  ]);
  const valid = readYaml(text.replace(', bad: 1', ''), 'box.yaml');
  expect(valid.ok && valid.value.parts).toEqual([{ id: 'x' }, { id: 'y' }, { id: 'y' }]);
});

test('an endless file is an error, and does not fill the memory', () => {
  expect(loadMenu('/dev/zero')).toMatchObject({
    ok: false,
    errors: [{ message: 'expected at most 256 KiB' }],
  });
  expect(readTranscript('/dev/zero')).toMatchObject({
    ok: false,
    errors: [{ message: 'expected at most 256 KiB' }],
  });
});

const long = 255 * 1024;

test.each([
  ['braces', '}'.repeat(long)],
  ['braces in a value', `a: ${'}'.repeat(long)}`],
  ['braces in a list', `[${'}'.repeat(long)}`],
  ['flow maps without keys', '{a b}\n'.repeat(long / 6)],
])('of a file of nothing but %s, only the part up to the fiftieth error is read', (_, text) => {
  const read = vi.spyOn(Parser.prototype, 'next');
  const composed = vi.spyOn(Composer.prototype, 'compose');
  try {
    const source = readYaml(text, 'box.yaml');
    const messages = source.errors.map(({ message }) => message);
    expect(messages).toHaveLength(51);
    expect(messages.at(-1)).toBe('not YAML: more than 49 errors, the rest is not read');
    expect(read.mock.calls.length).toBeLessThan(500);
    expect(composed).not.toHaveBeenCalled();
  } finally {
    read.mockRestore();
    composed.mockRestore();
  }
});

test.each([
  ['escapes', `a: "${'\\q'.repeat(1_000)}"`],
  ['commas', `[${','.repeat(1_000)}]`],
  ['directives', '%A\n'.repeat(1_000)],
  ['anchors', '&a '.repeat(1_000)],
])('of a file of wrong %s, the first fifty errors are reported, and the rest is not read', (_, text) => {
  const { errors } = readYaml(text, 'box.yaml');
  expect(errors).toHaveLength(51);
  expect(errors.at(-1)?.message).toBe('not YAML: more than 49 errors, the rest is not read');
  expect(new Set(errors.map(({ line, column }) => `${line}:${column}`)).size).toBeLessThanOrEqual(50);
});
