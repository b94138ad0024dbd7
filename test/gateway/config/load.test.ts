import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { aggregator as nalo } from '../../../src/aggregators/nalo/dialect.ts';
import { aggregators as shipped } from '../../../src/aggregators/registry.ts';
import { loadConfig } from '../../../src/gateway/config/load.ts';
import { channelSchema, configSchema } from '../../../src/gateway/config/schema.ts';
import { createSealKey } from '../../../src/gateway/ledger/seal-key.ts';
import { UserError } from '../../../src/shared/errors.ts';
import { temporaryFolder } from '../../kit/folder.ts';

/** Two aggregators without settings, and one with. */
const aggregators = {
  africastalking: { settings: z.strictObject({}) },
  nalo: { settings: z.strictObject({}) },
  kairos: { settings: z.strictObject({ endValue: z.string('expected a text').default('2') }) },
};
const env = {
  DEMO_KEY: 'sk_test_0123456789',
  DEMO_WEBHOOK_SECRET: 'whsec_nXh3c8hbS0uAm2vRkqT9eZwD',
  DEMO_NALO_SECRET: 'nalo_nXh3c8hbS0uAm2vRkqT9eZwD',
  DIALTILL_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
};
const lookupsSecret = 'whsec_8pQ0vJm1Zx7nT4cLrW2yKd9sEaHu6fGb';
/** A placeholder of the configuration file for a variable. */
const variable = (name: string) => `\${${name}}`;
const shop = resolve('fixtures/menus/shop.yaml');

const good = `environment: test
database: { file: data/till.db }
service:
  url: http://127.0.0.1:9000/
merchants:
  - id: demo
    name: Demo Shop
    key: \${DEMO_KEY}
    webhookSecrets:
      - \${DEMO_WEBHOOK_SECRET}
    menu: ${shop}
channels:
  - id: demo-nalo
    aggregator: nalo
    secret: \${DEMO_NALO_SECRET}
    serviceCode: "*713*5#"
    merchant: demo
`;

function write(text: string): string {
  const file = join(temporaryFolder(), 'dialtill.yaml');
  writeFileSync(file, text);
  return file;
}

function load(text: string, variables: Record<string, string | undefined> = env) {
  return loadConfig(write(text), variables, aggregators);
}

/** Returns the errors after the heading, with file names instead of paths; none when the configuration loads. */
function errorsOf(text: string, variables: Record<string, string | undefined> = env): string[] {
  try {
    load(text, variables);
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const [, ...lines] = error.message.split('\n');
    return lines.map((line) =>
      line.replace(/^\S+(?=:\d+)/, (path) => basename(path)).replace(/^dialtill\.yaml:(\d+)(:\d+)?/, '$1'),
    );
  }
}

test('a short file returns a complete configuration: defaults, secrets, menus and absolute paths', () => {
  const file = write(good);
  const config = loadConfig(file, env, aggregators);
  expect(config).toMatchObject({
    environment: 'test',
    listen: { host: '127.0.0.1', port: 8080, trustedProxies: [] },
    metrics: { allowFrom: ['127.0.0.0/8', '::1'] },
    database: { file: join(dirname(file), 'data/till.db') },
    log: { level: 'info' },
    service: {
      url: 'http://127.0.0.1:9000',
      signature: {
        header: 'service-signature',
        algorithm: 'sha256',
        encoding: 'hex',
        timestampUnit: 'seconds',
        signedText: '{t}.{body}',
        secretEncoding: 'text',
        toleranceMs: 300_000,
      },
      networks: { mtn: 'mtn', telecel: 'telecel', at: 'at', glo: null, unknown: 'mtn' },
      errorCodePointer: '/error/code',
      simulator: false,
      callsPerSecond: 20,
      callsInFlight: 16,
    },
    timings: {
      promptDelayMs: { mtn: 1_500, telecel: 1_500, at: 1_500, glo: 1_500, unknown: 1_500 },
      promptDeadlineMs: 180_000,
      retryAllowedAfterMs: 360_000,
      dialogueLifetimeMs: 300_000,
      repeatWindowMs: 2_000,
      callTimeoutMs: 12_000,
      connectTimeoutMs: 2_000,
      leaseMs: 30_000,
      resendGraceMs: 15_000,
      recentPaymentMs: 900_000,
      resumeWindowMs: 300_000,
      duplicateWindowMs: 900_000,
      lookupTimeoutMs: 1_500,
      quoteTimeoutMs: 1_000,
    },
    limits: {
      dialler: { perHour: 20, perDay: 60 },
      payer: { perHour: 6, perDay: 20 },
      merchant: { perMinute: 300 },
      requests: { payer: { perHour: 6, perDay: 20 }, dialler: { perHour: 20, perDay: 60 } },
      declines: { maxDeclines: 2, coolDownMs: 3_600_000 },
      attendants: { perHour: 300, perDay: 3000, maxDeclines: 20 },
    },
    approvals: { mtn: 'Dial *170#, Wallet, My Approvals', unknown: 'Open your mobile money approvals' },
    merchants: [
      {
        id: 'demo',
        name: 'Demo Shop',
        key: env.DEMO_KEY,
        webhookSecrets: [env.DEMO_WEBHOOK_SECRET],
        menu: { start: 'welcome', languages: ['en', 'tw'] },
        attendants: [],
      },
    ],
    channels: [{ id: 'demo-nalo', secret: env.DEMO_NALO_SECRET, serviceCode: '*713*5#', merchant: 'demo' }],
  });
});

