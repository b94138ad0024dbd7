import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { formatFaults, parseYaml } from '../../../src/shared/yaml.ts';

const schema = z.strictObject({
  name: z.string(),
  size: z.int().max(9),
  colour: z.enum(['red', 'blue']).default('red'),
  'odd key': z.string().optional(),
  parts: z.array(z.strictObject({ id: z.string() })).default([]),
});

function faultsOf(text: string): string[] {
  const read = parseYaml(text, schema, 'box.yaml');
  return read.ok ? [] : formatFaults(read.faults).split('\n');
}

test('a file without faults gives the value of the schema, defaults included', () => {
  const read = parseYaml('name: box\nsize: 3\n', schema, 'box.yaml');
  expect(read).toEqual({ ok: true, value: { name: 'box', size: 3, colour: 'red', parts: [] } });
});

const table: [string, string, string[]][] = [
  [
    'a missing key stands at its parent',
    '# box\nsize: 3\n',
    ['box.yaml:2 name: expected a text, found nothing'],
  ],
  [
    'an empty key stands at its line',
    'size: 3\nname:\n',
    ['box.yaml:2 name: expected a text, found nothing'],
  ],
  ['an unknown key stands at its line', 'size: 3\nname: a\ncolor: red\n', ['box.yaml:3 color: unknown key']],
  [
    'a list item has its index',
    'name: a\nsize: 1\nparts:\n  - id: x\n  -\n    id: 4\n  - 7\n',
    [
      'box.yaml:6 parts[1].id: expected a text, found a number',
      'box.yaml:7 parts[2]: expected a map, found a number',
    ],
  ],
  [
    'a key with a blank is quoted',
    'name: a\nsize: 1\n"odd key": 1\n',
    ['box.yaml:3 ["odd key"]: expected a text, found a number'],
  ],
  [
    'a duplicate key is a fault beside the others',
    'name: a\nsize: 10\nparts:\n  - id: x\n    id: y\n',
    ['box.yaml:2 size: expected a number to be <=9', 'box.yaml:5 parts[0].id: duplicate key'],
  ],
  [
    'a choice lists what there is',
    'name: a\nsize: 1\ncolour: pink\n',
    ['box.yaml:3 colour: expected one of "red"|"blue"'],
  ],
  ['an empty file has no map', '', ['box.yaml:1: expected a map, found nothing']],
  ['broken notation has a line', 'name: a\nsize: "3\n', ['box.yaml:3: not YAML: Missing closing "quote']],
  [
    'a tab is no indentation',
    'name:\n\ta: 1\n',
    ['box.yaml:2: not YAML: Tabs are not allowed as indentation'],
  ],
  ['an unknown tag is a fault', 'name: !secret a\nsize: 1\n', ['box.yaml:1: not YAML: Unresolved tag']],
  [
    'two documents are a fault',
    'name: a\n---\nname: b\n',
    ['box.yaml:2: not YAML: Source contains multiple documents; please use YAML.parseAllDocuments()'],
  ],
  [
    'a text beyond 256 KiB is refused',
    `name: ${'a'.repeat(300_000)}`,
    ['box.yaml:1: expected at most 256 KiB'],
  ],
];
test.each(table)('%s', (_, text, faults) => {
  expect(faultsOf(text)).toEqual(faults);
});

test('what aliases may expand to is bounded', () => {
  const levels = Array.from({ length: 9 }, (_, i) => {
    return `l${i + 1}: &l${i + 1} [${Array.from({ length: 9 }, () => `*l${i}`).join(', ')}]`;
  });
  const bomb = ['l0: &l0 boom', ...levels].join('\n');
  expect(faultsOf(bomb)).toEqual(['box.yaml:1: expected YAML with few aliases, each after its anchor']);
});

test('a key that is no text is a fault', () => {
  expect(faultsOf('{}: a\nname: a\nsize: 1\n')).toEqual([
    'box.yaml:1: not YAML: With stringKeys, all keys must be strings',
  ]);
});

test('depth is bounded, in every notation', () => {
  const deep = ['['.repeat(50_000), '- '.repeat(50_000), '? '.repeat(50_000), '{a: '.repeat(50_000)];
  const indented = Array.from({ length: 600 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
  for (const text of [...deep, indented]) {
    expect(faultsOf(text)).toEqual(['box.yaml:1: expected at most 32 levels']);
  }
});

test('a list within itself is a fault', () => {
  expect(faultsOf('name: &a [*a]\nsize: 1\n').length).toBeGreaterThan(0);
});

test('any text gives a value or faults with lines that the text has', () => {
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
        const read = parseYaml(text, schema, 'box.yaml');
        if (read.ok) return;
        expect(read.faults.length).toBeGreaterThan(0);
        for (const { line } of read.faults) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(text.split(/\r\n|\n|\r/).length);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test('faults of notation never quote the file', () => {
  const secret = 'sk_live_abcdefgh';
  for (const text of [
    `a: |${secret}\n`,
    `a: "\\q${secret}"\n`,
    `a: "${secret}\n`,
    `a: *${secret}\n`,
    `a: [1]${secret}\n`,
  ]) {
    expect(faultsOf(text).length).toBeGreaterThan(0);
    expect(faultsOf(text).join('\n')).not.toContain(secret);
  }
});
