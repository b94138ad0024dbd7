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
