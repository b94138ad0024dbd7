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
  title: string;
  entry: Entry;
  last?: Partial<LastTurn> & { agoMs: number };
  /** The aggregator sent no session id. */
  bare?: true;
  sequenced?: true;
  /** The screen offers the last input to turn the page again. */
  again?: true;
  /** Several gateways continue the session. */
  shared?: true;
  /** The process was suspended for so long before it read the request. */
  waitedMs?: number;
  /** The request waited for the database for so long. */
  delayMs?: number;
  /** The aggregator's mark of the request. */
  mark?: string;
  /** The dialogue has an earlier turn at the request's position. */
  seen?: true;
  gives: RequestKind;
};

const dialled: Entry = { kind: 'dialled', suffix: [] };
const typed = (input: string): Entry => ({ kind: 'typed', input });
const cumulative = (text: string): Entry => ({ kind: 'cumulative', text });
const start = (...suffix: string[]): RequestKind => ({ kind: 'start', suffix });
const repeat: RequestKind = { kind: 'repeat', of: 'last' };
const earlier: RequestKind = { kind: 'repeat', of: 'earlier' };
const lost: RequestKind = { kind: 'lost' };

function classify({
  entry,
  last,
  bare,
  sequenced,
  again,
  shared,
  waitedMs,
  delayMs,
  mark,
  seen,
}: Case): RequestKind {
  const { agoMs = 0, ...changed } = last ?? {};
  const none = { ending: null, input: null, position: null, reply: 'continue' } as const;
  const turn: LastTurn = { ...none, ...changed, at: now - agoMs };
  const marked = mark === undefined ? {} : { mark };
  const request = { session: bare ? dialler : 'session-1', dialler, entry, ...marked };
  // A request that waited for the database is classified by its arrival, later.
  const arrival = { earliest: now - (waitedMs ?? 0), latest: now, now: now + (delayMs ?? 0) };
  return classifyRequest(request, { last: last && turn, earlier: seen && turn }, arrival, {
    ...settings,
    sequenced: sequenced ?? false,
    isShared: shared ?? false,
    turnsAgain: again ?? false,
  });
}

describe('where an aggregator distinguishes the dial from an input', () => {
  test.each<Case>([
    { title: 'a dial starts a dialogue', entry: dialled, gives: start() },
    {
      title: 'a dial with a suffix starts with it',
      entry: { kind: 'dialled', suffix: ['1', '20'] },
      gives: start('1', '20'),
    },
    { title: 'a dial repeated at once', entry: dialled, last: { agoMs: 0 }, gives: repeat },
    { title: 'a dial repeated in the window', entry: dialled, last: { agoMs: 2_000 }, gives: repeat },
    { title: 'a dial repeated in the dialogue', entry: dialled, last: { agoMs: 300_000 }, gives: repeat },
    {
      title: 'a dial after an answer, in the window',
      entry: dialled,
      last: { agoMs: 2_000, input: '1' },
      gives: repeat,
    },
    {
      title: 'a dial under the same session after an answer',
      entry: dialled,
      last: { agoMs: 2_001, input: '1' },
      gives: start(),
    },
    {
      title: 'a dial after the dialogue has expired',
      entry: dialled,
      last: { agoMs: 300_001 },
      gives: start(),
    },
    {
      title: 'a dial repeated right after END',
      entry: dialled,
      last: { agoMs: 2_000, reply: 'end' },
      gives: repeat,
    },
    {
      title: 'a dial under the same session well after END',
      entry: dialled,
      last: { agoMs: 2_001, reply: 'end' },
      gives: start(),
    },
    {
      title: 'a dial repeated at once without a session id',
      entry: dialled,
      last: { agoMs: 2_000 },
      bare: true,
      gives: repeat,
    },
    {
      title: 'a redial without a session id',
      entry: dialled,
      last: { agoMs: 2_001 },
      bare: true,
      gives: start(),
    },
    { title: 'an input without a dialogue', entry: typed('1'), gives: lost },
    {
      title: 'an input after the dialogue has expired',
      entry: typed('1'),
      last: { agoMs: 300_001 },
      gives: lost,
    },
    {
      title: 'an input at the end of the lifetime',
      entry: typed('1'),
      last: { agoMs: 300_000 },
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'another input at once',
      entry: typed('2'),
      last: { agoMs: 0, input: '1' },
      gives: { kind: 'advance', input: '2' },
    },
    {
      title: 'an equal input within the window',
      entry: typed('1'),
      last: { agoMs: 2_000, input: '1' },
      gives: repeat,
    },
    {
      title: 'an equal input after the window',
      entry: typed('1'),
      last: { agoMs: 2_001, input: '1' },
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'an equal input at once that turns the next page',
      entry: typed('#'),
      last: { agoMs: 0, input: '#' },
      again: true,
      gives: { kind: 'advance', input: '#' },
    },
    {
      title: 'an equal input at once where requests are numbered',
      entry: typed('1'),
      last: { agoMs: 0, input: '1' },
      sequenced: true,
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'nothing typed on the first screen',
      entry: typed(''),
      last: { agoMs: 0, input: null },
      gives: { kind: 'advance', input: '' },
    },
    {
      title: 'any input after END',
      entry: typed('2'),
      last: { agoMs: 250_000, input: '1', reply: 'end' },
      gives: repeat,
    },
    {
      title: 'an input after END and after the dialogue has expired',
      entry: typed('2'),
      last: { agoMs: 300_001, input: '1', reply: 'end' },
      gives: lost,
    },
  ])('$title', (one) => {
    expect(classify(one)).toEqual(one.gives);
  });
});

