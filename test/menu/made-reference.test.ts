import { describe, expect, test } from 'vitest';
import { applyPreset } from '../../src/menu/screens/options.ts';
import { context, loadText } from './support.ts';

const answers = { reference: 'KA1024', values: { seats: { number: 3 }, long: 'x'.repeat(40) } };
const made = (reference: string) =>
  applyPreset({ reference }, answers, context, { 'item.name': 'pta dues' }).reference;

describe('the reference that an option sets', () => {
  test.each([
    ['of letters alone', 'TITHE', 'TITHE'],
    ['of what was typed before and letters', '{reference} UNCHECKED', 'KA1024 UNCHECKED'],
    ['of an item of a list', '{reference} {item.name:upper}', 'KA1024 PTA DUES'],
    ['of a number', '{reference} x{seats}', 'KA1024 x3'],
  ])('is %s', (_, reference, expected) => {
    expect(made(reference)).toBe(expected);
  });

  test('remains unchanged when one of its names has no value', () => {
    expect(made('{reference} {giver}')).toBe('KA1024');
  });

  test('has at most 64 characters, and ends neither in half a surrogate pair nor in a blank', () => {
    expect(made('{long}{long}')).toBe('x'.repeat(64));
    expect(made(`${'y'.repeat(63)} {long}`)).toBe('y'.repeat(63));
    const halved = { values: { label: `${'z'.repeat(63)}😀` } };
    expect(applyPreset({ reference: '{label}' }, halved, context).reference).toBe('z'.repeat(63));
  });
});

test.each([
  ['a name that no screen gives', '{student} ALL', 'expected no {student} here: no screen sets it'],
  ['a letter that references do not have', 'A#1', 'expected 1 to 64 letters, digits, blanks or . / -'],
  ['a brace alone', 'A {reference', 'expected 1 to 64 letters, digits, blanks or . / -'],
])('a menu with %s in a reference is not loaded', (_, reference, message) => {
  const loaded = loadText(`languages: [en]
start: fees
screens:
  fees:
    kind: choose
    text: Fees
    options:
      - { label: All, set: { amount: "1.00", reference: "${reference}" }, to: pay }
  pay: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "Approve {amount}." }
`);
  expect(loaded.ok ? [] : loaded.errors.map((fault) => fault.message)).toEqual([
    expect.stringContaining(message),
  ]);
});
