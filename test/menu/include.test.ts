import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configSchema } from '../../src/gateway/config/schema.ts';
import { maxMerchant } from '../../src/menu/prove/channel.ts';
import { proveFile } from '../../src/menu/prove/prove.ts';
import { errorsIn, menuIn, writeFiles } from './support.ts';

const whole = `languages: [en]
start: amount
messages:
  yes: Pay
screens:
  amount:
    kind: ask
    answer: amount
    min: "1.00"
    max: "50.00"
    text: Amount
    to: confirm
  confirm:
    kind: confirm
    text: Pay {amount}?
    to: done
  done:
    kind: end
    text: "{approvals}"
`;

const first = `languages: [en]
start: amount
include: [parts/common.yaml]
screens:
  amount:
    kind: ask
    answer: amount
    min: "1.00"
    max: "50.00"
    text: Amount
    to: confirm
`;
const common = `include: [../ends.yaml]
messages:
  yes: Pay
screens:
  confirm:
    kind: confirm
    text: Pay {amount}?
    to: done
`;
const ends = `screens:
  done:
    kind: end
    text: "{approvals}"
`;
const split = { 'menu.yaml': first, 'parts/common.yaml': common, 'ends.yaml': ends };

type Files = Readonly<Record<string, string>>;

function errorsOf(files: Files): string[] {
  return errorsIn(writeFiles(files));
}

/** The split menu with one text of one file changed. */
function changed(file: keyof typeof split, from: string, to: string): Files {
  expect(split[file]).toContain(from);
  return { ...split, [file]: split[file].replace(from, to) };
}

test('a menu in several files equals the same menu in one file', () => {
  const folder = writeFiles({ ...split, 'whole.yaml': whole });
  const { include, ...menu } = menuIn(join(folder, 'menu.yaml'));
  const { include: none, ...same } = menuIn(join(folder, 'whole.yaml'));
  expect(menu).toEqual(same);
  expect([include, none]).toEqual([['parts/common.yaml'], []]);
});

test('a file that several include is in the menu once', () => {
  const files = changed(
    'menu.yaml',
    '[parts/common.yaml]',
    '[parts/common.yaml, ends.yaml, parts/../ends.yaml]',
  );
  expect(errorsOf(files)).toEqual([]);
});

const more = (count: number) => Array.from({ length: count }, (_, i) => `more${i}.yaml`);
const empty = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'messages: {}\n']));
/** Files in which each one includes the next. */
const row = (names: readonly string[]) =>
  Object.fromEntries(names.map((name, i) => [name, `include: [${names.slice(i + 1, i + 2).join()}]\n`]));

const table: [what: string, files: Files, errors: string[]][] = [
  [
    'a missing file',
    changed('menu.yaml', 'parts/common.yaml', 'gone.yaml'),
    ['menu.yaml:3 include[0]: expected a readable file: cannot read gone.yaml'],
  ],
  [
    'a folder instead of a file',
    changed('parts/common.yaml', '../ends.yaml', '../parts'),
    ['parts/common.yaml:1 include[0]: expected a regular file of at most 256 KiB: parts is not'],
  ],
  [
    'a file that is too large',
    { ...split, 'ends.yaml': ends.padEnd(256 * 1024 + 1, '\n') },
    ['parts/common.yaml:1 include[0]: expected a regular file of at most 256 KiB: ends.yaml is not'],
  ],
  [
    'an include that is not a list of files',
    changed('parts/common.yaml', '[../ends.yaml]', '../ends.yaml'),
    ['parts/common.yaml:1 include: expected a list, found a text'],
  ],
  [
    'a file that includes itself',
    { ...split, 'ends.yaml': `include: [ends.yaml]\n${ends}` },
    [
      'ends.yaml:1 include[0]: expected files that do not include each other in a circle: ends.yaml > ends.yaml',
    ],
  ],
  [
    'files that include each other',
    { ...split, 'ends.yaml': `include: [menu.yaml]\n${ends}` },
    [
      'ends.yaml:1 include[0]: expected files that do not include each other in a circle: menu.yaml > parts/common.yaml > ends.yaml > menu.yaml',
    ],
  ],
  [
    'more than 16 files',
    {
      ...changed('menu.yaml', '[parts/common.yaml]', '[parts/common.yaml, more.yaml]'),
      'more.yaml': `include: [${more(14).join(', ')}]\n`,
      ...empty(more(14)),
    },
    ['more.yaml:1 include[13]: expected at most 16 included files'],
  ],
  [
    'files at more than 4 levels',
    { ...changed('menu.yaml', '[parts/common.yaml]', '[parts/common.yaml, more0.yaml]'), ...row(more(5)) },
    ['more3.yaml:1 include[0]: expected included files at most 4 deep'],
  ],
  [
    'a screen in two files',
    { ...split, 'ends.yaml': `${ends}  amount:\n    kind: end\n    text: Again\n` },
    ['ends.yaml:5 screens.amount: expected a unique name: menu.yaml:5 has the same'],
  ],
  [
    'a message in two files',
    { ...split, 'ends.yaml': `${ends}messages: { yes: Go }\n` },
    ['ends.yaml:5 messages.yes: expected a unique name: parts/common.yaml:3 has the same'],
  ],
  [
    'an included file that is a complete menu',
    { ...split, 'ends.yaml': `languages: [en]\nstart: done\n${ends}` },
    ['ends.yaml:1 languages: unknown key', 'ends.yaml:2 start: unknown key'],
  ],
  [
    'an empty included file',
    { ...changed('menu.yaml', 'parts/common.yaml', 'parts/common.yaml, empty.yaml'), 'empty.yaml': '' },
    ['empty.yaml:1: expected a map, found nothing'],
  ],
  [
    'an included file with invalid YAML',
    { ...split, 'ends.yaml': 'screens: "\n' },
    ['ends.yaml:2: not YAML: Missing closing "quote'],
  ],
  [
    'a duplicate key in an included file',
    { ...split, 'ends.yaml': `${ends}    text: Again\n` },
    ['ends.yaml:5 screens.done.text: duplicate key'],
  ],
  [
    'a value of a wrong type in an included file',
    changed('ends.yaml', 'kind: end', 'kind: end\n    extra: 1'),
    ['ends.yaml:4 screens.done.extra: unknown key'],
  ],
  [
    'a route of an included file to an unknown screen',
    changed('parts/common.yaml', 'to: done', 'to: doen'),
    [
      'parts/common.yaml:8 screens.confirm.to: expected the name of a screen: amount, confirm, done, found doen',
    ],
  ],
  [
    'a message of an included file with an unknown placeholder',
    changed('parts/common.yaml', 'yes: Pay', 'yes: Pay {payer}'),
    ['parts/common.yaml:3 messages.yes: expected no {payer} here; known: none'],
  ],
];
test.each(table)('a menu is rejected for %s', (_, files, errors) => {
  expect(errorsOf(files)).toEqual(errors);
});

