import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ClassifiedTurn,
  classifyRequest,
  findInput,
  findPosition,
  type RequestKind,
} from '../../../src/gateway/dialogue/classify-request.ts';
import type { Msisdn } from '../../../src/shared/msisdn.ts';
import type { Entry } from '../../../src/shared/ussd.ts';

const now = Date.parse('2026-03-06T09:00:00Z');
const dialler = '233244123456' as Msisdn;
const settings = { dialogueLifetimeMs: 300_000, repeatWindowMs: 2_000, sequenced: false };

/** What the gateway knows when the request arrives. */
type State = Partial<ClassifiedTurn> & {
  /** When the last turn was written; absent without one. The keys of `LastTurn` are those of that turn. */
  agoMs?: number;
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
};

type Row = [title: string, entry: Entry, gives: RequestKind, state?: State];

const dialled: Entry = { kind: 'dialled', suffix: [] };
const typed = (input: string): Entry => ({ kind: 'typed', input });
const cumulative = (text: string): Entry => ({ kind: 'cumulative', text });
const start = (...suffix: string[]): RequestKind => ({ kind: 'start', suffix });
const repeat: RequestKind = { kind: 'repeat', of: 'last' };
const earlier: RequestKind = { kind: 'repeat', of: 'earlier' };
const lost: RequestKind = { kind: 'lost' };

const advance = (input: string): RequestKind => ({ kind: 'advance', input });
const dialledWith = (...suffix: string[]): Entry => ({ kind: 'dialled', suffix });

function classify(entry: Entry, state: State = {}): RequestKind {
  const { agoMs, bare, sequenced, again, shared, waitedMs, delayMs, mark, seen, ...changed } = state;
  const none = { ending: null, input: null, position: null, reply: 'continue' } as const;
  const turn: ClassifiedTurn = { ...none, ...changed, at: now - (agoMs ?? 0) };
  const marked = mark === undefined ? {} : { mark };
  const request = { session: bare ? dialler : 'session-1', dialler, entry, ...marked };
  // A request that waited for the database is classified by its arrival, later.
  const arrival = { earliest: now - (waitedMs ?? 0), latest: now, now: now + (delayMs ?? 0) };
  return classifyRequest(
    request,
    { last: agoMs === undefined ? undefined : turn, earlier: seen && turn },
    arrival,
    { ...settings, sequenced: sequenced ?? false, isShared: shared ?? false, turnsAgain: again ?? false },
  );
}

function check(rows: Row[]): void {
  test.each(rows)('%s', (_, entry, gives, state) => {
    expect(classify(entry, state)).toEqual(gives);
  });
}

describe('where an aggregator distinguishes the dial from an input', () => {
  check([
    ['a dial starts a dialogue', dialled, start()],
    ['a dial with a suffix starts with it', dialledWith('1', '20'), start('1', '20')],
    ['a dial repeated at once', dialled, repeat, { agoMs: 0 }],
    ['a dial repeated in the window', dialled, repeat, { agoMs: 2_000 }],
    ['a dial repeated in the dialogue', dialled, repeat, { agoMs: 300_000 }],
    ['a dial after an answer, in the window', dialled, repeat, { agoMs: 2_000, input: '1' }],
    ['a dial under the same session after an answer', dialled, start(), { agoMs: 2_001, input: '1' }],
    ['a dial after the dialogue has expired', dialled, start(), { agoMs: 300_001 }],
    ['a dial repeated right after END', dialled, repeat, { agoMs: 2_000, reply: 'end' }],
    ['a dial under the same session well after END', dialled, start(), { agoMs: 2_001, reply: 'end' }],
    ['a dial repeated at once without a session id', dialled, repeat, { agoMs: 2_000, bare: true }],
    ['a redial without a session id', dialled, start(), { agoMs: 2_001, bare: true }],
    ['an input without a dialogue', typed('1'), lost],
    ['an input after the dialogue has expired', typed('1'), lost, { agoMs: 300_001 }],
    ['an input at the end of the lifetime', typed('1'), advance('1'), { agoMs: 300_000 }],
    ['another input at once', typed('2'), advance('2'), { agoMs: 0, input: '1' }],
    ['an equal input within the window', typed('1'), repeat, { agoMs: 2_000, input: '1' }],
    ['an equal input after the window', typed('1'), advance('1'), { agoMs: 2_001, input: '1' }],
    [
      'an equal input at once that turns the next page',
      typed('#'),
      advance('#'),
      { agoMs: 0, input: '#', again: true },
    ],
    [
      'an equal input at once where requests are numbered',
      typed('1'),
      advance('1'),
      { agoMs: 0, input: '1', sequenced: true },
    ],
    [
      'an equal input long before a turn of the future, after the clock was set back',
      typed('1'),
      advance('1'),
      { agoMs: -17_000, input: '1' },
    ],
    ['nothing typed on the first screen', typed(''), advance(''), { agoMs: 0, input: null }],
    ['any input after END', typed('2'), repeat, { agoMs: 250_000, input: '1', reply: 'end' }],
    [
      'an input after END and after the dialogue has expired',
      typed('2'),
      lost,
      { agoMs: 300_001, input: '1', reply: 'end' },
    ],
  ]);
});

