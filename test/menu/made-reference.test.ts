import { describe, expect, test } from 'vitest';
import { applyPreset } from '../../src/menu/screens/options.ts';
import { context, loadText } from './support.ts';

const answers = { reference: 'KA1024', values: { seats: { number: 3 }, long: 'x'.repeat(40) } };
const referenceOf = (reference: string) =>
  applyPreset({ reference }, answers, context, { 'item.name': 'pta dues' }).reference;

describe('the reference that an option sets', () => {
  test.each([
    ['a fixed text', 'TITHE', 'TITHE'],
    ['a typed reference and a fixed text', '{reference} UNCHECKED', 'KA1024 UNCHECKED'],
    ['a value of a list item', '{reference} {item.name:upper}', 'KA1024 PTA DUES'],
    ['a number', '{reference} x{seats}', 'KA1024 x3'],
  ])('can contain %s', (_, reference, expected) => {
    expect(referenceOf(reference)).toBe(expected);
  });

  test('remains unchanged when one of its values is unknown', () => {
    expect(referenceOf('{reference} {giver}')).toBe('KA1024');
  });

  test('has at most 64 characters, and ends neither in half a surrogate pair nor in a blank', () => {
    expect(referenceOf('{long}{long}')).toBe('x'.repeat(64));
    expect(referenceOf(`${'y'.repeat(63)} {long}`)).toBe('y'.repeat(63));
    const halved = { values: { label: `${'z'.repeat(63)}😀` } };
    expect(applyPreset({ reference: '{label}' }, halved, context).reference).toBe('z'.repeat(63));
  });
});

test.each([
  ['a name that no screen sets', '{student} ALL', 'expected no {student} here: no screen sets it'],
  ['a character that references cannot have', 'A#1', 'expected 1 to 64 letters, digits, blanks or . / -'],
  ['an unclosed brace', 'A {reference', 'expected 1 to 64 letters, digits, blanks or . / -'],
])('a menu with %s in a reference is rejected', (_, reference, message) => {
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
  expect(loaded.ok ? [] : loaded.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining(message),
  ]);
});