test('16 files, and files at 4 levels, are accepted', () => {
  const names = more(14);
  const wide = {
    ...changed('menu.yaml', '[parts/common.yaml]', `[parts/common.yaml, ${names.join(', ')}]`),
    ...empty(names),
  };
  expect(errorsOf(wide)).toEqual([]);
  const deep = {
    ...changed('menu.yaml', '[parts/common.yaml]', '[parts/common.yaml, more0.yaml]'),
    ...row(more(4)),
  };
  expect(errorsOf(deep)).toEqual([]);
});

test('a circle through a symbolic link is detected, and a device is never read', () => {
  const folder = writeFiles(
    changed('parts/common.yaml', '[../ends.yaml]', '[../ends.yaml, link.yaml, /dev/zero]'),
  );
  symlinkSync('../menu.yaml', join(folder, 'parts/link.yaml'));
  expect(errorsIn(folder)).toEqual([
    'parts/common.yaml:1 include[1]: expected files that do not include each other in a circle: menu.yaml > parts/common.yaml > parts/link.yaml',
    'parts/common.yaml:1 include[2]: expected a regular file of at most 256 KiB: /dev/zero is not',
  ]);
});

test('the errors of all files are reported together, first those of the menu file, then in the order of includes', () => {
  const folder = writeFiles({
    'menu.yaml': `${first}    extra: 1\n`,
    'parts/common.yaml': common.replace('to: done', 'to: doen'),
    'ends.yaml': ends.replace('kind: end', 'kind: finish'),
  });
  expect(errorsIn(folder)).toEqual([
    'menu.yaml:12 screens.amount.extra: unknown key',
    'parts/common.yaml:8 screens.confirm.to: expected the name of a screen: amount, confirm, done, found doen',
    expect.stringMatching(/^ends\.yaml:3 screens\.done\.kind: expected one of choose, ask,/),
  ]);
});

describe('the prover', () => {
  const approvals = configSchema.shape.approvals.parse({});
  const channels = [
    { name: 'nalo', limit: 160, alphabet: 'gsm' as const, sequenced: false, merchant: maxMerchant },
  ];
  const prove = (folder: string) => {
    const { findings } = proveFile(join(folder, 'menu.yaml'), () => ({ channels, approvals, maxInputs: 8 }));
    return findings.map(({ file, line, kind }) => `${file.replace(`${folder}/`, '')}:${line} ${kind}`);
  };

  test('reports findings with their file and line', () => {
    const text = `kind: end\n    text: "${'A long farewell. '.repeat(12)}"\n`;
    const folder = writeFiles({ ...split, 'ends.yaml': ends.replace(/kind: end[\s\S]*/, text) });
    expect(prove(folder)).toEqual(['ends.yaml:4 too_long']);
  });

  test('reports why an included file cannot be read', () => {
    expect(prove(writeFiles(changed('parts/common.yaml', '../ends.yaml', '../gone.yaml')))).toEqual([
      'parts/common.yaml:1 invalid',
    ]);
  });
});
