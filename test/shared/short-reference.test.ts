import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createShortReference,
  readShortReference,
  showShortReference,
} from '../../src/shared/short-reference.ts';

const of = (digits: string) => createShortReference({ digits: () => digits });
const reference = fc.stringMatching(/^\d{7}$/).map(of);
const digit = fc.integer({ min: 0, max: 9 }).map(String);
const place = fc.nat(7);

function withDigit(reference: string, at: number, digit: string): string {
  return `${reference.slice(0, at)}${digit}${reference.slice(at + 1)}`;
}

test.each([
  ['0000572', '00005724'],
  ['4821736', '48217362'],
  ['0000000', '00000000'],
])('the digits %s make the reference %s', (digits, expected) => {
  expect(of(digits)).toBe(expected);
  expect(readShortReference(expected)).toBe(expected);
});

test('a reference uses seven digits and keeps all of them', () => {
  const counts: number[] = [];
  const digits = (count: number) => {
    counts.push(count);
    return '0000042';
  };
  expect(createShortReference({ digits })).toMatch(/^0000042\d$/);
  expect(counts).toEqual([7]);
});

test('every displayed reference is parsed back, with blanks and dashes in any place', () => {
  const filler = fc.constantFrom('', ' ', '-', '  ', '\u00a0', '\u2011', '\u2013');
  fc.assert(
    fc.property(reference, fc.array(filler, { minLength: 9, maxLength: 9 }), (one, fillers) => {
      expect(readShortReference(showShortReference(one))).toBe(one);
      const typed = fillers.map((filler, index) => filler + (one[index] ?? '')).join('');
      expect(readShortReference(typed)).toBe(one);
    }),
  );
});

test('every single wrong digit is detected', () => {
  fc.assert(
    fc.property(reference, place, digit, (one, at, wrong) => {
      fc.pre(one[at] !== wrong);
      expect(readShortReference(withDigit(one, at, wrong))).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});

test('every swap of two neighbouring digits is detected', () => {
  fc.assert(
    fc.property(reference, fc.nat(6), (one, at) => {
      const [left = '', right = ''] = one.slice(at, at + 2);
      fc.pre(left !== right);
      const swapped = withDigit(withDigit(one, at, right), at + 1, left);
      expect(readShortReference(swapped)).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});

test.each(['', '4821736', '482173620', '4821736a', '4821.7362', '+48217362', 'INV-7', '٤٨٢١٧٣٦٢'])(
  '"%s" is not a short reference',
  (typed) => {
    expect(readShortReference(typed)).toBeUndefined();
  },
);

test('a short reference is displayed in two halves', () => {
  expect(showShortReference('48217362')).toBe('4821 7362');
});
