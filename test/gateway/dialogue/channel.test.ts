import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Aggregator, AggregatorFacts } from '../../../src/aggregators/aggregator.ts';
import { describeWith } from '../../../src/aggregators/description/describe.ts';
import type { Description } from '../../../src/aggregators/description/description.ts';
import {
  type ChannelSettings,
  createChannel,
  matchSecret,
  type UssdChannel,
} from '../../../src/gateway/dialogue/channel.ts';
import type { Menu } from '../../../src/menu/schema.ts';
import { type Msisdn, type Operator, operators } from '../../../src/shared/msisdn.ts';
import type { TextStyle } from '../../../src/shared/screen-text.ts';
import { serve } from '../../kit/local-server.ts';
import { callbackUrl } from '../../kit/phone.ts';
import { createTill } from '../../kit/till.ts';

const facts: AggregatorFacts = {
  name: 'one',
  title: 'One',
  method: 'POST',
  style: { alphabet: 'gsm', limit: 150, lineBreak: '\n', forbidden: '|' },
  replyWithinMs: 4_000,
  sequenced: false,
  promptDelayMs: 2_000,
};

const description = (end: string): Description => ({
  session: ['session'],
  number: ['number'],
  operator: ['network'],
  operators: { '01': 'mtn', '02': 'telecel' },
  input: ['text'],
  reply: { contentType: 'text/plain', continue: '{text}', end: `${end}{text}` },
});

const settingsSchema = z.strictObject({ end: z.string().default('OVER ') });

function aggregatorWith(changed: Partial<AggregatorFacts> = {}): Aggregator {
  return describeWith({ ...facts, ...changed }, settingsSchema, ({ end }) => description(end));
}

const merchant = {
  id: 'shop',
  name: 'Shop',
  livemode: 0,
  attendants: new Set<Msisdn>(),
  timeZone: 'Africa/Accra',
  menu: {} as Menu,
} as const;

const everywhere = (ms: number) =>
  Object.fromEntries(operators.map((operator) => [operator, ms])) as Record<Operator, number>;

function open(
  settings: Partial<ChannelSettings> = {},
  changed: Partial<AggregatorFacts> = {},
  generalDelayMs = 1_500,
): UssdChannel {
  const base = { id: 'till', secret: 'secret', serviceCode: '*713*5#' };
  return createChannel(
    aggregatorWith(changed),
    { ...base, ...settings },
    merchant,
    everywhere(generalDelayMs),
  );
}

const raw = (network: string) => ({
  body: `session=s&number=0244123456&text=1&network=${network}`,
  query: {},
  path: '',
});

function operatorOf(channel: UssdChannel, network: string): Operator {
  const reading = channel.decode(raw(network));
  if (reading.kind !== 'request') throw new Error('the request was not read');
  return reading.request.operator;
}

function shown(channel: UssdChannel, text: string): string {
  return channel.encode({ kind: 'end', text }, channel.decode(raw('01')), 0).body;
}

test('a channel without settings has the values of its aggregator', () => {
  const channel = open();
  expect(channel).toMatchObject({
    id: 'till',
    merchant,
    sequenced: facts.sequenced,
    replyWithinMs: facts.replyWithinMs,
    style: facts.style,
    promptDelayMs: everywhere(2_000),
  });
  expect(channel.allowFrom).toBeUndefined();
  expect(['secret', 'secret2', ''].map((given) => matchSecret(channel, given))).toEqual([
    'current',
    undefined,
    undefined,
  ]);
  expect(shown(channel, 'a|b\nc')).toBe('OVER a/b\nc');
  expect(operatorOf(channel, '02')).toBe('telecel');
});