describe('where only the session shows whether a request is its first one', () => {
  const code: Entry = { kind: 'typed', input: '713*1', suffix: ['1'] };
  const marked: Entry = { kind: 'typed', input: '1', isFirst: true };
  const whole: Entry = { kind: 'cumulative', text: '33', suffix: [] };
  check([
    ['a text that begins with the code', code, start('1')],
    ['such a text at once again', code, repeat, { agoMs: 0, input: '1' }],
    ['the code alone, at once again', { ...code, input: '713', suffix: [] }, repeat, { agoMs: 0 }],
    [
      'a text of several dialled answers at once again',
      { kind: 'typed', input: '713*1*20', suffix: ['1', '20'] },
      repeat,
      { agoMs: 0, input: '1*20' },
    ],
    ['such a text in a dialogue', code, advance('713*1'), { agoMs: 2_001, input: '1' }],
    ['after END', code, repeat, { agoMs: 2_001, reply: 'end', input: '7' }],
    [
      'a text that is marked as first, after END',
      marked,
      start(),
      { agoMs: 2_001, reply: 'end', input: '7' },
    ],
    [
      'a text that is marked as first, at once after END',
      marked,
      repeat,
      { agoMs: 2_000, reply: 'end', input: '7' },
    ],
    [
      'in a session whose numbers begin again',
      { ...marked, suffix: ['1'] },
      start('1'),
      { mark: '1', agoMs: 2_001, reply: 'end', position: '4' },
    ],
    [
      'in a session whose numbers begin again before END',
      { ...code, input: '7' },
      start('1'),
      { mark: '1', agoMs: 2_001, input: '7', position: '4' },
    ],
    [
      'a text that is marked as first, in a session whose numbers begin again before END',
      marked,
      start(),
      { mark: '1', agoMs: 2_001, input: '7', position: '4' },
    ],
    [
      'a plain input with a smaller number, which is never a first request',
      typed('1'),
      repeat,
      { mark: '1', agoMs: 2_001, input: '7', position: '4', sequenced: true },
    ],
    ['after END, without a session id', code, start('1'), { bare: true, agoMs: 2_001, reply: 'end' }],
    ['at once after END, without a session id', code, repeat, { bare: true, agoMs: 0, reply: 'end' }],
    [
      'after an end notice, without a session id',
      code,
      start('1'),
      { bare: true, agoMs: 0, reply: 'end', ending: 'cancelled' },
    ],
    ['after the dialogue has expired', code, start('1'), { agoMs: 300_001 }],
    ['any text that is marked as first', marked, start()],
    ['such a mark in a dialogue', marked, advance('1'), { agoMs: 0 }],
    [
      'such a mark after END, without a session id',
      marked,
      start(),
      { bare: true, agoMs: 2_001, reply: 'end', input: '7' },
    ],
    [
      'such a mark after END that answered the same input, without a session id',
      marked,
      repeat,
      { bare: true, agoMs: 2_001, reply: 'end', input: '1' },
    ],
    ...([false, true] as const).flatMap((hasEnded): Row[] => {
      const dial: Entry = { kind: 'cumulative', text: '*713*20', suffix: ['20'] };
      const last = { position: '*713*1*7', reply: hasEnded ? 'end' : 'continue' } as const;
      const when = hasEnded ? 'after END' : 'in an interrupted dialogue';
      return [
        [`a cumulative text of other dialled answers ${when}`, dial, start('20'), { ...last, agoMs: 2_001 }],
        [`such a text at once ${when}`, dial, repeat, { ...last, agoMs: 2_000 }],
        [
          `an earlier text ${when}`,
          { ...dial, text: '*713*1', suffix: ['1'] },
          repeat,
          { ...last, agoMs: 2_001 },
        ],
        [
          `an earlier text that the dialogue still knows ${when}`,
          { ...dial, text: '*713*1*8', suffix: ['1', '8'] },
          earlier,
          { ...last, agoMs: 2_001, seen: true },
        ],
        [
          `a longer number than the one that was dialled ${when}`,
          dial,
          start('20'),
          { ...last, position: '*713*2', agoMs: 2_001 },
        ],
        [
          `a shorter number than the one that was dialled ${when}`,
          { ...dial, text: '*713*2', suffix: ['2'] },
          start('2'),
          { ...last, position: '*713*20', agoMs: 2_001 },
        ],
      ];
    }),
    [
      'a cumulative text with more typed after END',
      { kind: 'cumulative', text: '*713*1*7*1', suffix: ['1', '7', '1'] },
      repeat,
      { agoMs: 2_001, position: '*713*1*7', reply: 'end' },
    ],
    [
      'a cumulative text with more typed after END of a dial without answers',
      { kind: 'cumulative', text: '7', suffix: ['7'] },
      repeat,
      { agoMs: 2_001, position: '', reply: 'end' },
    ],
    [
      'an answer in a text with the code, after a dial without it',
      { kind: 'cumulative', text: '*713*1*7', suffix: ['1', '7'] },
      advance('7'),
      { agoMs: 2_001, position: '1', input: '1' },
    ],
    [
      'a first answer in a text with the sub-code, after an empty one',
      { ...whole, text: '33*1', suffix: ['1'] },
      advance('1'),
      { agoMs: 10, position: '' },
    ],
    [
      'the sub-code as an answer, after an empty text',
      whole,
      advance('33'),
      { agoMs: 2_001, position: '', input: '' },
    ],
    [
      'the sub-code as answers, after an answer without it',
      { ...whole, text: '1*33' },
      advance('33'),
      { agoMs: 2_001, position: '1', input: '1' },
    ],
    [
      'the sub-code after END of a dialogue with an empty text',
      whole,
      start(),
      { agoMs: 2_001, position: '', reply: 'end' },
    ],
    ['a cumulative text that is the sub-code', whole, start()],
    ['after the dialogue of such a text has expired', whole, start(), { agoMs: 300_001, position: '33*1' }],
    [
      'after END of such a dialogue, without a session id',
      whole,
      start(),
      { bare: true, agoMs: 2_001, position: '33*1', reply: 'end' },
    ],
  ]);
});

