import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskedText, maskNumbers, parseMsisdn } from '../../src/shared/msisdn.ts';

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
  ['+0244123456 (+0)244123456', '23324****456 (23324****456'],
  ['000244123456 or +00 233 244123456', '23324****456 or 23324****456'],
  [
    String.raw`{"note":"\u21160244123456","by":"\u00a0+233244123456"}`,
    String.raw`{"note":"\u211623324****456","by":"\u00a023324****456"}`,
  ],
  [String.raw`{"note":"\u0030244123456"}`, '{"note":"23324****456"}'],
  ['?tel=%2B233%20244%C2%A0123456&by=%25200244123456', '?tel=23324****456&by=%252023324****456'],
  ['100%0244123456', '100%23324****456'],
  ['&#48;244123456 &#x30;244123456', '23324****456 23324****456'],
])('a number in %j is masked', (text, masked) => {
  expect(maskNumbers(text)).toBe(masked);
});

test('a page shows the last four digits of a number, and three of one that was masked when it was stored', () => {
  expect(maskedText('Call 0244123456 or 23320****567').replaceAll('\u00a0', '_')).toBe(
    'Call 024_•••_3456 or 020_••••_567',
  );
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
/** What a raw text of JSON, of a URL or of a page has in front of a number for one character. */
const escapes = [
  '',
  '%',
  String.raw`\u2116`,
  String.raw`\u00A0`,
  String.raw`\\u00e9`,
  String.raw`\xa0`,
  String.raw`\x41`,
  String.raw`\n`,
  '%20',
  '%2520',
  '%C2%A0',
  '&#8470;',
  '&#x2116;',
];
const separators = ['', ' ', '-', '.', ') ', ' - ', '.', '\u00a0'];

test('every spelling of a number that is understood is masked in a sentence', () => {
  let understood = 0;
  const parts = fc.tuple(
    fc
      .constantFrom('Call ', 'Call', '"')
      .chain((before) => fc.constantFrom(...escapes.map((inFront) => before + inFront))),
    fc.constantFrom(...prefixes, '+0', '(+0)', '000', '00 0', '+00233'),
    fc.integer({ min: 0, max: 9_999_999 }),
    fc.array(fc.constantFrom(...separators), { minLength: 9, maxLength: 9 }),
  );
  fc.assert(
    fc.property(parts, ([before, prefix, rest, between]) => {
      const digits = `24${String(rest).padStart(7, '0')}`;
      const spelling = `${prefix}${[...digits].map((digit, at) => `${digit}${between[at]}`).join('')}`.trim();
      if (parseMsisdn(spelling) === undefined) return;
      understood++;
      expect(maskNumbers(`${before}${spelling} now`).replaceAll(/\D/g, '')).not.toContain(digits);
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

test.each([
  '20241234567890',
  'Meter 04123456789',
  '0302123456',
  'Ref 1234567',
  '',
  '+244 123 456',
  'pay_01k8n2rm0244123456789, evt_0123456789012',
  '{"amount":"20.00","at":"2026-11-20T10:00:00+00:00","total":"2000.00"}',
  String.raw`\u0030302123456 at %2020241234567890`,
  'GHS 20.00, 2026-11-27 9:15',
])('%j has no mobile number', (text) => {
  expect(maskNumbers(text)).toBe(text);
});
