import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { nalo } from '../../../src/aggregators/nalo/nalo.ts';
import { aggregators as shipped } from '../../../src/aggregators/registry.ts';
import { loadConfig } from '../../../src/gateway/config/load.ts';
import { channelSchema, configSchema } from '../../../src/gateway/config/schema.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { aggregators, env, errorsOf, good, load, lookupsSecret, shop, write } from './kit.ts';

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

test('the port of the environment applies, and its host where the file names none; both are checked', () => {
  const container = { ...env, DIALTILL_HOST: '0.0.0.0', DIALTILL_PORT: '9090' };
  expect(loadConfig(write(good), container, aggregators).listen).toMatchObject({
    host: '0.0.0.0',
    port: 9_090,
  });
  const own = `${good}listen: { host: 127.0.0.1 }\n`;
  expect(loadConfig(write(own), container, aggregators).listen).toMatchObject({
    host: '127.0.0.1',
    port: 9_090,
  });
  const wrong = { ...env, DIALTILL_PORT: '99999' };
  expect(() => loadConfig(write(good), wrong, aggregators)).toThrow('DIALTILL_PORT: expected a port');
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

test('the example has every section of the configuration, and .env.example every secret of the commented ones', () => {
  const text = readFileSync('dialtill.example.yaml', 'utf8');
  const sections = [...text.matchAll(/^(?:# )?([a-z]\w*):(?= |$)/gm)].map(([, name]) => name);
  expect(sections.sort()).toEqual(Object.keys(configSchema.shape).sort());
  const secrets = readFileSync('.env.example', 'utf8');
  const commented = [...text.matchAll(/^#.*: \$\{(\w+)\}/gm)].map(([, name]) => name);
  expect(commented).toContain('DIALTILL_SECRETS_KEY');
  for (const name of commented) expect(secrets).toContain(`# ${name}=`);
  const shown = text.replaceAll(/^# (?:notify|heartbeat|console):\n(?:# {3}.+\n)+/gm, (section) =>
    section.replaceAll(/^# /gm, ''),
  );
  const variables = {
    ...{ ...env, HEARTBEAT_URL: 'https://monitor.example/x' },
    DIALTILL_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const menu = resolve('fixtures/menus/shop.yaml');
  const loaded = loadConfig(write(shown.replace('fixtures/menus/shop.yaml', menu)), variables, aggregators);
  expect(loaded.notify).toMatchObject({ allowPrivate: [] });
  expect(loaded.heartbeat).toMatchObject({ everyMs: 60_000 });
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
  const { style, replyWithinMs, sequenced } = nalo.aggregator;
  expect(channel).toMatchObject({
    aggregator: nalo.aggregator.name,
    previousSecret: old,
    alphabet: style.alphabet,
    textLimit: style.limit,
    lineBreak: style.lineBreak,
    forbidden: style.forbidden,
    replyWithinMs,
    sequenced,
  });
  const general = load(good).timings.promptDelayMs.mtn;
  const advised = Math.max(general, nalo.aggregator.promptDelayMs);
  expect(Object.values(channel?.promptDelayMs ?? {})).toEqual(Array(5).fill(advised));
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
    ['{ dialer: { perHour: 5 } }', 'dialer: unknown key: did you mean dialler?'],
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

test('a menu that two merchants share is loaded once, and its errors are reported once', () => {
  const folder = temporaryFolder();
  const menu = join(folder, 'menu.yaml');
  writeFileSync(menu, 'languages: [en]\nstart: a\nscreens:\n  a:\n    kind: end\n    text: "\u{1f389}"\n');
  const other = `  - { id: two, name: Two, key: sk_test_abcdef, webhookSecrets: [${'x'.repeat(24)}], menu: ${menu} }\n`;
  const errors = errorsOf(good.replace(shop, menu).replace('channels:\n', `${other}channels:\n`));
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain('menu.yaml:6:5 screens.a.text: expected letters that handsets show');
});
