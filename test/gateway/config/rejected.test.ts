// cspell:ignore enviroment
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../../src/gateway/config/load.ts';
import { loadMenu } from '../../../src/menu/file/load.ts';
import { UserError } from '../../../src/shared/errors.ts';
import { formatFileErrors } from '../../../src/shared/yaml.ts';
import { readTranscript } from '../../../src/testing/transcript.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { aggregators, env, errorsOf, good, load, shop, variable } from './kit.ts';

const second = `  - { id: demo, name: Two, key: sk_test_abcdef, webhookSecrets: ["\${DEMO_WEBHOOK_SECRET}"], menu: ${shop} }\n`;

const secondChannel = `  - { id: demo-nalo, aggregator: nalo, secret: "\${DEMO_NALO_SECRET}", serviceCode: "*71*2#", merchant: demo }\n`;

const table: [what: string, from: string, to: string, errors: string[]][] = [
  ['no environment', 'environment: test\n', '', ['1 environment: expected one of test, live']],
  ['an unknown key', 'environment: test', 'environment: test\nport: 80', ['2 port: unknown key']],
  [
    'a duplicate key',
    '    name: Demo Shop',
    '    name: Demo Shop\n    name: Demo',
    ['8 merchants[0].name: duplicate key'],
  ],
  [
    'a name too long for a screen',
    'Demo Shop',
    'A shop of very many words',
    [
      "7 merchants[0].name: expected 1 to 20 plain letters, digits, spaces and . , : / ( ) & ' -, the first a letter or a digit",
    ],
  ],
  [
    'a database with a file and a URL',
    '{ file: data/till.db }',
    '{ file: data/till.db, url: "postgres://db.test/dialtill" }',
    ['2 database: expected either file or url'],
  ],
  [
    'a URL without the name of a database',
    '{ file: data/till.db }',
    '{ url: "postgres://dialtill:secret@db.test:5432/" }',
    ['2 database.url: expected postgres://user:password@host:port/database'],
  ],
  [
    'a key with an unknown prefix',
    variable('DEMO_KEY'),
    'pk_test_0123',
    ['8 merchants[0].key: expected a secret key, sk_test_… or sk_live_…'],
  ],
  [
    'a short webhook secret',
    variable('DEMO_WEBHOOK_SECRET'),
    'short',
    ['10 merchants[0].webhookSecrets[0]: expected a secret of at least 24 characters'],
  ],
  [
    'no webhook secret',
    `\n      - ${variable('DEMO_WEBHOOK_SECRET')}`,
    ' []',
    ['9 merchants[0].webhookSecrets: expected at least one secret'],
  ],
  [
    'a guessable path secret',
    variable('DEMO_NALO_SECRET'),
    'letmein',
    ['15 channels[0].secret: expected a secret of 22 to 128 letters, digits, - or _'],
  ],
  [
    'an unknown aggregator',
    'aggregator: nalo',
    'aggregator: nolo',
    ['14 channels[0].aggregator: expected one of africastalking, nalo, kairos'],
  ],
  [
    'an invalid service code',
    '"*713*5#"',
    '713',
    ['16 channels[0].serviceCode: expected a text, found a number'],
  ],
  [
    'a channel of an unknown merchant',
    'merchant: demo',
    'merchant: deno',
    ['17 channels[0].merchant: expected the id of a merchant: demo'],
  ],
  [
    'a missing menu',
    shop,
    'nowhere.yaml',
    ['11 merchants[0].menu: the file does not exist: expected the path of a menu file'],
  ],
  ['a misspelt section', 'merchants:', 'merchant:', ['5 merchant: unknown key: did you mean merchants?']],
  [
    'a misspelt environment',
    'environment:',
    'enviroment:',
    ['1 enviroment: unknown key: did you mean environment?'],
  ],
  [
    'no merchant',
    good.slice(good.indexOf('merchants:'), good.indexOf('channels:')),
    'merchants: []\n',
    ['5 merchants: expected at least one merchant'],
  ],
  [
    'an address with a password',
    'http://127.0.0.1:9000/',
    'https://me:you@pay.example',
    ['4 service.url: expected an http or https address without user or query'],
  ],
  [
    'merchants that share an id and a webhook secret',
    'channels:\n',
    `${second}channels:\n`,
    [
      '12 merchants[1].id: expected a unique id; merchants[0] has the same one',
      '12 merchants[1].webhookSecrets[0]: expected a unique secret; merchants[0] has the same one',
    ],
  ],
  [
    'people and their secrets, which were removed: the error names what replaces them',
    'merchants:',
    `staff: [{ name: ama, secret: ${'k'.repeat(22)} }]\nmerchants:`,
    [
      '5 staff: people have accounts: remove this section, and add each person with "dialtill staff add <name> --role <role>" (docs/console.md)',
    ],
  ],
  [
    'channels that share an id and a secret',
    '    merchant: demo\n',
    `    merchant: demo\n${secondChannel}`,
    [
      '18 channels[1].id: expected a unique id; channels[0] has the same one',
      '18 channels[1].secret: expected a unique secret; channels[0] has the same one',
    ],
  ],
  [
    'a channel whose previous secret equals its secret',
    '    merchant: demo\n',
    `    merchant: demo\n    previousSecret: \${DEMO_NALO_SECRET}\n`,
    ['18 channels[0].previousSecret: expected a unique secret; channels[0] has the same one'],
  ],
  [
    'a prompt delay above the maximum',
    'merchants:',
    'timings: { promptDelaySeconds: 31 }\nmerchants:',
    [
      ...['mtn', 'telecel', 'at', 'glo', 'unknown'].map(
        (name) => `5 timings.promptDelaySeconds.${name}: expected seconds from 0 to 30`,
      ),
    ],
  ],
  [
    'a lease shorter than a call',
    'merchants:',
    'timings:\n  leaseSeconds: 10\nmerchants:',
    ['6 timings.leaseSeconds: expected leaseSeconds above callTimeoutSeconds'],
  ],
  [
    'a retry that is allowed before the prompt deadline',
    'merchants:',
    'timings:\n  promptDeadlineSeconds: 400\nmerchants:',
    ['6 timings.promptDeadlineSeconds: expected retryAllowedAfterSeconds of at least promptDeadlineSeconds'],
  ],
  [
    'a variable in lower case',
    variable('DEMO_KEY'),
    variable('demo_key'),
    ['8 merchants[0].key: expected capital letters, digits and _ between the braces'],
  ],
  [
    'a variable without a closing brace',
    variable('DEMO_KEY'),
    '${DEMO_KEY',
    ['8 merchants[0].key: expected } after ${'],
  ],
  ['an empty file', good, '', ['1: expected a map, found nothing']],
];

