import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyPreset } from '../../src/menu/screens/options.ts';
import { readAnswer } from '../../src/menu/state/answer.ts';
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

  const fromLookup = (label: string) =>
    applyPreset({ reference: '{label}' }, { values: { label } }, context).reference;

  test('has at most 64 characters, and does not end in a blank', () => {
    expect(referenceOf('{long}{long}')).toBe('x'.repeat(64));
    expect(referenceOf(`${'y'.repeat(63)} {long}`)).toBe('y'.repeat(63));
    expect(fromLookup(`${'z'.repeat(63)}😀`)).toBe(`${'z'.repeat(63)}-`);
    expect(fromLookup(`${'z'.repeat(64)}😀`)).toBe('z'.repeat(64));
  });

  test.each([
    ['B-166 Wi-Fi | ^', 'B-166 Wi-Fi - -'],
    ['A_12#7', 'A-12-7'],
    ['Kofi & Sons (Ltd)', 'Kofi - Sons -Ltd-'],
    ['Adwoa Ɔdɔ, Ɛfua Ŋkɛ ŋ é', 'Adwoa Odo- Efua Nke n e'],
    ['12.5/3', '12.5/3'],
    ['…“漢한😀', '-----'],
    ['a\u00a0b\u202ec', 'a b-c'],
  ])('has only the characters of references: %j of a lookup becomes %j', (label, expected) => {
    expect(fromLookup(label)).toBe(expected);
  });

  test('is never longer, and has only allowed characters, for any text of a lookup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }), (label) => {
        const reference = fromLookup(label) ?? '';
        expect(reference).toMatch(/^[A-Za-z0-9 ./-]{0,64}$/);
        expect(reference.length).toBeLessThanOrEqual(label.length);
      }),
    );
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

test('a text of the menu that a reference contains may have only the characters of references', () => {
  const errorsOf = (label: string, reference: string) => {
    const loaded = loadText(`languages: [en]
start: fees
screens:
  fees:
    kind: choose
    text: Fees
    options:
      - { label: All, set: { amount: "1.00", values: { purpose: "${label}" } }, to: kind }
  kind:
    kind: choose
    text: "{purpose}"
    options:
      - { label: Pay, set: { reference: "${reference}" }, to: pay }
  pay: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "Approve {amount}." }
`);
    return loaded.ok ? [] : loaded.errors.map((one) => one.message);
  };
  expect(errorsOf('Fees & dues', 'A {purpose:upper}')).toEqual([
    'expected letters, digits, blanks or . / -, because a reference contains {purpose}',
  ]);
  expect(errorsOf('Fees and dues', 'A {purpose:upper}')).toEqual([]);
  expect(errorsOf('Fees & dues', 'A')).toEqual([]);
});

const question = {
  kind: 'ask',
  answer: 'reference',
  text: 'Bill',
  pattern: '[\\s\\S]+',
  example: 'A-1',
  to: 'pay',
} as const;

test.each(['A_1', 'A#1', 'A&1', 'A(1)', 'A\n1', 'A@1'])(
  'a typed reference is rejected and never converted, because two inputs could become one reference: %j',
  (typed) => {
    expect(readAnswer(question, typed, {})).toEqual({ ok: false, reason: 'invalidReferenceCharacters' });
  },
);

test('a typed reference can have letters, digits, blanks, dots, slashes and dashes', () => {
  const reference = 'Inv 12.5/3-b';
  expect(readAnswer(question, reference, {})).toEqual({ ok: true, answers: { reference } });
});

test('menu check requires a pattern of a typed text that a reference contains', () => {
  const menu = (pattern: string) => `languages: [en]
start: house
screens:
  house: { kind: ask, text: House number, answer: text, name: house, maxLength: 10, example: B-1, ${pattern} to: pick }
  pick:
    kind: choose
    text: What?
    options:
      - { label: Water, set: { amount: "1.00", reference: "{house}" }, to: pay }
  pay: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "Approve {amount}." }
`;
  const errors = (text: string) => {
    const loaded = loadText(text);
    return loaded.ok ? [] : loaded.errors.map(({ path, message }) => `${path}: ${message}`);
  };
  expect(errors(menu('pattern: "[A-Z]-[0-9]+",'))).toEqual([]);
  expect(errors(menu(''))).toEqual([
    expect.stringMatching(/^screens\.house: expected a pattern of .* because a reference contains \{house\}/),
  ]);
});
