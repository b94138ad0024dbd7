import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  classifyRequest,
  type LastTurn,
  type RequestKind,
} from '../../../src/gateway/dialogue/classify-request.ts';
import type { Msisdn } from '../../../src/shared/msisdn.ts';
import type { Entry } from '../../../src/shared/ussd.ts';

const now = Date.parse('2026-03-06T09:00:00Z');
const dialler = '233244123456' as Msisdn;
const settings = { dialogueLifetimeMs: 300_000, repeatWindowMs: 2_000, sequenced: false };

type Case = {
  says: string;
  entry: Entry;
  last?: Partial<LastTurn> & { agoMs: number };
  /** The aggregator sent no session id. */
  bare?: true;
  sequenced?: true;
  /** The aggregator's mark of the request. */
  mark?: string;
  /** An earlier turn of the dialogue stands at the request's position. */
  seen?: true;
  gives: RequestKind;
};

const dialled: Entry = { kind: 'dialled', suffix: [] };
const typed = (input: string): Entry => ({ kind: 'typed', input });
const cumulative = (text: string): Entry => ({ kind: 'cumulative', text });
const begin = (...suffix: string[]): RequestKind => ({ kind: 'begin', suffix });
const repeat: RequestKind = { kind: 'repeat', of: 'last' };
const earlier: RequestKind = { kind: 'repeat', of: 'earlier' };
const lost: RequestKind = { kind: 'lost' };

function placeOf({ entry, last, bare, sequenced, mark, seen }: Case): RequestKind {
  const { agoMs = 0, ...changed } = last ?? {};
  const none = { dialler, ending: null, input: null, position: null, reply: 'continue' } as const;
  const turn: LastTurn = { ...none, ...changed, at: now - agoMs };
  const marked = mark === undefined ? {} : { mark };
  const request = { session: bare ? dialler : 'session-1', dialler, entry, ...marked };
  return classifyRequest(request, { last: last && turn, seen: seen ?? false }, now, {
    ...settings,
    sequenced: sequenced ?? false,
  });
}

describe('where the dial and the last input are told apart', () => {
  test.each<Case>([
    { says: 'a dial begins', entry: dialled, gives: begin() },
    {
      says: 'a dial with answers begins with them',
      entry: { kind: 'dialled', suffix: ['1', '20'] },
      gives: begin('1', '20'),
    },
    { says: 'a dial repeated at once', entry: dialled, last: { agoMs: 0 }, gives: repeat },
    { says: 'a dial repeated in the window', entry: dialled, last: { agoMs: 2_000 }, gives: repeat },
    { says: 'a dial repeated in the dialogue', entry: dialled, last: { agoMs: 300_000 }, gives: repeat },
    { says: 'a dial after the dialogue died', entry: dialled, last: { agoMs: 300_001 }, gives: begin() },
    {
      says: 'a dial repeated right after END',
      entry: dialled,
      last: { agoMs: 2_000, reply: 'end' },
      gives: repeat,
    },
    {
      says: 'a dial under the same session well after END',
      entry: dialled,
      last: { agoMs: 2_001, reply: 'end' },
      gives: begin(),
    },
    {
      says: 'a dial repeated at once without a session id',
      entry: dialled,
      last: { agoMs: 2_000 },
      bare: true,
      gives: repeat,
    },
    {
      says: 'a redial without a session id',
      entry: dialled,
      last: { agoMs: 2_001 },
      bare: true,
      gives: begin(),
    },
    { says: 'an input without a dialogue', entry: typed('1'), gives: lost },
    {
      says: 'an input after the dialogue died',
      entry: typed('1'),
      last: { agoMs: 300_001 },
      gives: lost,
    },
    {
      says: 'an input at the end of its life',
      entry: typed('1'),
      last: { agoMs: 300_000 },
      gives: { kind: 'advance', input: '1' },
    },
    {
      says: 'another input at once',
      entry: typed('2'),
      last: { agoMs: 0, input: '1' },
      gives: { kind: 'advance', input: '2' },
    },
    {
      says: 'an equal input within the window',
      entry: typed('1'),
      last: { agoMs: 2_000, input: '1' },
      gives: repeat,
    },
    {
      says: 'an equal input after the window',
      entry: typed('1'),
      last: { agoMs: 2_001, input: '1' },
      gives: { kind: 'advance', input: '1' },
    },
    {
      says: 'an equal input at once where requests are numbered',
      entry: typed('1'),
      last: { agoMs: 0, input: '1' },
      sequenced: true,
      gives: { kind: 'advance', input: '1' },
    },
    {
      says: 'nothing typed on the first screen',
      entry: typed(''),
      last: { agoMs: 0, input: null },
      gives: { kind: 'advance', input: '' },
    },
    {
      says: 'any input after END',
      entry: typed('2'),
      last: { agoMs: 250_000, input: '1', reply: 'end' },
      gives: repeat,
    },
    {
      says: 'an input after END and after the dialogue died',
      entry: typed('2'),
      last: { agoMs: 300_001, input: '1', reply: 'end' },
      gives: lost,
    },
  ])('$says', (one) => {
    expect(placeOf(one)).toEqual(one.gives);
  });
});

