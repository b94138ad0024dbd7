import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadMenu } from '../../../src/menu/file/load.ts';
import { UserError } from '../../../src/shared/errors.ts';
import { formatFileErrors } from '../../../src/shared/yaml.ts';
import { readTranscript } from '../../../src/testing/transcript.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { env, good, load, shop } from './kit.ts';

const topLevels: [text: string, error: string][] = [
  ['- a\n', '1:1: expected a map, found a list'],
  ['# comment\n\n[]\n', '3:1: expected a map, found a list'],
  ['hello\n', '1:1: expected a map, found a text'],
  ['42\n', '1:1: expected a map, found a number'],
  ['true\n', '1:1: expected a map, found true or false'],
  ['null\n', '1:1: expected a map, found nothing'],
  ['', '1:1: expected a map, found nothing'],
];

test.each(topLevels)('the top level %j is an error with its position, in every file', (text, error) => {
  const folder = temporaryFolder();
  const file = (name: string, content = text) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  expect(() => load(text)).toThrow(new RegExp(`dialtill\\.yaml: 1 configuration error\n.*yaml:${error}$`));
  const included = file('included.yaml');
  const including = file('including.yaml', 'include: [included.yaml]\nlanguages: [en]\nstart: a\n');
  for (const [read, at] of [
    [loadMenu(file('menu.yaml')), 'menu.yaml'],
    [loadMenu(including), included],
    [readTranscript(file('transcript.yaml')), 'transcript.yaml'],
  ] as const)
    expect(formatFileErrors(read.ok ? [] : read.errors)).toMatch(new RegExp(`${at}:${error}$`));
});

test.each(['[]', '"hello"', '42'])('a menu program that exports %s is an error', (text) => {
  const file = join(temporaryFolder(), 'menu.mjs');
  writeFileSync(file, `export default ${text};\n`);
  expect(loadMenu(file)).toMatchObject({
    errors: [{ line: 1, message: expect.stringMatching(/^expected a map, found /) }],
  });
});

const odd = [['text', 7], 'text', null, { 0: 'text', of: { deep: [] } }];

/** Returns copies of plain data, each with one of its parts replaced by a value of another kind. */
function withOddParts(data: unknown): unknown[] {
  if (typeof data !== 'object' || data === null) return odd;
  const inner = Object.entries(data).flatMap(([key, part]) =>
    withOddParts(part).map((changed) =>
      Array.isArray(data) ? data.with(Number(key), changed) : { ...data, [key]: changed },
    ),
  );
  return [...odd, ...inner];
}

const menu = `languages: [en]
start: amount
messages: { invalid_input: { en: "Not understood. {text}" } }
screens:
  amount: { kind: ask, answer: amount, min: "1.00", max: "50.00", text: Amount, to: room }
  room: { kind: choose, text: Room, options: [{ label: One, set: { payer: own }, to: find }] }
  find: { kind: lookup, url: "https://a.test/{room}", take: { due: { amount: 5000 }, many: { list: 3, of: { name: { text: 9 } } } }, found: confirm, not_found: amount, fallback: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "{approvals}" }
`;

test('a part of a menu that has another kind than expected is reported, whatever it is and wherever it stands', () => {
  const file = join(temporaryFolder(), 'menu.yaml');
  for (const changed of withOddParts(parse(menu))) {
    writeFileSync(file, JSON.stringify(changed));
    expect(loadMenu(file)).toHaveProperty('ok');
  }
});

test('a part of a configuration that has another kind than expected is reported, whatever it is and wherever it stands', () => {
  const menuFile = join(temporaryFolder(), 'menu.yaml');
  writeFileSync(menuFile, menu);
  const config = parse(`${good.replace(shop, menuFile)}    settings: {}
    promptDelaySeconds: { mtn: 1 }
    allowFrom: [127.0.0.1]
listen: { port: 8080 }
timings: { promptDelaySeconds: 1 }
ledger: { sealKey: "${env.DIALTILL_SEAL_KEY}", publicKeys: [{ key: "${'A'.repeat(43)}", untilBlock: 3 }] }
`);
  for (const changed of withOddParts(config)) {
    try {
      load(JSON.stringify(changed), { ...env, DIALTILL_HOST: '0.0.0.0' });
    } catch (error) {
      if (error instanceof UserError) continue;
      throw new Error(`no report for ${JSON.stringify(changed)}`, { cause: error });
    }
  }
});