describe('where an aggregator sends everything typed so far', () => {
  check([
    ['an empty text starts a dialogue', cumulative(''), start()],
    ['a first request with text starts with a suffix', cumulative('1*20'), start('1', '20')],
    ['the dial repeated', cumulative(''), repeat, { agoMs: 10, position: '' }],
    ['a first input', cumulative('1'), advance('1'), { agoMs: 10, position: '' }],
    [
      'an equal input at once advances, because the text is longer',
      cumulative('1*1'),
      advance('1'),
      { agoMs: 0, input: '1', position: '1' },
    ],
    [
      'the dial repeated after the window, before any answer',
      cumulative(''),
      repeat,
      { agoMs: 60_000, position: '' },
    ],
    ['a first input after a turn without a text', cumulative('1'), advance('1'), { agoMs: 10, input: '' }],
    [
      'several answers in one text',
      cumulative('1*20'),
      advance('1*20'),
      { agoMs: 10, position: '', input: '' },
    ],
    [
      'the last request, which an earlier turn answered too',
      cumulative('1*20'),
      repeat,
      { agoMs: 10, position: '1*20', seen: true },
    ],
    [
      'a text that differs from the one before, after the window',
      cumulative('2*20'),
      repeat,
      { agoMs: 2_001, position: '1*20' },
    ],
    ['an empty input', cumulative('1*'), advance(''), { agoMs: 10, position: '1' }],
    [
      'a longer number is not an extension of a shorter one',
      cumulative('12'),
      repeat,
      { agoMs: 10, position: '1', input: '1' },
    ],
    [
      'a first answer without the sub-code that was dialled',
      cumulative('1'),
      advance('1'),
      { agoMs: 10, position: '33' },
    ],
    ['an earlier request', cumulative('1'), earlier, { agoMs: 10, position: '1*20', seen: true }],
    ['a text that differs from the one before', cumulative('2*20'), repeat, { agoMs: 10, position: '1*20' }],
    [
      'the last request after END',
      cumulative('1*20*1'),
      repeat,
      { agoMs: 290_000, position: '1*20*1', reply: 'end' },
    ],
    ['more typed after END', cumulative('1*20*1*1'), repeat, { agoMs: 10, position: '1*20*1', reply: 'end' }],
    [
      'a dial under the same session after an answer',
      cumulative(''),
      start(),
      { agoMs: 2_001, position: '1*20', seen: true },
    ],
    [
      'a dial in a session whose dialogue has expired',
      cumulative(''),
      start(),
      { agoMs: 300_001, position: '1' },
    ],
    [
      'an input in a session whose dialogue has expired',
      cumulative('1*20'),
      lost,
      { agoMs: 300_001, position: '1' },
    ],
  ]);
});

