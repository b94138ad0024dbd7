import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskNumbers, parseMsisdn } from '../../src/shared/msisdn.ts';

test.each([
  ['Pay GHS 20.00 to Demo Shop\nfrom 0244123456?', 'Pay GHS 20.00 to Demo Shop\nfrom 23324****456?'],
  ['024 412 3456', '23324****456'],
  ['+233-24-412-3456 or 00233244123456', '23324****456 or 23324****456'],
  ['0244123456.', '23324****456.'],
  ['Ama (024) 412 3456', 'Ama (23324****456'],
  ['Ama 0244  123456', 'Ama 23324****456'],
  ['Ama 0244\u00a0123\u00a0456', 'Ama 23324****456'],
  ['Ama 024/412–3456, 0201234567', 'Ama 23324****456, 23320****567'],
  ['Ama +233 (0) 24 412 3456', 'Ama 23324****456'],
])('a number in %j is masked', (text, masked) => {
  expect(maskNumbers(text)).toBe(masked);
});

/** Every way in which people write the parts of a number: what stands between its digits, and before them. */
const prefixes = [
  '0',
  '+233',
  '233',
  '00233',
  '+233 (0)',
  '(0)',
  '+233 0',
  '2330',
  '00 233 ',
  '+ 233 ',
  '00-233-',
];
const separators = ['', ' ', '-', '.', ') ', ' - ', '.', '\u00a0'];

test('every spelling of a number that is understood is masked in a sentence', () => {
  let understood = 0;
  const parts = fc.tuple(
    fc.constantFrom(...prefixes),
    fc.integer({ min: 0, max: 9_999_999 }),
    fc.array(fc.constantFrom(...separators), { minLength: 9, maxLength: 9 }),
  );
  fc.assert(
    fc.property(parts, ([prefix, rest, between]) => {
      const digits = `24${String(rest).padStart(7, '0')}`;
      const spelling = `${prefix}${[...digits].map((digit, at) => `${digit}${between[at]}`).join('')}`.trim();
      if (parseMsisdn(spelling) === undefined) return;
      understood++;
      expect(maskNumbers(`Call ${spelling} now`).replaceAll(/\D/g, '')).not.toContain(digits);
    }),
    { numRuns: 2_000 },
  );
  expect(understood).toBeGreaterThan(500);
});

test.each(['244123456', '24 412 3456', '244-123-456', '24.412.3456'])(
  '%j, a number without its first zero, is masked',
  (text) => {
    expect(maskNumbers(`Call ${text} now`)).toBe('Call 23324****456 now');
  },
);

test.each(['20241234567890', 'Meter 04123456789', '0302123456', 'Ref 1234567', ''])(
  '%j has no mobile number',
  (text) => {
    expect(maskNumbers(text)).toBe(text);
  },
);