test('the example loads and contains the defaults, and .env.example lists exactly its secrets', () => {
  const names = Object.keys(parseEnv(readFileSync('.env.example', 'utf8')));
  expect(names.sort()).toEqual(Object.keys(env).sort());
  const example = loadConfig('dialtill.example.yaml', env, aggregators);
  const { database, service, ledger, merchants, channels, ...rest } = example;
  const short = load(good);
  expect(rest).toEqual(Object.fromEntries(Object.entries(short).filter(([key]) => key in rest)));
  expect({ ...service, url: '' }).toEqual({ ...short.service, url: '' });
  expect(merchants).toEqual(short.merchants);
  expect(channels).toEqual(short.channels);
  expect(ledger).toEqual({ ...short.ledger, sealKey: env.DIALTILL_SEAL_KEY });
  expect(database.file).toBe(resolve('data/dialtill.db'));
});

test('the commented lines of the example are all optional settings of a merchant and a channel, with their defaults', () => {
  const text = readFileSync('dialtill.example.yaml', 'utf8').replaceAll(/^( +)# (?=[a-z]\w*:)/gm, '$1');
  const menu = resolve('fixtures/menus/shop.yaml');
  const file = write(text.replace('fixtures/menus/shop.yaml', menu));
  const old = 'o'.repeat(22);
  const variables = { ...env, DEMO_LOOKUPS_SECRET: lookupsSecret, DEMO_NALO_PREVIOUS_SECRET: old };
  const {
    merchants: [merchant],
    channels: [channel],
  } = loadConfig(file, variables, shipped);
  const { handlers: _, ...written } = { handlers: undefined, ...merchant };
  expect(Object.keys(written).sort()).toEqual(Object.keys(configSchema.shape.merchants.element.shape).sort());
  expect(merchant).toMatchObject({ attendants: [], lookups: { secret: lookupsSecret } });
  expect(merchant?.lookups?.url).toMatch(/^https:/);
  const channelKeys = Object.keys(channelSchema.shape).map((key) => key.replace(/Seconds$/, 'Ms'));
  expect(Object.keys(channel ?? {}).sort()).toEqual(channelKeys.sort());
  const { style, replyWithinMs, sequenced } = nalo;
  expect(channel).toMatchObject({
    aggregator: nalo.name,
    previousSecret: old,
    alphabet: style.alphabet,
    textLimit: style.limit,
    lineBreak: style.lineBreak,
    forbidden: style.forbidden,
    replyWithinMs,
    sequenced,
  });
  const general = load(good).timings.promptDelayMs.mtn;
  const advised = Math.max(general, nalo.promptDelayMs);
  expect(Object.values(channel?.promptDelayMs ?? {})).toEqual(Array(5).fill(advised));
});

test('S34: a test key in a live environment is an error, and so is a live key in a test environment', () => {
  const live = good.replace('environment: test', 'environment: live');
  expect(errorsOf(live)).toEqual([
    '8 merchants[0].key: expected a live key sk_live_… in a live environment, found a test key',
  ]);
  expect(errorsOf(good, { ...env, DEMO_KEY: 'sk_live_0123456789' })).toEqual([
    '8 merchants[0].key: expected a test key sk_test_… in a test environment, found a live key',
  ]);
  expect(errorsOf(live, { ...env, DEMO_KEY: 'sk_live_0123456789' })).toEqual([]);
});

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
    ['7 merchants[0].name: expected 1 to 20 plain letters, digits and spaces'],
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
  ['a missing menu', shop, 'nowhere.yaml', ['11 merchants[0].menu: expected the path of a menu file']],
  [
    'no merchant',
    good.slice(good.indexOf('merchants:'), good.indexOf('channels:')),
    'merchants: []\n',
    [
      '5 merchants: expected at least one merchant',
      '11 channels[0].merchant: expected the id of a merchant; no merchant has an id',
    ],
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
    'people who share a name and a secret',
    'merchants:',
    `staff: [{ name: ama, secret: ${'k'.repeat(22)} }, { name: ama, secret: ${'k'.repeat(22)} }]\nmerchants:`,
    [
      '5 staff[1].name: expected a unique name; staff[0] has the same one',
      '5 staff[1].secret: expected a unique secret; staff[0] has the same one',
    ],
  ],
  [
    'a person with a colon in the name and a short secret',
    'merchants:',
    `staff: [{ name: "a:b", secret: short }]\nmerchants:`,
    [
      '5 staff[0].name: expected a name of small letters, digits and -, at most 32',
      '5 staff[0].secret: expected a secret of 22 to 128 letters, digits, - or _',
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

test('a live environment requires https to other machines, prompt delays of 1 to 5 s, and no simulator', () => {
  const variables = { ...env, DEMO_KEY: 'sk_live_0123456789' };
  const live = good.replace('environment: test', 'environment: live');
  const strict = live
    .replace('http://127.0.0.1:9000/', 'http://pay.example\n  simulator: true')
    .replace('merchants:', 'timings:\n  promptDelaySeconds: { mtn: 0.5, at: 5 }\nmerchants:');
  expect(errorsOf(strict, variables)).toEqual([
    '4 service.url: expected https in a live environment',
    '5 service.simulator: expected false in a live environment',
    '7 timings.promptDelaySeconds.mtn: expected seconds from 1 to 5 in a live environment',
  ]);
  const number = live.replace('merchants:', 'timings:\n  promptDelaySeconds: 6\nmerchants:');
  expect(errorsOf(number, variables)).toEqual([
    '6 timings.promptDelaySeconds: expected seconds from 1 to 5 in a live environment',
  ]);
  for (const url of ['https://pay.example', 'http://localhost:1', 'http://[::1]:1', 'http://127.0.0.2']) {
    expect(errorsOf(live.replace('http://127.0.0.1:9000/', url), variables)).toEqual([]);
  }
});

test('a test environment allows prompt delays from 0 to 30 s, for all operators or for each', () => {
  const at = (delay: string) =>
    load(good.replace('merchants:', `timings: { promptDelaySeconds: ${delay} }\nmerchants:`)).timings
      .promptDelayMs;
  expect(at('0')).toEqual({ mtn: 0, telecel: 0, at: 0, glo: 0, unknown: 0 });
  expect(at('{ mtn: 30 }')).toEqual({ mtn: 30_000, telecel: 1_500, at: 1_500, glo: 1_500, unknown: 1_500 });
});

describe('limits', () => {
  const limited = (text: string) => `${good}limits: ${text}\n`;

  test('are set independently, and false means no limit', () => {
    const text =
      '{ dialler: { perHour: 5, perDay: false }, merchant: { perMinute: false }, declines: { maxDeclines: 1 }, ' +
      'requests: { payer: { perHour: 3 } }, attendants: { perDay: false } }';
    expect(load(limited(text)).limits).toEqual({
      dialler: { perHour: 5, perDay: null },
      payer: { perHour: 6, perDay: 20 },
      merchant: { perMinute: null },
      requests: { payer: { perHour: 3, perDay: 20 }, dialler: { perHour: 20, perDay: 60 } },
      declines: { maxDeclines: 1, coolDownMs: 3_600_000 },
      attendants: { perHour: 300, perDay: null, maxDeclines: 20 },
    });
  });

  test.each<[text: string, error: string]>([
    ['{ dialler: { perHour: 0 } }', 'dialler.perHour: expected a whole number from 1 to 1000, or false'],
    ['{ payer: { perDay: true } }', 'payer.perDay: expected a whole number from 1 to 10000, or false'],
    [
      '{ merchant: { perMinute: 1.5 } }',
      'merchant.perMinute: expected a whole number from 1 to 10000, or false',
    ],
    [
      '{ declines: { maxDeclines: 101 } }',
      'declines.maxDeclines: expected a whole number from 1 to 100, or false',
    ],
    ['{ declines: { coolDownSeconds: 59 } }', 'declines.coolDownSeconds: expected seconds from 60 to 86400'],
    [
      '{ requests: { dialler: { perDay: 0 } } }',
      'requests.dialler.perDay: expected a whole number from 1 to 10000, or false',
    ],
    [
      '{ attendants: { maxDeclines: 0 } }',
      'attendants.maxDeclines: expected a whole number from 1 to 1000, or false',
    ],
    ['{ dialer: { perHour: 5 } }', 'dialer: unknown key'],
  ])('reject %s', (text, error) => {
    expect(errorsOf(limited(text))).toEqual([`18 limits.${error}`]);
  });
});

test.each([
  ['recentPaymentSeconds', 86_401, '0 to 86400'],
  ['resumeWindowSeconds', 3_601, '0 to 3600'],
  ['duplicateWindowSeconds', -1, '0 to 86400'],
  ['lookupTimeoutSeconds', 0, '0.1 to 1.5'],
  ['lookupTimeoutSeconds', 1.6, '0.1 to 1.5'],
  ['quoteTimeoutSeconds', 1.1, '0 to 1'],
])('timings.%s rejects %s', (name, value, range) => {
  expect(errorsOf(`${good}timings: { ${name}: ${value} }\n`)).toEqual([
    `18 timings.${name}: expected seconds from ${range}`,
  ]);
});

describe('attendants', () => {
  const attended = (text: string) => good.replace('    menu:', () => `    attendants: ${text}\n    menu:`);
  const expected = 'expected a mobile number in quotes, such as "0244123456"';

  test('are mobile numbers in any spelling, stored in one format', () => {
    expect(load(attended('["0244 123 456", "+233201234567"]')).merchants[0]?.attendants).toEqual([
      '233244123456',
      '233201234567',
    ]);
  });

  test.each<[text: string, ...errors: string[]]>([
    ['[0244123456]', `attendants[0]: ${expected}`],
    ['["0244123456", "0302123456"]', `attendants[1]: ${expected}`],
    [`[${Array(101).fill('"0244123456"').join(', ')}]`, 'attendants: expected at most 100 numbers'],
  ])('reject %s', (text, ...errors) => {
    expect(errorsOf(attended(text))).toEqual(errors.map((error) => `11 merchants[0].${error}`));
  });
});

describe("a merchant's lookups", () => {
  /** Returns a configuration whose menu has a lookup by URL, with the merchant's lookup settings on line 12. */
  function looking(url: string | undefined, lookups?: string): string {
    const menu = join(temporaryFolder(), 'menu.yaml');
    const where = url === undefined ? '' : `url: "${url}", `;
    writeFileSync(
      menu,
      [
        'languages: [en]',
        'start: fees',
        'screens:',
        `  fees: { kind: lookup, ${where}take: { due: { amount: "100.00" } }, found: done, notFound: done, fallback: done }`,
        '  done: { kind: end, text: Bye }',
        '',
      ].join('\n'),
    );
    const said = lookups === undefined ? '' : `\n    lookups: ${lookups}`;
    return good.replace(shop, () => `${menu}${said}`);
  }
  const live = (text: string) => text.replace('environment: test', 'environment: live');
  const liveEnv = { ...env, DEMO_KEY: 'sk_live_0123456789' };

  test('have an address and a secret, which can come from the environment', () => {
    const text = looking('/fees', `{ url: http://127.0.0.1:9100/till/, secret: "${variable('LOOKUPS')}" }`);
    expect(load(text, { ...env, LOOKUPS: lookupsSecret }).merchants[0]?.lookups).toEqual({
      url: 'http://127.0.0.1:9100/till',
      secret: lookupsSecret,
      allowNetworks: [],
    });
    expect(load(good).merchants[0]?.lookups).toBeUndefined();
  });

  test.each([
    ['of 23 bytes', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['of 65 bytes', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['without its first letters', Buffer.alloc(24).toString('base64')],
    ['that is not base64', `whsec_${'*'.repeat(32)}`],
    ['with one character too many', `${lookupsSecret}A`],
  ])('reject the secret %s', (_, secret) => {
    const text = looking('/fees', `{ url: https://erp.example, secret: "${secret}" }`);
    expect(errorsOf(text)).toEqual([
      '12 merchants[0].lookups.secret: expected whsec_ and the base64 of 24 to 64 bytes',
    ]);
  });

  test.each([24, 64])('accept a secret of %i bytes', (bytes) => {
    const secret = `whsec_${Buffer.alloc(bytes, 255).toString('base64')}`;
    expect(errorsOf(looking('/fees', `{ url: https://erp.example, secret: ${secret} }`))).toEqual([]);
  });

  test.each<[what: string, url: string, lookups: string | undefined, error: string]>([
    [
      'no settings for a path',
      '/fees',
      undefined,
      '6 merchants[0].lookups: expected url and secret for the lookup fees of the menu',
    ],
    [
      'no address',
      '/fees',
      `{ secret: ${lookupsSecret} }`,
      '12 merchants[0].lookups.url: expected a text, found nothing',
    ],
    [
      'a network that is none',
      '/fees',
      `{ url: https://erp.example, secret: ${lookupsSecret}, allowNetworks: [erp.example] }`,
      '12 merchants[0].lookups.allowNetworks[0]: expected an address or a network, such as 52.50.116.54 or 10.0.0.0/8',
    ],
    [
      'an invalid address',
      '/fees',
      `{ url: "erp.example", secret: ${lookupsSecret} }`,
      '12 merchants[0].lookups.url: expected an http or https address without user or query',
    ],
    ['no map', '/fees', '[]', '12 merchants[0].lookups: expected a map, found a list'],
  ])('are rejected with %s, with one error', (_, url, lookups, error) => {
    expect(errorsOf(looking(url, lookups))).toEqual([error]);
  });

  test('are optional when the menu has no lookup', () => {
    expect(errorsOf(live(good), liveEnv)).toEqual([]);
  });

  const at = (url: string, more = '') => `{ url: "${url}", secret: ${lookupsSecret}${more} }`;

  test('require https to other machines in a live environment', () => {
    expect(errorsOf(live(looking('/fees', at('http://erp.example'))), liveEnv)).toEqual([
      '12 merchants[0].lookups.url: expected https in a live environment',
    ]);
    expect(errorsOf(looking('/fees', at('http://erp.example')))).toEqual([]);
    expect(errorsOf(live(looking('/fees', at('https://erp.example'))), liveEnv)).toEqual([]);
  });

  test.each(['https://169.254.169.254', 'https://10.0.0.7', 'http://[::1]:6379', 'http://localhost:9100'])(
    'reach %s in a live environment only if the configuration allows its network',
    (url) => {
      const error =
        '12 merchants[0].lookups.url: expected a public address, or an address of a network in allowNetworks';
      expect(errorsOf(live(looking('/fees', at(url))), liveEnv)).toEqual([error]);
      const allowed = ', allowNetworks: [169.254.169.254, 10.0.0.0/8, 127.0.0.0/8, "::1"]';
      expect(errorsOf(live(looking('/fees', at(url, allowed))), liveEnv)).toEqual([]);
    },
  );

  test('of a test environment reach this machine, and no other private address', () => {
    expect(errorsOf(looking('/fees', at('http://127.0.0.1:9100')))).toEqual([]);
    expect(errorsOf(looking('/fees', at('http://10.0.0.7')))).toHaveLength(1);
  });

  test.each(['https://erp.example/fees', 'erp.example/fees', '/\\\\erp.example'])(
    'are paths under the address of the merchant: the menu cannot name %s',
    (url) => {
      const errors = errorsOf(looking(url, at('https://erp.example')));
      expect(errors).toEqual([expect.stringContaining('screens.fees.url: expected a path under')]);
    },
  );

  test('have a unique secret for each merchant', () => {
    const lookups = `lookups: { url: https://erp.example, secret: ${lookupsSecret} }`;
    const other = `  - { id: two, name: Two, key: sk_test_abcdef, webhookSecrets: [${'x'.repeat(24)}], menu: ${shop}, ${lookups} }\n`;
    const text = good
      .replace('channels:\n', () => `${other}channels:\n`)
      .replace('    name: Demo Shop\n', `    name: Demo Shop\n    ${lookups}\n`);
    expect(errorsOf(text)).toEqual([
      '13 merchants[1].lookups.secret: expected a unique secret; merchants[0] has the same one',
    ]);
  });
});

/** Returns the configuration with additional settings of its only channel, which start at line 18. */
const withChannel = (...lines: string[]) => `${good}${lines.map((line) => `    ${line}\n`).join('')}`;

describe('settings of a channel that override its aggregator', () => {
  const delay = { mtn: 3_000, telecel: 3_000, at: 3_000, glo: 3_000, unknown: 3_000 };
  test.each<[line: string, read: object]>([
    ['alphabet: gsm', { alphabet: 'gsm' }],
    ['alphabet: unicode', { alphabet: 'unicode' }],
    ['textLimit: 160', { textLimit: 160 }],
    ['lineBreak: "\\n"', { lineBreak: '\n' }],
    ['lineBreak: ^', { lineBreak: '^' }],
    ['forbidden: "|^&"', { forbidden: '|^&' }],
    ['forbidden: ""', { forbidden: '' }],
    ['replyWithinSeconds: 2.5', { replyWithinMs: 2_500 }],
    ['sequenced: false', { sequenced: false }],
    ['promptDelaySeconds: 3', { promptDelayMs: delay }],
    ['promptDelaySeconds: { mtn: 0, at: 30 }', { promptDelayMs: { mtn: 0, at: 30_000 } }],
    ['operators: { VODA: telecel, "07": glo }', { operators: { VODA: 'telecel', '07': 'glo' } }],
    ['allowFrom: [52.50.116.54, "2001:db8::/32"]', { allowFrom: ['52.50.116.54', '2001:db8::/32'] }],
    ['settings: {}', { settings: {} }],
  ])('%s', (line, read) => {
    const plain = load(good).channels[0];
    expect(load(withChannel(line)).channels).toEqual([{ ...plain, ...read }]);
  });

  test.each<[line: string, ...errors: string[]]>([
    ['alphabet: utf-8', 'alphabet: expected one of gsm, unicode'],
    ['textLimit: 59', 'textLimit: expected a whole number from 60 to 182'],
    ['textLimit: 183', 'textLimit: expected a whole number from 60 to 182'],
    ['lineBreak: "|"', 'lineBreak: expected "\\n" or "^"'],
    ['forbidden: "|1"', 'forbidden: expected characters that screens must not contain, such as "|^&"'],
    ['forbidden: "."', 'forbidden: expected characters that screens must not contain, such as "|^&"'],
    ['replyWithinSeconds: 0.5', 'replyWithinSeconds: expected seconds from 1 to 30'],
    ['replyWithinSeconds: 31', 'replyWithinSeconds: expected seconds from 1 to 30'],
    ['sequenced: "yes"', 'sequenced: expected true or false'],
    ['promptDelaySeconds: { mtn: 31 }', 'promptDelaySeconds.mtn: expected seconds from 0 to 30'],
    [
      'promptDelaySeconds: -1',
      ...['mtn', 'telecel', 'at', 'glo', 'unknown'].map(
        (name) => `promptDelaySeconds.${name}: expected seconds from 0 to 30`,
      ),
    ],
    ['promptDelaySeconds: { vodafone: 2 }', 'promptDelaySeconds.vodafone: unknown key'],
    ['operators: { VODA: vodafone }', 'operators.VODA: expected one of mtn, telecel, at, glo, unknown'],
    ['operators: { "": mtn }', 'operators[""]: expected a spelling of 1 to 32 characters'],
    ['allowFrom: []', 'allowFrom: expected at least one address, or no allowFrom'],
    [
      'allowFrom: [10.0.0.0/8, hubtel.com]',
      'allowFrom[1]: expected an address or a network, such as 52.50.116.54 or 10.0.0.0/8',
    ],
    ['textlimit: 160', 'textlimit: unknown key'],
  ])('%s is rejected', (line, ...errors) => {
    expect(errorsOf(withChannel(line))).toEqual(errors.map((error) => `18 channels[0].${error}`));
  });
});

describe('settings of a channel that only its aggregator has', () => {
  const kairos = (...lines: string[]) =>
    withChannel(...lines).replace('aggregator: nalo', 'aggregator: kairos');

  test('are unchanged, and optional', () => {
    expect(load(kairos('settings: { endValue: "3" }')).channels).toMatchObject([
      { aggregator: 'kairos', settings: { endValue: '3' } },
    ]);
    expect(load(kairos()).channels[0]?.settings).toBeUndefined();
  });

  test.each<[what: string, lines: string[], error: string]>([
    [
      'an unknown key',
      ['settings:', '  endValue: "2"', '  endvalue: "3"'],
      '20 channels[0].settings.endvalue: unknown key',
    ],
    ['a wrong value', ['settings:', '  endValue: 3'], '19 channels[0].settings.endValue: expected a text'],
    ['no map', ['settings: [endValue]'], '18 channels[0].settings: expected a map, found a list'],
  ])('are rejected for %s, with the line', (_, lines, error) => {
    expect(errorsOf(kairos(...lines))).toEqual([error]);
  });

  test('belong to its aggregator only', () => {
    expect(errorsOf(withChannel('settings: { endValue: "2" }'))).toEqual([
      '18 channels[0].settings.endValue: unknown key',
    ]);
  });

  test('are not checked for an unknown aggregator, and are reported together with all other errors', () => {
    const broken = kairos('settings: { endValue: 3 }', 'textLimit: 1').replace('"*713*5#"', '"713"');
    expect(errorsOf(broken.replace('kairos', 'toString'))).toEqual([
      '14 channels[0].aggregator: expected one of africastalking, nalo, kairos',
      '16 channels[0].serviceCode: expected a service code such as *713*5#, in quotes',
      '19 channels[0].textLimit: expected a whole number from 60 to 182',
    ]);
    expect(errorsOf(broken)).toEqual([
      '16 channels[0].serviceCode: expected a service code such as *713*5#, in quotes',
      '18 channels[0].settings.endValue: expected a text',
      '19 channels[0].textLimit: expected a whole number from 60 to 182',
    ]);
  });
});

test('a live environment requires prompt delays of 1 to 5 s of a channel too, and a test environment does not', () => {
  const variables = { ...env, DEMO_KEY: 'sk_live_0123456789' };
  const live = (line: string) => withChannel(line).replace('environment: test', 'environment: live');
  const error = (name: string) =>
    `18 channels[0].promptDelaySeconds${name}: expected seconds from 1 to 5 in a live environment`;
  expect(errorsOf(live('promptDelaySeconds: { mtn: 0.9, telecel: 1, at: 5, glo: 5.1 }'), variables)).toEqual([
    error('.mtn'),
    error('.glo'),
  ]);
  expect(errorsOf(live('promptDelaySeconds: 0'), variables)).toEqual([error('')]);
  expect(errorsOf(live('promptDelaySeconds: 3'), variables)).toEqual([]);
  expect(errorsOf(withChannel('promptDelaySeconds: 0'))).toEqual([]);
});

test('trusted proxies are at most 20 addresses and networks', () => {
  const listening = (proxies: string) => `${good}listen: { trustedProxies: ${proxies} }\n`;
  const { listen } = load(listening('[10.0.0.0/8, "::1"]'));
  expect(listen).toEqual({ host: '127.0.0.1', port: 8080, trustedProxies: ['10.0.0.0/8', '::1'] });
  expect(errorsOf(listening('[10.0.0.0/8, localhost]'))).toEqual([
    '18 listen.trustedProxies[1]: expected an address or a network, such as 52.50.116.54 or 10.0.0.0/8',
  ]);
  expect(errorsOf(listening(`[${Array(21).fill('10.0.0.1').join(', ')}]`))).toEqual([
    '18 listen.trustedProxies: expected at most 20 addresses',
  ]);
});

test('readers of the metrics are at most 20 addresses and networks, or none', () => {
  const reading = (readers: string) => `${good}metrics: { allowFrom: ${readers} }\n`;
  expect(load(reading('[10.1.0.9]')).metrics).toEqual({ allowFrom: ['10.1.0.9'] });
  expect(load(reading('[]')).metrics).toEqual({ allowFrom: [] });
  expect(errorsOf(reading('[localhost]'))).toEqual([
    '18 metrics.allowFrom[0]: expected an address or a network, such as 52.50.116.54 or 10.0.0.0/8',
  ]);
  expect(errorsOf(reading(`[${Array(21).fill('10.0.0.1').join(', ')}]`))).toEqual([
    '18 metrics.allowFrom: expected at most 20 addresses',
  ]);
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
        `${file}:2:1 database.file: expected a text, found nothing`,
        `${file}:8:5 merchants[0].key: expected a live key sk_live_… in a live environment, found a test key`,
        `${file}:15:5 channels[0].secret: expected DEMO_NALO_SECRET or DEMO_NALO_SECRET_FILE in the environment`,
        `${file}:17:5 channels[0].merchant: expected the id of a merchant: demo`,
        `${join(folder, 'menus/broken.yaml')}:4:3 screens.a.text: expected a text, or a text per language`,
      ].join('\n'),
    ),
  );
});

test('a menu that two merchants share is loaded once, and its errors are reported once', () => {
  const folder = temporaryFolder();
  const menu = join(folder, 'menu.yaml');
  writeFileSync(menu, 'languages: [en]\nstart: a\nscreens:\n  a:\n    kind: end\n    text: "\u{1f389}"\n');
  const other = `  - { id: two, name: Two, key: sk_test_abcdef, webhookSecrets: [${'x'.repeat(24)}], menu: ${menu} }\n`;
  const errors = errorsOf(good.replace(shop, menu).replace('channels:\n', `${other}channels:\n`));
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain('menu.yaml:6:5 screens.a.text: expected letters that handsets show');
});

describe('sources of secrets', () => {
  test('a text can contain several variables', () => {
    const text = good
      .replace('http://127.0.0.1:9000/', `http://${variable('HOST')}:${variable('PORT')}`)
      .replace('data/till.db', `"${variable('NAME')}.db"`);
    const config = load(text, { ...env, HOST: 'localhost', PORT: '9000', NAME: '$1' });
    expect(config.service.url).toBe('http://localhost:9000');
    expect(basename(config.database.file)).toBe('$1.db');
  });

  test('a port can come from the environment', () => {
    const text = good.replace('merchants:', `listen: { port: "${variable('PORT')}" }\nmerchants:`);
    expect(load(text, { ...env, PORT: '8123' }).listen.port).toBe(8123);
    expect(errorsOf(text, { ...env, PORT: '99999' })).toEqual([
      '5 listen.port: expected a whole number from 0 to 65535',
    ]);
  });

  test('a secret can come from the file that NAME_FILE names, and is trimmed', () => {
    const secretFile = join(temporaryFolder(), 'key');
    writeFileSync(secretFile, '  sk_test_fromfile\n');
    const config = load(good, { ...env, DEMO_KEY: '', DEMO_KEY_FILE: secretFile });
    expect(config.merchants[0]?.key).toBe('sk_test_fromfile');
  });

  test('a secret that is set twice, or whose file is empty or cannot be read, is an error', () => {
    const empty = join(temporaryFolder(), 'empty');
    writeFileSync(empty, ' \n');
    expect(errorsOf(good, { ...env, DEMO_KEY_FILE: empty })).toEqual([
      '8 merchants[0].key: expected either DEMO_KEY or DEMO_KEY_FILE in the environment, found both',
    ]);
    for (const file of [empty, '/nowhere/key', dirname(empty)]) {
      expect(errorsOf(good, { ...env, DEMO_KEY: undefined, DEMO_KEY_FILE: file })).toEqual([
        '8 merchants[0].key: expected DEMO_KEY_FILE to name a readable file that is not empty',
      ]);
    }
  });

  test('every missing secret is reported once, and no error quotes a secret', () => {
    expect(errorsOf(good, {})).toEqual([
      '8 merchants[0].key: expected DEMO_KEY or DEMO_KEY_FILE in the environment',
      '10 merchants[0].webhookSecrets[0]: expected DEMO_WEBHOOK_SECRET or DEMO_WEBHOOK_SECRET_FILE in the environment',
      '15 channels[0].secret: expected DEMO_NALO_SECRET or DEMO_NALO_SECRET_FILE in the environment',
    ]);
    const wrong = { DEMO_KEY: 'XXkeyXX', DEMO_WEBHOOK_SECRET: 'XXhookXX', DEMO_NALO_SECRET: 'XXpathXX' };
    const errors = errorsOf(good, wrong);
    expect(errors).toHaveLength(3);
    expect(errors.join('\n')).not.toContain('XX');
  });
});

test('a list that contains itself is rejected', () => {
  expect(errorsOf(`${good}log: &a { level: *a }\n`).length).toBeGreaterThan(0);
});

test('a missing configuration file is a UserError', () => {
  expect(() => loadConfig('nowhere/dialtill.yaml', env, aggregators)).toThrow(
    new UserError('nowhere/dialtill.yaml: expected a readable configuration file'),
  );
});

test('a seal key of another length and a public key in another form are rejected, without quoting the secret', () => {
  const short = Buffer.alloc(16, 7).toString('base64');
  expect(errorsOf(`${good}ledger: { sealKey: ${short}, publicKeys: [abc] }\n`).join('\n')).toMatch(
    /ledger\.sealKey: expected the base64 of 32 bytes.*\n.*ledger\.publicKeys\[0\]: expected a public key/,
  );
});

test('an earlier public key needs the last block that it signed, and the current key has none', () => {
  const secret = Buffer.alloc(32, 7).toString('base64');
  const { publicKey: current } = createSealKey(secret);
  const { publicKey: earlier } = createSealKey(Buffer.alloc(32, 8).toString('base64'));
  const errors = (keys: string) =>
    errorsOf(`${good}ledger: { sealKey: ${secret}, publicKeys: [${keys}] }\n`).join('\n');
  expect(errors(`${current}, { key: ${earlier}, untilBlock: 812 }`)).toBe('');
  expect(errors(earlier)).toMatch(
    /ledger\.publicKeys\[0\]: expected untilBlock, because ledger\.sealKey is another/,
  );
  expect(errors(`{ key: ${current}, untilBlock: 812 }`)).toMatch(
    /ledger\.publicKeys\[0\]: expected no untilBlock, because this is the key of ledger\.sealKey/,
  );
  expect(errors(`{ key: ${earlier}, untilBlock: 0 }`)).toMatch(
    /ledger\.publicKeys\[0\]\.untilBlock: expected a public key/,
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

const withSignature = (signature: string) => good.replace('9000/\n', `9000/\n  signature: ${signature}\n`);

test.each(['{t}.{body}', '{id}.{t}.{body}', '{t}{body}', '{body}|{t}'])(
  'the signed text "%s" can be configured',
  (signedText) => {
    expect(errorsOf(withSignature(`{ signedText: "${signedText}" }`))).toEqual([]);
  },
);

test.each([
  '{body}',
  '{t}',
  '{t}.{t}.{body}',
  '{t}.{body}.{body}',
  '{t} {body}',
  '{t}.{body}.{url}',
  '{t}.{body}}',
])(
  'a signed text without the time and the body once each, or with other names, is reported: "%s"',
  (signedText) => {
    expect(errorsOf(withSignature(`{ signedText: "${signedText}" }`))).toEqual([
      '5 service.signature.signedText: expected a text with {t} and {body}, and at most one {id}, such as "{t}.{body}"',
    ]);
  },
);

test('a webhook secret that does not encode a key is reported when the secrets are base64', () => {
  const text = withSignature('{ secretEncoding: base64 }');
  const encoded = Buffer.alloc(24, 'a9!xQ').toString('base64');
  const errors = (secret: string) => errorsOf(text, { ...env, DEMO_WEBHOOK_SECRET: secret });
  expect(errors(`whsec_${encoded}`)).toEqual([]);
  expect(errors(encoded)).toEqual([]);
  for (const secret of [`whsec_${encoded.slice(0, 18)}`, `whsec_${encoded}!`, `whsec-${encoded}`]) {
    expect(errors(secret)).toEqual([
      '11 merchants[0].webhookSecrets[0]: expected the base64 of at least 16 bytes, because service.signature.secretEncoding is base64',
    ]);
  }
});