describe('where several gateways continue a session', () => {
  check([
    [
      'an input that arrived before the last turn was written: it waited here, and the payer has not read that screen',
      typed('1'),
      repeat,
      { agoMs: -17_000, input: '7.50', delayMs: 20_000, shared: true },
    ],
    [
      'an input that can have waited in a suspended process since before the last turn',
      typed('1'),
      repeat,
      { agoMs: 50_000, input: '7.50', waitedMs: 69_000, shared: true },
    ],
    [
      'an input in the millisecond of the last turn',
      typed('1'),
      advance('1'),
      { agoMs: 0, input: '7.50', shared: true },
    ],
    [
      'an input that can have waited for a turn of this millisecond',
      typed('1'),
      repeat,
      { agoMs: 0, input: '7.50', waitedMs: 10, shared: true },
    ],
    [
      'an input after the last turn, which waited in a suspended process',
      typed('1'),
      advance('1'),
      { agoMs: 80_000, input: '7.50', waitedMs: 69_000, shared: true },
    ],
    [
      'a dial without a session id that can have waited, while another gateway answered its copy',
      dialled,
      repeat,
      { agoMs: 1_000, waitedMs: 5_000, bare: true, shared: true },
    ],
    [
      'an input after a suspension that was longer than a dialogue lives',
      typed('1'),
      advance('1'),
      { agoMs: 10_000, input: '7.50', waitedMs: 400_000, sequenced: true, mark: '2', shared: true },
    ],
    [
      'an input before a turn of the future: the clock of another gateway is ahead',
      typed('1'),
      advance('1'),
      { agoMs: -17_000, input: '7.50', shared: true },
    ],
    [
      'such an input with a mark of its own, where a repeat can have a new mark',
      typed('1'),
      repeat,
      { mark: 'a820', agoMs: -17_000, input: '7.50', position: 'a81f', delayMs: 20_000, shared: true },
    ],
    [
      'such an input with the next number',
      typed('1'),
      advance('1'),
      { mark: '3', agoMs: -10, input: '7.50', position: '2', shared: true, sequenced: true },
    ],
    ['an input after the last turn', typed('1'), advance('1'), { agoMs: 600, input: '7.50', shared: true }],
    [
      'an input before the last turn of one gateway, whose clock was set back',
      typed('1'),
      advance('1'),
      { agoMs: -17_000, input: '7.50' },
    ],
  ]);
});

