import { describe, expect, test } from 'vitest';
import { errorsOf, good, load, withChannel } from './kit.ts';

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