describe('a setting of the channel replaces one value of the aggregator', () => {
  test.each<{ setting: Partial<ChannelSettings>; changes: Partial<UssdChannel> }>([
    { setting: { alphabet: 'unicode' }, changes: { style: { ...facts.style, alphabet: 'unicode' } } },
    { setting: { textLimit: 60 }, changes: { style: { ...facts.style, limit: 60 } } },
    { setting: { lineBreak: '^' }, changes: { style: { ...facts.style, lineBreak: '^' } } },
    { setting: { forbidden: '&' }, changes: { style: { ...facts.style, forbidden: '|&' } } },
    { setting: { replyWithinMs: 2_500 }, changes: { replyWithinMs: 2_500 } },
    { setting: { sequenced: true }, changes: { sequenced: true } },
    {
      setting: { promptDelayMs: { mtn: 5_000 } },
      changes: { promptDelayMs: { ...everywhere(2_000), mtn: 5_000 } },
    },
  ])('$setting', ({ setting, changes }) => {
    const { decode, encode, ...plain } = open();
    const { decode: _, encode: __, ...changed } = open(setting);
    expect(changed).toEqual({ ...plain, ...changes });
    expect(changed).not.toEqual(plain);
  });

  test('also for a falsy value', () => {
    expect(open({ sequenced: false }, { sequenced: true }).sequenced).toBe(false);
    expect(open({ promptDelayMs: { mtn: 0 } }).promptDelayMs.mtn).toBe(0);
  });

  test('allowFrom restricts the callers to a list', () => {
    const { allowFrom } = open({ allowFrom: ['10.0.0.0/8'] });
    expect(allowFrom?.has('10.1.2.3')).toBe(true);
    expect(allowFrom?.has('11.1.2.3')).toBe(false);
  });
});

describe('screens have the style of the channel', () => {
  test('they are cut at its limit', () => {
    expect(shown(open({ textLimit: 60 }), 'x'.repeat(200))).toBe(`OVER ${'x'.repeat(60)}`);
  });

  test.each([['^', 'a^b/c']])(
    '%j replaces a line break and cannot occur in a text',
    (lineBreak, expected) => {
      expect(shown(open({ lineBreak }), 'a\nb^|c')).toBe(`OVER ${expected}`);
    },
  );

  test('they use GSM letters, unless the channel or its aggregator has another alphabet', () => {
    const style: TextStyle = { ...facts.style, alphabet: 'unicode' };
    expect(shown(open(), 'Tua ɔ')).toBe('OVER Tua o');
    expect(shown(open({ alphabet: 'unicode' }), 'Tua ɔ')).toBe('OVER Tua ɔ');
    expect(shown(open({}, { style }), 'Tua ɔ')).toBe('OVER Tua ɔ');
    expect(shown(open({ alphabet: 'gsm' }, { style }), 'Tua ɔ')).toBe('OVER Tua o');
  });

  test('they lack the forbidden characters of the channel and of the aggregator', () => {
    expect(shown(open({ forbidden: '&^' }), 'a&b^c|d')).toBe('OVER a+bc/d');
  });
});

describe('the delay of the prompt', () => {
  test.each<{
    general: number;
    advice: number;
    own?: ChannelSettings['promptDelayMs'];
    mtn: number;
    at: number;
  }>([
    { general: 1_500, advice: 0, mtn: 1_500, at: 1_500 },
    { general: 1_500, advice: 3_000, mtn: 3_000, at: 3_000 },
    { general: 4_000, advice: 3_000, mtn: 4_000, at: 4_000 },
    { general: 4_000, advice: 3_000, own: { mtn: 1_000 }, mtn: 1_000, at: 4_000 },
    { general: 1_500, advice: 3_000, own: { mtn: 1_000, at: 5_000 }, mtn: 1_000, at: 5_000 },
    { general: 1_500, advice: 3_000, own: {}, mtn: 3_000, at: 3_000 },
  ])(
    'generally $general ms, advised $advice ms, on this channel $own: $mtn ms for MTN, $at ms for AT',
    ({ general, advice, own, mtn, at }) => {
      const { promptDelayMs } = open({ promptDelayMs: own }, { promptDelayMs: advice }, general);
      expect(promptDelayMs).toMatchObject({ mtn, at });
      expect(Object.keys(promptDelayMs).sort()).toEqual([...operators].sort());
    },
  );
});

describe('operators', () => {
  test("are read by the channel's spellings before the aggregator's, in upper and lower case", () => {
    const channel = open({ operators: { '02': 'at', 'VODA-Cash': 'telecel' } });
    expect(operatorOf(channel, '02')).toBe('at');
    expect(operatorOf(channel, 'voda-CASH')).toBe('telecel');
    expect(operatorOf(channel, '01')).toBe('mtn');
    expect(operatorOf(channel, 'nobody')).toBe('unknown');
  });
});

describe("the aggregator's own settings", () => {
  test('are read by its schema and change its dialect', () => {
    expect(shown(open({ settings: { end: 'END ' } }), 'Bye')).toBe('END Bye');
    expect(shown(open({ settings: {} }), 'Bye')).toBe('OVER Bye');
  });

  test('are rejected when its schema does not have them', () => {
    expect(() => open({ settings: { ende: 'END ' } })).toThrow();
  });
});

/*
 * Allowed callers over real sockets. The peer is 127.0.0.1, and a request cannot change the caller's address unless it
 * comes through a trusted proxy.
 */

