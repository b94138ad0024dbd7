import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPrivateTerm } from '../../../src/gateway/support/filter-text.ts';
import { readSearchTerm, searchedDigits } from '../../../src/gateway/support/search-term.ts';
import { normalizeTyped } from '../../../src/shared/typed-text.ts';

const separators = [
  '',
  ' ',
  '-',
  '.',
  '/',
  '_',
  '\u00a0',
  '\u2009',
  '\u2010',
  '\u2011',
  '\u2013',
  '\u2014',
  '\u2212',
  '\u200b',
  ' \u2013 ',
  '\ufeff',
];
const prefixes = ['0', '233', '+233', '+233 (0)', '00233', '(+233)', '(0)'];
const digitZeros = ['0', '\u0660', '\u06f0', '\u0966', '\uff10'];
const around = [
  ['', ''],
  ['"', '"'],
  ['\u201c', '\u201d'],
  ["'", "'"],
  ['`', '`'],
  ['\u00ab', '\u00bb'],
  [' ', '\t'],
  ['\u202a', '\u202c'],
] as const;
const sentences = [
  ['Customer ', ' called'],
  ['MoMo no: ', ''],
  ['MSISDN=', ', please check'],
  ['(', ') declined twice'],
  ['pls call ', '.'],
] as const;

const inDigits = (text: string, zero: string) =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint((zero.codePointAt(0) ?? 48) + Number(digit)));

/** A subscriber number in one of the spellings that people paste, and what it is. */
const spelling = fc
  .record({
    subscriber: fc.tuple(fc.constantFrom('24', '20', '50', '26', '55'), fc.stringMatching(/^\d{7}$/)),
    prefix: fc.constantFrom(...prefixes),
    separator: fc.constantFrom(...separators),
    zero: fc.constantFrom(...digitZeros),
    quotes: fc.constantFrom(...around),
  })
  .map(({ subscriber: [operator, rest], prefix, separator, zero, quotes: [open, close] }) => {
    const groups = [operator, rest.slice(0, 3), rest.slice(3)].join(separator);
    return { msisdn: `233${operator}${rest}`, text: open + inDigits(`${prefix}${groups}`, zero) + close };
  });

test('a phone number is found in every spelling that people paste', () => {
  fc.assert(
    fc.property(spelling, ({ msisdn, text }) => {
      expect(readSearchTerm(text).msisdn).toBe(msisdn);
      expect(readSearchTerm(text, { lastFour: true })).toMatchObject({
        msisdn: undefined,
        lastDigits: msisdn.slice(-4),
      });
      // It stands in no address, and it counts as a search for digits.
      expect(isPrivateTerm(text)).toBe(true);
      expect(searchedDigits(text)).not.toBe('');
    }),
  );
});

test('the only phone number in a sentence is found', () => {
  fc.assert(
    fc.property(spelling, fc.constantFrom(...sentences), ({ msisdn, text }, [before, after]) => {
      fc.pre(!text.includes('_'));
      const sentence = before + text + after;
      expect(readSearchTerm(sentence).msisdn).toBe(msisdn);
      expect(isPrivateTerm(sentence)).toBe(true);
    }),
  );
});

test.each([
  ['MoMo no: +233(0)24-412-3456', '233244123456'],
  ['0244123456 or 0201234567', undefined],
  ['INV-0244123456', undefined],
  ['0244123456-7', undefined],
  ['col_01k8n2rm0244123456', undefined],
  ['+27 82 412 3456', undefined],
])('%j names %j', (text, msisdn) => {
  expect(readSearchTerm(text).msisdn).toBe(msisdn);
});

test('last digits, short references and amounts are read in every spelling, too', () => {
  expect(readSearchTerm('“３４５６”').lastDigits).toBe('3456');
  expect(readSearchTerm('4821\u20117362').shortReference).toBe(readSearchTerm('48217362').shortReference);
  expect(readSearchTerm('GHS\u00a0٢٠.٥٠').amountMinor).toBe(2_050);
});

test('a text is normalized once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const once = normalizeTyped(text);
      expect(normalizeTyped(once)).toBe(once);
    }),
  );
});

test.each([
  ['020 ••• 0893', '0893', '0893'],
  ['020\u00a0•••\u00a00893', '0893', '0893'],
  ['•••0893', '0893', '0893'],
  ['***0893', '0893', '0893'],
  ['23320****893', '893', undefined],
  ['020 •••• 893', '893', undefined],
  ['***40893', '40893', undefined],
  ['***93', undefined, undefined],
  ['INV ***0893', undefined, undefined],
])('the masked number %j ends with %j, and with %j for readers of four digits', (text, all, lastFour) => {
  expect(readSearchTerm(text).lastDigits).toBe(all);
  expect(readSearchTerm(text, { lastFour: true }).lastDigits).toBe(lastFour);
});