describe('where all that was typed is sent', () => {
  test.each<Case>([
    { says: 'nothing typed begins', entry: cumulative(''), gives: begin() },
    {
      says: 'a first request with text begins with a suffix',
      entry: cumulative('1*20'),
      gives: begin('1', '20'),
    },
    {
      says: 'the dial repeated',
      entry: cumulative(''),
      last: { agoMs: 10, position: '' },
      gives: repeat,
    },
    {
      says: 'a first input',
      entry: cumulative('1'),
      last: { agoMs: 10, position: '' },
      gives: { kind: 'advance', input: '1' },
    },
    {
      says: 'an equal input at once is a step, for the text says so',
      entry: cumulative('1*1'),
      last: { agoMs: 0, input: '1', position: '1' },
      gives: { kind: 'advance', input: '1' },
    },
    {
      says: 'an empty input',
      entry: cumulative('1*'),
      last: { agoMs: 10, position: '1' },
      gives: { kind: 'advance', input: '' },
    },
    {
      says: 'a longer number is no step from a shorter one',
      entry: cumulative('12'),
      last: { agoMs: 10, position: '1' },
      gives: repeat,
    },
    {
      says: 'an earlier request',
      entry: cumulative('1'),
      last: { agoMs: 10, position: '1*20' },
      seen: true,
      gives: earlier,
    },
    {
      says: 'a request that branches off',
      entry: cumulative('2*20'),
      last: { agoMs: 10, position: '1*20' },
      gives: repeat,
    },
    {
      says: 'the last request after END',
      entry: cumulative('1*20*1'),
      last: { agoMs: 290_000, position: '1*20*1', reply: 'end' },
      gives: repeat,
    },
    {
      says: 'more typed after END',
      entry: cumulative('1*20*1*1'),
      last: { agoMs: 10, position: '1*20*1', reply: 'end' },
      gives: repeat,
    },
    {
      says: 'a dial in a session whose dialogue died',
      entry: cumulative(''),
      last: { agoMs: 300_001, position: '1' },
      gives: begin(),
    },
    {
      says: 'an input in a session whose dialogue died',
      entry: cumulative('1*20'),
      last: { agoMs: 300_001, position: '1' },
      gives: lost,
    },
  ])('$says', (one) => {
    expect(placeOf(one)).toEqual(one.gives);
  });
});