const dial = 'sessionId=s-1&phoneNumber=%2B233244123456&networkCode=62001&text=';

async function openGate(lists: { allowFrom?: string[]; trustedProxies?: string[] }) {
  const till = await createTill({
    configure(config) {
      config.listen.trustedProxies = lists.trustedProxies ?? [];
      for (const channel of config.channels) {
        if (channel.id === 'africastalking') channel.allowFrom = lists.allowFrom;
      }
    },
  });
  const server = await serve(till.gateway().app);
  return {
    till,
    async dial(headers: Record<string, string> = {}, to = callbackUrl(till, 'africastalking')) {
      const url = `${server.url}${new URL(to).pathname}`;
      const answer = await fetch(url, { method: 'POST', body: dial, headers });
      return { status: answer.status, body: await answer.text() };
    },
  };
}

const rejection = 'rejected a USSD request from an address outside allowFrom';

describe('a channel with allowed addresses', () => {
  test.each([
    ['the address of this machine', ['127.0.0.1']],
    ['a network that this machine is in', ['203.0.113.0/24', '127.0.0.0/8']],
  ])('answers %s', async (_, allowFrom) => {
    const gate = await openGate({ allowFrom });
    const { status, body } = await gate.dial();
    expect(status).toBe(200);
    expect(body).toMatch(/^CON Demo Shop/);
    expect(gate.till.logged()).not.toContain(rejection);
  });

  test('answers every other address with 404, writes nothing, and logs a warning without a number', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54', '10.0.0.0/8'] });
    const refused = await gate.dial();
    expect(refused.status).toBe(404);
    expect(refused).toEqual(await gate.dial({}, 'http://gateway.test/nothing/here'));
    const lines = gate.till.logged().split('\n');
    const warned = lines.filter((line) => line.includes(rejection));
    // The address is logged: this is the only sign of an aggregator address that the list lacks.
    expect(warned.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', channel: 'africastalking', caller: '127.0.0.1' },
    ]);
    expect(gate.till.logged()).not.toContain('"turn"');
    for (const secret of ['244123456', 'secret-of-']) expect(gate.till.logged()).not.toContain(secret);
  });

  test('answers a wrong secret with the same 404 and logs no warning', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'] });
    const wrong = `${callbackUrl(gate.till, 'africastalking')}x`;
    expect((await gate.dial({}, wrong)).status).toBe(404);
    expect(gate.till.logged()).not.toContain(rejection);
  });

  test('does not restrict other channels', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'] });
    expect((await gate.dial({}, callbackUrl(gate.till, 'nalo'))).status).toBe(200);
  });
});

describe('x-forwarded-for', () => {
  test('is ignored from a caller that is not a trusted proxy', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'] });
    expect((await gate.dial({ 'x-forwarded-for': '52.50.116.54' })).status).toBe(404);
  });

  test('of a trusted proxy names the caller', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'], trustedProxies: ['127.0.0.1'] });
    expect((await gate.dial({ 'x-forwarded-for': '52.50.116.54' })).status).toBe(200);
    expect((await gate.dial({ 'x-forwarded-for': '203.0.113.9' })).status).toBe(404);
    expect((await gate.dial()).status).toBe(404);
  });

  test('of a trusted proxy is read from its end, because a caller can forge the entries before', async () => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'], trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
    expect((await gate.dial({ 'x-forwarded-for': '52.50.116.54, 203.0.113.9' })).status).toBe(404);
    expect((await gate.dial({ 'x-forwarded-for': '203.0.113.9, 52.50.116.54, 10.0.0.7' })).status).toBe(200);
  });

  test.each([
    '52.50.116.54:41234',
    '52.50.116.54:17085, 127.0.0.1:5512',
    '"52.50.116.54:41234"',
    '::ffff:52.50.116.54',
    '[::ffff:52.50.116.54]:443, , ',
  ])('of a trusted proxy can have ports, brackets and quotes: %s', async (forwardedFor) => {
    const gate = await openGate({ allowFrom: ['52.50.116.54'], trustedProxies: ['127.0.0.1'] });
    expect((await gate.dial({ 'x-forwarded-for': forwardedFor })).status).toBe(200);
    expect((await gate.dial({ 'x-forwarded-for': `${forwardedFor}, 203.0.113.9:80` })).status).toBe(404);
    expect((await gate.dial({ 'x-forwarded-for': `${forwardedFor}, unknown` })).status).toBe(404);
  });
});
