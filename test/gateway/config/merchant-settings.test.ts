import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../kit/folder.ts';
import { env, errorsOf, good, load, lookupsSecret, shop, variable, withChannel } from './kit.ts';

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

test('the time zone of a merchant is one of the zone database, and Africa/Accra by default', () => {
  const inZone = (zone: string) => good.replace('    menu:', () => `    timeZone: ${zone}\n    menu:`);
  expect(load(good).merchants[0]?.timeZone).toBe('Africa/Accra');
  expect(load(inZone('Africa/Lagos')).merchants[0]?.timeZone).toBe('Africa/Lagos');
  const expected = 'expected a time zone such as Africa/Accra';
  expect(errorsOf(inZone('Ghana'))).toEqual([`11 merchants[0].timeZone: ${expected}`]);
});

test("the private networks of a merchant's notifications are addresses or networks", () => {
  const reaching = (text: string) => good.replace('    menu:', () => `    notify: ${text}\n    menu:`);
  const own = { allowPrivate: ['192.168.1.0/24', '10.0.0.8'] };
  expect(load(reaching(JSON.stringify(own))).merchants[0]?.notify).toEqual(own);
  expect(load(good).merchants[0]?.notify).toBeUndefined();
  const expected = 'expected an address or a network, such as 52.50.116.54 or 10.0.0.0/8';
  expect(errorsOf(reaching('{ allowPrivate: [shop.local] }'))).toEqual([
    `11 merchants[0].notify.allowPrivate[0]: ${expected}`,
  ]);
  const many = Array(17).fill('10.0.0.8').join(', ');
  expect(errorsOf(reaching(`{ allowPrivate: [${many}] }`))).toEqual([
    '11 merchants[0].notify.allowPrivate: expected at most 16 networks',
  ]);
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
    const section = lookups === undefined ? '' : `\n    lookups: ${lookups}`;
    return good.replace(shop, () => `${menu}${section}`);
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

describe('settings of a channel that override its aggregator', () => {
  const delay = { mtn: 3_000, telecel: 3_000, at: 3_000, glo: 3_000, unknown: 3_000 };
  test.each<[line: string, read: object]>([
    ['alphabet: gsm', { alphabet: 'gsm' }],
    ['alphabet: unicode', { alphabet: 'unicode' }],
    ['textLimit: 160', { textLimit: 160 }],
    ['lineBreak: "\\n"', { lineBreak: '\n' }],
    ['lineBreak: "\\r\\n"', { lineBreak: '\r\n' }],
    ['lineBreak: <br/>', { lineBreak: '<br/>' }],
    ['lineBreak: "\\\\n"', { lineBreak: '\\n' }],
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
    ['lineBreak: "|"', 'lineBreak: expected "\\n", "\\r\\n", "\\r", "^", "<br>", "<br/>", "%0A", "\\\\n"'],
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
    ['textlimit: 160', 'textlimit: unknown key: did you mean textLimit?'],
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