describe('where requests are marked', () => {
  test.each<Case>([
    {
      says: 'the mark of the last turn',
      entry: typed('1'),
      mark: '2',
      last: { agoMs: 60_000, input: '1', position: '2' },
      gives: repeat,
    },
    {
      says: 'the mark of the last turn with another input: two requests at once',
      entry: typed('9'),
      mark: '2',
      last: { agoMs: 10, input: '1', position: '2' },
      gives: repeat,
    },
    {
      says: 'the mark of an earlier turn',
      entry: typed('1'),
      mark: 'a81f',
      last: { agoMs: 60_000, input: '20', position: 'a820' },
      seen: true,
      gives: earlier,
    },
    {
      says: 'a new mark',
      entry: typed('1'),
      mark: '3',
      last: { agoMs: 60_000, input: '20', position: '2' },
      gives: { kind: 'advance', input: '1' },
    },
    {
      says: 'a new mark with an equal input at once, where marks are numbers in the session',
      entry: typed('1'),
      mark: '10',
      last: { agoMs: 0, input: '1', position: '9' },
      sequenced: true,
      gives: { kind: 'advance', input: '1' },
    },
    {
      says: 'a new mark with an equal input at once, where a repeat may be marked anew',
      entry: typed('1'),
      mark: 'a820',
      last: { agoMs: 0, input: '1', position: 'a81f' },
      gives: repeat,
    },
    {
      says: 'a number that was overtaken',
      entry: typed('1'),
      mark: '2',
      last: { agoMs: 10, input: '5', position: '3' },
      sequenced: true,
      gives: repeat,
    },
    {
      says: 'the dial again, when the dialogue has gone on',
      entry: dialled,
      mark: '1',
      last: { agoMs: 10, input: '5', position: '3' },
      seen: true,
      gives: earlier,
    },
    {
      says: 'the dial again after END: the mark says that it is a repeat, however old',
      entry: dialled,
      mark: '1',
      last: { agoMs: 60_000, input: '5', position: '3', reply: 'end' },
      seen: true,
      gives: earlier,
    },
    {
      says: 'the dial again, with nothing after it',
      entry: dialled,
      mark: '1',
      last: { agoMs: 60_000, position: '1' },
      gives: repeat,
    },
    {
      says: 'the dial again when the dialogue is long dead',
      entry: dialled,
      mark: '1',
      last: { agoMs: 300_001, position: '1' },
      gives: begin(),
    },
    {
      says: 'a mark after END',
      entry: typed('1'),
      mark: '5',
      last: { agoMs: 10, position: '4', reply: 'end' },
      gives: repeat,
    },
  ])('$says', (one) => {
    expect(placeOf(one)).toEqual(one.gives);
  });
});

describe('where the number is the session', () => {
  test.each<Case>([
    {
      says: 'a dial right after the notice that the one before is over begins',
      entry: dialled,
      bare: true,
      last: { agoMs: 100, reply: 'end', ending: 'ended' },
      gives: begin(),
    },
    {
      says: 'an input after the notice changes nothing',
      entry: typed('1'),
      bare: true,
      last: { agoMs: 100, reply: 'end', ending: 'ended' },
      gives: repeat,
    },
  ])('$says', (one) => {
    expect(placeOf(one)).toEqual(one.gives);
  });
});

describe('under a session id that was used for another number', () => {
  const last = { agoMs: 10, dialler: '233201234567', input: '1', position: '1' };
  test.each<Case>([
    { says: 'a dial begins', entry: dialled, last, gives: begin() },
    { says: 'an input belongs to nobody', entry: typed('1'), last, gives: lost },
    { says: 'a first request begins', entry: cumulative(''), last, gives: begin() },
  ])('$says', (one) => {
    expect(placeOf(one)).toEqual(one.gives);
  });
});

test('no more than ten answers are taken from a dialled string', () => {
  const many = Array.from({ length: 40 }, (_, index) => String(index));
  const ten = begin(...many.slice(0, 10));
  expect(placeOf({ says: '', entry: { kind: 'dialled', suffix: many }, gives: ten })).toEqual(ten);
  expect(placeOf({ says: '', entry: cumulative(many.join('*')), gives: ten })).toEqual(ten);
});

test('typing on is always a step, and any part of what was typed never is', () => {
  const input = fc.stringMatching(/^[0-9A-Z ]{0,6}$/);
  fc.assert(
    fc.property(fc.array(input, { minLength: 1, maxLength: 8 }), input, (inputs, next) => {
      const position = inputs.join('*');
      const at = (text: string) =>
        placeOf({ says: '', entry: cumulative(text), last: { agoMs: 1, position }, gives: repeat }).kind;
      fc.pre(position !== '');
      expect(at(`${position}*${next}`)).toBe('advance');
      for (let length = 0; length <= inputs.length; length++) {
        expect(at(inputs.slice(0, length).join('*'))).toBe('repeat');
      }
    }),
  );
});