test.each(table)('a configuration is rejected for %s', (_, from, to, errors) => {
  expect(good).toContain(from);
  expect(errorsOf(good.replace(from, () => to))).toEqual(errors);
});

test('all errors of the schema, secrets, cross-checks and menus are reported together, with file, line and column', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'menus'));
  writeFileSync(
    join(folder, 'menus/broken.yaml'),
    'languages: [en]\nstart: a\nscreens:\n  a:\n    kind: end\n',
  );
  const file = join(folder, 'dialtill.yaml');
  const text = good
    .replace('environment: test', 'environment: live')
    .replace('{ file: data/till.db }', '{}')
    .replace(shop, 'menus/broken.yaml')
    .replace('merchant: demo', 'merchant: nobody');
  writeFileSync(file, text);
  const { DEMO_NALO_SECRET: _, ...variables } = env;
  expect(() => loadConfig(file, variables, aggregators)).toThrow(
    new UserError(
      [
        `${file}: 5 configuration errors`,
        `${file}:2:1 database: expected either file or url`,
        `${file}:8:5 merchants[0].key: expected a live key sk_live_… in a live environment, found a test key`,
        `${file}:15:5 channels[0].secret: expected DEMO_NALO_SECRET or DEMO_NALO_SECRET_FILE in the environment`,
        `${file}:17:5 channels[0].merchant: expected the id of a merchant: demo`,
        `${join(folder, 'menus/broken.yaml')}:4:3 screens.a.text: expected a text, or a text per language`,
      ].join('\n'),
    ),
  );
});

test('a list that contains itself is rejected', () => {
  expect(errorsOf(`${good}log: &a { level: *a }\n`).length).toBeGreaterThan(0);
});

test('a missing configuration file is a UserError', () => {
  expect(() => loadConfig('nowhere/dialtill.yaml', env, aggregators)).toThrow(
    new UserError('nowhere/dialtill.yaml: expected a readable configuration file'),
  );
});

// 98 s when the end of the slashes is searched from each of them.
test('an address of 200,000 characters is rejected at once', () => {
  const startedAt = performance.now();
  const text = good.replace(
    '  url: http://127.0.0.1:9000/',
    `  url: http://127.0.0.1:9000/${'/'.repeat(200_000)}b`,
  );
  expect(errorsOf(text)).toEqual([
    expect.stringContaining('service.url: expected an address of at most 500 characters'),
  ]);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

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