describe('where only the session shows whether a request is its first one', () => {
  const code: Entry = { kind: 'typed', input: '713*1', suffix: ['1'] };
  const marked: Entry = { kind: 'typed', input: '1', isFirst: true };
  const whole: Entry = { kind: 'cumulative', text: '33', suffix: [] };
  test.each<Case>([
    { title: 'a text that begins with the code', entry: code, gives: start('1') },
    { title: 'such a text at once again', entry: code, last: { agoMs: 0, input: '1' }, gives: repeat },
    {
      title: 'such a text in a dialogue',
      entry: code,
      last: { agoMs: 2_001, input: '1' },
      gives: { kind: 'advance', input: '713*1' },
    },
    {
      title: 'after END',
      entry: code,
      last: { agoMs: 2_001, reply: 'end', input: '7' },
      gives: repeat,
    },
    {
      title: 'a text that is marked as first, after END',
      entry: marked,
      last: { agoMs: 2_001, reply: 'end', input: '7' },
      gives: start(),
    },
    {
      title: 'a text that is marked as first, at once after END',
      entry: marked,
      last: { agoMs: 2_000, reply: 'end', input: '7' },
      gives: repeat,
    },
    {
      title: 'in a session whose numbers begin again',
      entry: { ...marked, suffix: ['1'] },
      mark: '1',
      last: { agoMs: 2_001, reply: 'end', position: '4' },
      gives: start('1'),
    },
    {
      title: 'after END, without a session id',
      entry: code,
      bare: true,
      last: { agoMs: 2_001, reply: 'end' },
      gives: start('1'),
    },
    {
      title: 'at once after END, without a session id',
      entry: code,
      bare: true,
      last: { agoMs: 0, reply: 'end' },
      gives: repeat,
    },
    {
      title: 'after an end notice, without a session id',
      entry: code,
      bare: true,
      last: { agoMs: 0, reply: 'end', ending: 'cancelled' },
      gives: start('1'),
    },
    { title: 'after the dialogue has expired', entry: code, last: { agoMs: 300_001 }, gives: start('1') },
    { title: 'any text that is marked as first', entry: marked, gives: start() },
    {
      title: 'such a mark in a dialogue',
      entry: marked,
      last: { agoMs: 0 },
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'such a mark after END, without a session id',
      entry: marked,
      bare: true,
      last: { agoMs: 2_001, reply: 'end', input: '7' },
      gives: start(),
    },
    {
      title: 'such a mark after END that answered the same input, without a session id',
      entry: marked,
      bare: true,
      last: { agoMs: 2_001, reply: 'end', input: '1' },
      gives: repeat,
    },
    ...([false, true] as const).flatMap((hasEnded): Case[] => {
      const dial: Entry = { kind: 'cumulative', text: '*713*20', suffix: ['20'] };
      const last = { position: '*713*1*7', reply: hasEnded ? 'end' : 'continue' } as const;
      const when = hasEnded ? 'after END' : 'in an interrupted dialogue';
      return [
        {
          title: `a cumulative text of other dialled answers ${when}`,
          entry: dial,
          last: { ...last, agoMs: 2_001 },
          gives: start('20'),
        },
        { title: `such a text at once ${when}`, entry: dial, last: { ...last, agoMs: 2_000 }, gives: repeat },
        {
          title: `an earlier text ${when}`,
          entry: { ...dial, text: '*713*1', suffix: ['1'] },
          last: { ...last, agoMs: 2_001 },
          gives: repeat,
        },
      ];
    }),
    { title: 'a cumulative text that is the sub-code', entry: whole, gives: start() },
    {
      title: 'after the dialogue of such a text has expired',
      entry: whole,
      last: { agoMs: 300_001, position: '33*1' },
      gives: start(),
    },
    {
      title: 'after END of such a dialogue, without a session id',
      entry: whole,
      bare: true,
      last: { agoMs: 2_001, position: '33*1', reply: 'end' },
      gives: start(),
    },
  ])('$title', (one) => {
    expect(classify(one)).toEqual(one.gives);
  });
});

