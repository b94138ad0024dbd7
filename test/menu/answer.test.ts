import { describe, expect, test } from 'vitest';
import type { AskScreen } from '../../src/menu/schema.ts';
import { boundNames, isPlain, readAnswer, resolveBounds } from '../../src/menu/state/answer.ts';
import type { Answers } from '../../src/menu/state/state.ts';
import { amountMinor, maxAmountMinor } from '../../src/shared/money.ts';
import { msisdnOf } from '../kit/msisdn.ts';

const common = { kind: 'ask', text: '?', to: 'a' } as const;
const amount = { ...common, answer: 'amount', min: amountMinor(100), max: amountMinor(500) } as const;
const bill = { ...common, answer: 'reference', pattern: '[A-Z_]{2}\\d*', example: 'AB' } as const;
const name = { ...common, answer: 'text', name: 'who', maxLength: 5 } as const;
const seats = { ...common, answer: 'number', name: 'seats', min: 2, max: 2_000_000_000 } as const;
const wallet = { ...common, answer: 'msisdn' } as const;

/** Answers of the screens before. */
const earlier: Answers = { reference: 'R1', values: { class: 'JHS 1', who: 'Esi', seats: { number: 9 } } };
const named = (more: Answers['values']): Answers => ({ ...earlier, values: { ...earlier.values, ...more } });

describe('an answer', () => {
  test.each<[AskScreen, string, Answers]>([
    [amount, '1.00', { ...earlier, amountMinor: amountMinor(100) }],
    [amount, '5', { ...earlier, amountMinor: amountMinor(500) }],
    [wallet, '020 123 4567', { ...earlier, payer: msisdnOf('0201234567') }],
    [bill, 'AB12', { ...earlier, reference: 'AB12' }],
    [bill, 'ab12', { ...earlier, reference: 'AB12' }],
    [bill, `AB${'1'.repeat(62)}`, { ...earlier, reference: `AB${'1'.repeat(62)}` }],
    [name, 'Ama 1', named({ who: 'Ama 1' })],
    [{ ...name, pattern: 'A[a-z]+' }, 'Ama', named({ who: 'Ama' })],
    [seats, '2', named({ seats: { number: 2 } })],
    [seats, '2000000000', named({ seats: { number: 2_000_000_000 } })],
    [{ ...seats, min: 0 }, '00', named({ seats: { number: 0 } })],
  ])('to %j: %j replaces the one before, and keeps the others', (screen, input, answers) => {
    expect(readAnswer(screen, input, earlier)).toEqual({ ok: true, answers });
  });

  test('is the first one of a dialogue, too', () => {
    expect(readAnswer(name, 'Ama', {})).toEqual({ ok: true, answers: { values: { who: 'Ama' } } });
  });

  test.each<[AskScreen, string, string]>([
    [amount, 'x', 'invalidAmount'],
    [amount, '0.99', 'amountTooSmall'],
    [amount, '5.01', 'amountTooLarge'],
    [wallet, '0302123456', 'invalidMsisdn'],
    [bill, '12', 'invalidReference'],
    [bill, `AB${'1'.repeat(63)}`, 'invalidReference'],
    [bill, 'A_1', 'invalidReferenceCharacters'],
    [name, '', 'invalidText'],
    [name, 'Ama 12', 'invalidText'],
    [name, 'A\nB', 'invalidText'],
    [name, 'Amɔ', 'invalidText'],
    [{ ...name, pattern: '\\d' }, 'Ama', 'invalidText'],
    [seats, '', 'invalidNumber'],
    [seats, 'x5', 'invalidNumber'],
    [seats, '5x', 'invalidNumber'],
    [seats, '00000000005', 'invalidNumber'],
    [seats, '1', 'numberTooSmall'],
    [{ ...seats, min: 0, each: amountMinor(200) }, '0', 'numberTooSmall'],
    [seats, '2000000001', 'numberTooLarge'],
  ])('to %j: %j has the reason %s', (screen, input, reason) => {
    expect(readAnswer(screen, input, earlier)).toEqual({ ok: false, reason });
  });
});

test.each([
  ['', true],
  [' Az@_{~\n09', true],
  ['`', false],
  ['A`', false],
  ['`A', false],
  ['A\u007f', false],
  ['\u001fA', false],
  ['\r', false],
])('%j has only characters that every handset shows: %s', (text, plain) => {
  expect(isPlain(text)).toBe(plain);
});

const of = (from: string, divisor = 1) => ({ from, divisor });

test.each<[object, Answers, min: number, max: number]>([
  [{ min: amountMinor(200), max: amountMinor(900) }, {}, 200, 900],
  [
    { min: of('due', 2), max: of('due', 2) },
    { values: { due: { amountMinor: amountMinor(501) } } },
    251,
    250,
  ],
  [{ min: of('amount'), max: of('amount', 4) }, { amountMinor: amountMinor(800) }, 800, 200],
  // Without an amount of this name, the bounds are those of collections. None is below one pesewa.
  [{ min: of('due'), max: of('due') }, {}, 1, maxAmountMinor],
  [{ min: of('due'), max: of('due') }, { values: { class: 'A' } }, 1, maxAmountMinor],
  [{ min: of('due'), max: of('due') }, { values: { due: 'A' } }, 1, maxAmountMinor],
  [{ min: of('due'), max: of('due') }, { values: { due: { number: 7 } } }, 1, maxAmountMinor],
  [{ min: of('due'), max: of('due') }, { values: { due: { amountMinor: amountMinor(0) } } }, 1, 0],
])('the bounds of an amount: %j after %j', (bounds, answers, min, max) => {
  expect(resolveBounds({ ...amount, ...bounds }, answers)).toEqual({ min, max });
});

test('the names in the bounds of an amount are those of both', () => {
  expect(boundNames(amount)).toEqual([]);
  expect(boundNames({ ...amount, max: of('due', 2) })).toEqual(['due']);
  expect(boundNames({ ...amount, min: of('least'), max: of('due') })).toEqual(['least', 'due']);
});