describe('where requests have a mark', () => {
  check([
    [
      'the mark of the last turn',
      typed('1'),
      repeat,
      { mark: '2', agoMs: 60_000, input: '1', position: '2' },
    ],
    [
      'the mark of the last turn with another input',
      typed('9'),
      advance('9'),
      { mark: '2', agoMs: 10, input: '1', position: '2', sequenced: true },
    ],
    [
      'the mark of an earlier turn',
      typed('1'),
      earlier,
      { mark: 'a81f', agoMs: 60_000, input: '20', position: 'a820', seen: true },
    ],
    ['a new mark', typed('1'), advance('1'), { mark: '3', agoMs: 60_000, input: '20', position: '2' }],
    [
      'a new mark with an equal input at once, where marks are numbers in the session',
      typed('1'),
      advance('1'),
      { mark: '10', agoMs: 0, input: '1', position: '9', sequenced: true },
    ],
    [
      'a new mark with an equal input at once, where a repeat can have a new mark',
      typed('1'),
      repeat,
      { mark: 'a820', agoMs: 0, input: '1', position: 'a81f' },
    ],
    [
      'a smaller number than the last one',
      typed('1'),
      repeat,
      { mark: '2', agoMs: 10, input: '5', position: '3', sequenced: true },
    ],
    [
      'a number of fewer digits than the last one',
      typed('1'),
      repeat,
      { mark: '9', agoMs: 10, input: '5', position: '10', sequenced: true },
    ],
    ...['-1', '0.5', '0x1'].map(
      (mark): Row => [
        `the mark ${mark}, which is no number in the session`,
        typed('1'),
        advance('1'),
        { mark, agoMs: 10, input: '5', position: '3', sequenced: true },
      ],
    ),
    [
      'the dial again, after later turns',
      dialled,
      earlier,
      { mark: '1', agoMs: 10, input: '5', position: '3', seen: true },
    ],
    [
      'the dial again directly after END with an equal mark',
      dialled,
      earlier,
      { mark: '1', agoMs: 2_000, input: '5', position: '3', reply: 'end', seen: true },
    ],
    [
      'a later dial after END, where the numbers start again',
      dialled,
      start(),
      { mark: '1', agoMs: 2_001, input: '5', position: '3', reply: 'end', seen: true },
    ],
    [
      'a later dial after an answer, where the numbers start again',
      dialled,
      start(),
      { mark: '1', agoMs: 2_001, input: '5', position: '3', seen: true },
    ],
    [
      'a dial of other answers with the mark of the last turn',
      dialledWith('1', '20'),
      start('1', '20'),
      { mark: '1', agoMs: 10, position: '1' },
    ],
    [
      'a dial of the same answers with the mark of the last turn',
      dialledWith('1', '20'),
      repeat,
      { mark: '1', agoMs: 60_000, input: '1*20', position: '1' },
    ],
    ['the dial again, without later turns', dialled, repeat, { mark: '1', agoMs: 60_000, position: '1' }],
    [
      'the dial again, long after the dialogue has expired',
      dialled,
      start(),
      { mark: '1', agoMs: 300_001, position: '1' },
    ],
    ['a mark after END', typed('1'), repeat, { mark: '5', agoMs: 10, position: '4', reply: 'end' }],
  ]);
});

describe('where the number is the session', () => {
  check([
    [
      'a dial directly after an end notice starts a dialogue',
      dialled,
      start(),
      { bare: true, agoMs: 100, reply: 'end', ending: 'ended' },
    ],
    [
      'an empty cumulative text directly after an end notice starts a dialogue',
      cumulative(''),
      start(),
      { bare: true, agoMs: 100, reply: 'end', ending: 'ended', position: '' },
    ],
    [
      'an input after the notice changes nothing',
      typed('1'),
      repeat,
      { bare: true, agoMs: 100, reply: 'end', ending: 'ended' },
    ],
  ]);
});

test('a dialled suffix has at most ten answers', () => {
  const many = Array.from({ length: 40 }, (_, index) => String(index));
  const ten = start(...many.slice(0, 10));
  expect(classify(dialledWith(...many))).toEqual(ten);
  expect(classify(cumulative(many.join('*')))).toEqual(ten);
  expect(classify({ kind: 'typed', input: '713', suffix: many })).toEqual(ten);
  const input = many.slice(0, 10).join('*');
  expect(findInput({ entry: dialledWith(...many) })).toBe(input);
  expect(classify(dialledWith(...many), { mark: '1', agoMs: 60_000, input, position: '1' })).toEqual(repeat);
});

test.each<[string, Entry, string | undefined, string | null, string | null]>([
  ['a dial has its answers as its input', dialledWith('1', '20'), undefined, null, '1*20'],
  ['a dial has the position of its mark', dialled, '1', '1', ''],
  ['an input has the position of its mark', typed('7'), '2', '2', '7'],
  ['a cumulative text is its own position, and its input depends', cumulative('1*7'), '2', '1*7', null],
])('%s', (_, entry, mark, position, input) => {
  const request = { entry, ...(mark !== undefined && { mark }) };
  expect([findPosition(request), findInput(request)]).toEqual([position, input]);
});

test('an extension of the cumulative text advances, and a prefix of it repeats', () => {
  const input = fc.stringMatching(/^[0-9A-Z ]{0,6}$/);
  fc.assert(
    fc.property(fc.array(input, { minLength: 1, maxLength: 8 }), input, (inputs, next) => {
      const position = inputs.join('*');
      const at = (text: string) => classify(cumulative(text), { agoMs: 1, position }).kind;
      fc.pre(position !== '');
      expect(at(`${position}*${next}`)).toBe('advance');
      for (let length = 0; length <= inputs.length; length++) {
        expect(at(inputs.slice(0, length).join('*'))).toBe('repeat');
      }
    }),
  );
});