describe('where an aggregator sends everything typed so far', () => {
  test.each<Case>([
    { title: 'an empty text starts a dialogue', entry: cumulative(''), gives: start() },
    {
      title: 'a first request with text starts with a suffix',
      entry: cumulative('1*20'),
      gives: start('1', '20'),
    },
    {
      title: 'the dial repeated',
      entry: cumulative(''),
      last: { agoMs: 10, position: '' },
      gives: repeat,
    },
    {
      title: 'a first input',
      entry: cumulative('1'),
      last: { agoMs: 10, position: '' },
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'an equal input at once advances, because the text is longer',
      entry: cumulative('1*1'),
      last: { agoMs: 0, input: '1', position: '1' },
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'an empty input',
      entry: cumulative('1*'),
      last: { agoMs: 10, position: '1' },
      gives: { kind: 'advance', input: '' },
    },
    {
      title: 'a longer number is not an extension of a shorter one',
      entry: cumulative('12'),
      last: { agoMs: 10, position: '1' },
      gives: repeat,
    },
    {
      title: 'an earlier request',
      entry: cumulative('1'),
      last: { agoMs: 10, position: '1*20' },
      seen: true,
      gives: earlier,
    },
    {
      title: 'a text that differs from the one before',
      entry: cumulative('2*20'),
      last: { agoMs: 10, position: '1*20' },
      gives: repeat,
    },
    {
      title: 'the last request after END',
      entry: cumulative('1*20*1'),
      last: { agoMs: 290_000, position: '1*20*1', reply: 'end' },
      gives: repeat,
    },
    {
      title: 'more typed after END',
      entry: cumulative('1*20*1*1'),
      last: { agoMs: 10, position: '1*20*1', reply: 'end' },
      gives: repeat,
    },
    {
      title: 'a dial under the same session after an answer',
      entry: cumulative(''),
      last: { agoMs: 2_001, position: '1*20' },
      seen: true,
      gives: start(),
    },
    {
      title: 'a dial in a session whose dialogue has expired',
      entry: cumulative(''),
      last: { agoMs: 300_001, position: '1' },
      gives: start(),
    },
    {
      title: 'an input in a session whose dialogue has expired',
      entry: cumulative('1*20'),
      last: { agoMs: 300_001, position: '1' },
      gives: lost,
    },
  ])('$title', (one) => {
    expect(classify(one)).toEqual(one.gives);
  });
});

describe('where several gateways continue a session', () => {
  test.each<Case>([
    {
      title:
        'an input that arrived before the last turn was written: it waited here, and the payer has not read that screen',
      entry: typed('1'),
      last: { agoMs: -17_000, input: '7.50' },
      delayMs: 20_000,
      shared: true,
      gives: repeat,
    },
    {
      title: 'an input that can have waited in a suspended process since before the last turn',
      entry: typed('1'),
      last: { agoMs: 50_000, input: '7.50' },
      waitedMs: 69_000,
      shared: true,
      gives: repeat,
    },
    {
      title: 'an input after the last turn, which waited in a suspended process',
      entry: typed('1'),
      last: { agoMs: 80_000, input: '7.50' },
      waitedMs: 69_000,
      shared: true,
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'a dial without a session id that can have waited, while another gateway answered its copy',
      entry: dialled,
      last: { agoMs: 1_000 },
      waitedMs: 5_000,
      bare: true,
      shared: true,
      gives: repeat,
    },
    {
      title: 'an input after a suspension that was longer than a dialogue lives',
      entry: typed('1'),
      last: { agoMs: 10_000, input: '7.50' },
      waitedMs: 400_000,
      sequenced: true,
      mark: '2',
      shared: true,
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'an input before a turn of the future: the clock of another gateway is ahead',
      entry: typed('1'),
      last: { agoMs: -17_000, input: '7.50' },
      shared: true,
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'such an input with a mark of its own, where a repeat can have a new mark',
      entry: typed('1'),
      mark: 'a820',
      last: { agoMs: -17_000, input: '7.50', position: 'a81f' },
      delayMs: 20_000,
      shared: true,
      gives: repeat,
    },
    {
      title: 'such an input with the next number',
      entry: typed('1'),
      mark: '3',
      last: { agoMs: -10, input: '7.50', position: '2' },
      shared: true,
      sequenced: true,
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'an input after the last turn',
      entry: typed('1'),
      last: { agoMs: 600, input: '7.50' },
      shared: true,
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'an input before the last turn of one gateway, whose clock was set back',
      entry: typed('1'),
      last: { agoMs: -17_000, input: '7.50' },
      gives: { kind: 'advance', input: '1' },
    },
  ])('$title', (one) => {
    expect(classify(one)).toEqual(one.gives);
  });
});

describe('where requests have a mark', () => {
  test.each<Case>([
    {
      title: 'the mark of the last turn',
      entry: typed('1'),
      mark: '2',
      last: { agoMs: 60_000, input: '1', position: '2' },
      gives: repeat,
    },
    {
      title: 'the mark of the last turn with another input',
      entry: typed('9'),
      mark: '2',
      last: { agoMs: 10, input: '1', position: '2' },
      sequenced: true,
      gives: { kind: 'advance', input: '9' },
    },
    {
      title: 'the mark of an earlier turn',
      entry: typed('1'),
      mark: 'a81f',
      last: { agoMs: 60_000, input: '20', position: 'a820' },
      seen: true,
      gives: earlier,
    },
    {
      title: 'a new mark',
      entry: typed('1'),
      mark: '3',
      last: { agoMs: 60_000, input: '20', position: '2' },
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'a new mark with an equal input at once, where marks are numbers in the session',
      entry: typed('1'),
      mark: '10',
      last: { agoMs: 0, input: '1', position: '9' },
      sequenced: true,
      gives: { kind: 'advance', input: '1' },
    },
    {
      title: 'a new mark with an equal input at once, where a repeat can have a new mark',
      entry: typed('1'),
      mark: 'a820',
      last: { agoMs: 0, input: '1', position: 'a81f' },
      gives: repeat,
    },
    {
      title: 'a smaller number than the last one',
      entry: typed('1'),
      mark: '2',
      last: { agoMs: 10, input: '5', position: '3' },
      sequenced: true,
      gives: repeat,
    },
    {
      title: 'the dial again, after later turns',
      entry: dialled,
      mark: '1',
      last: { agoMs: 10, input: '5', position: '3' },
      seen: true,
      gives: earlier,
    },
    {
      title: 'the dial again directly after END with an equal mark',
      entry: dialled,
      mark: '1',
      last: { agoMs: 2_000, input: '5', position: '3', reply: 'end' },
      seen: true,
      gives: earlier,
    },
    {
      title: 'a later dial after END, where the numbers start again',
      entry: dialled,
      mark: '1',
      last: { agoMs: 2_001, input: '5', position: '3', reply: 'end' },
      seen: true,
      gives: start(),
    },
    {
      title: 'a later dial after an answer, where the numbers start again',
      entry: dialled,
      mark: '1',
      last: { agoMs: 2_001, input: '5', position: '3' },
      seen: true,
      gives: start(),
    },
    {
      title: 'a dial of other answers with the mark of the last turn',
      entry: { kind: 'dialled', suffix: ['1', '20'] },
      mark: '1',
      last: { agoMs: 10, position: '1' },
      gives: start('1', '20'),
    },
    {
      title: 'a dial of the same answers with the mark of the last turn',
      entry: { kind: 'dialled', suffix: ['1', '20'] },
      mark: '1',
      last: { agoMs: 60_000, input: '1*20', position: '1' },
      gives: repeat,
    },
    {
      title: 'the dial again, without later turns',
      entry: dialled,
      mark: '1',
      last: { agoMs: 60_000, position: '1' },
      gives: repeat,
    },
    {
      title: 'the dial again, long after the dialogue has expired',
      entry: dialled,
      mark: '1',
      last: { agoMs: 300_001, position: '1' },
      gives: start(),
    },
    {
      title: 'a mark after END',
      entry: typed('1'),
      mark: '5',
      last: { agoMs: 10, position: '4', reply: 'end' },
      gives: repeat,
    },
  ])('$title', (one) => {
    expect(classify(one)).toEqual(one.gives);
  });
});

describe('where the number is the session', () => {
  test.each<Case>([
    {
      title: 'a dial directly after an end notice starts a dialogue',
      entry: dialled,
      bare: true,
      last: { agoMs: 100, reply: 'end', ending: 'ended' },
      gives: start(),
    },
    {
      title: 'an input after the notice changes nothing',
      entry: typed('1'),
      bare: true,
      last: { agoMs: 100, reply: 'end', ending: 'ended' },
      gives: repeat,
    },
  ])('$title', (one) => {
    expect(classify(one)).toEqual(one.gives);
  });
});

test('a dialled suffix has at most ten answers', () => {
  const many = Array.from({ length: 40 }, (_, index) => String(index));
  const ten = start(...many.slice(0, 10));
  expect(classify({ title: '', entry: { kind: 'dialled', suffix: many }, gives: ten })).toEqual(ten);
  expect(classify({ title: '', entry: cumulative(many.join('*')), gives: ten })).toEqual(ten);
});

test('an extension of the cumulative text advances, and a prefix of it repeats', () => {
  const input = fc.stringMatching(/^[0-9A-Z ]{0,6}$/);
  fc.assert(
    fc.property(fc.array(input, { minLength: 1, maxLength: 8 }), input, (inputs, next) => {
      const position = inputs.join('*');
      const at = (text: string) =>
        classify({ title: '', entry: cumulative(text), last: { agoMs: 1, position }, gives: repeat }).kind;
      fc.pre(position !== '');
      expect(at(`${position}*${next}`)).toBe('advance');
      for (let length = 0; length <= inputs.length; length++) {
        expect(at(inputs.slice(0, length).join('*'))).toBe('repeat');
      }
    }),
  );
});
