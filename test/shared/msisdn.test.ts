// cspell:ignore mtnghussd mghtn
import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { expect, test } from 'vitest';
import {
  findMsisdn,
  isPhoneNumber,
  localForm,
  nameNetwork,
  operatorByName,
  operatorByPrefix,
  operators,
  operatorTitles,
  parseMsisdn,
  perOperator,
} from '../../src/shared/msisdn.ts';
import { cpuMsOf } from '../kit/size.ts';

test.each([
  ...'+233241234567 233241234567 00233241234567 0241234567 241234567'.split(' '),
  '024 123-4567',
  ' 024 123 4567 ',
  '+2330241234567',
  '(024) 123.4567',
  `024${' '.repeat(54)}1234567`,
])('%s is 233241234567', (spelling) => {
  expect(parseMsisdn(spelling)).toBe('233241234567');
});

test('the two common spellings, which need no library, give what the library gives for the same number', () => {
  const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 9, maxLength: 9 });
  fc.assert(
    fc.property(digits, (all) => {
      const subscriber = all.join('');
      const byLibrary = parseMsisdn(`0${subscriber.slice(0, 2)} ${subscriber.slice(2)}`);
      for (const prefix of ['0', '233', '+233']) expect(parseMsisdn(prefix + subscriber)).toBe(byLibrary);
    }),
  );
});

/** What libphonenumber makes of a text, as far as it is a mobile number of Ghana. */
function readByLibrary(text: string): string | undefined {
  const number = parsePhoneNumberFromString(text, 'GH')?.number ?? '';
  return /^\+233[25]\d{8}$/.test(number) ? number.slice(1) : undefined;
}

test('libphonenumber reads every digit string that is near a common spelling in the same way', () => {
  const prefix = fc.constantFrom('0', '233', '+233', '', '+', '00233', '2330', '1', '+1');
  const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 7, maxLength: 11 });
  fc.assert(
    fc.property(prefix, fc.constantFrom('2', '5', ''), digits, (before, first, rest) => {
      const text = `${before}${first}${rest.join('')}`;
      // Without a plus, twelve digits or more that begin with 233 are international, which the library does not assume.
      const isInternational = text.startsWith('233') && text.length >= 12;
      const byLibrary = readByLibrary(isInternational ? `+${text}` : text);
      // The common spellings are also those of numbers that the library's metadata does not list.
      const [, subscriber] = /^(?:\+?233|0)([25]\d{8})$/.exec(text) ?? [];
      expect(parseMsisdn(text)).toBe(byLibrary ?? (subscriber && `233${subscriber}`));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['0250123456', 'a block that strict metadata refuse'],
  ['0590123456', 'a block that strict metadata refuse'],
  ['0280123456', 'a closed operator, for the service to judge'],
])('%s is a mobile number: %s', (number) => {
  const msisdn = parseMsisdn(number);
  expect(msisdn && localForm(msisdn)).toBe(number);
});

test.each([
  '',
  ...'024123456 02412345678 0302123456 0241234567*1 +447911123456'.split(' '),
  '١'.repeat(10),
  '0'.repeat(40),
  'abc',
  'x024 123 4567',
  '024 123 4567x',
  '02--------',
  '+2337233241234567',
  `024${' '.repeat(55)}1234567`,
])('"%s" is not a Ghanaian mobile number', (text) => {
  expect(parseMsisdn(text)).toBeUndefined();
});

test('a number of glo without its first zero is not read as one with the country', () => {
  expect(parseMsisdn('233123456')).toBe('233233123456');
});

test.each([
  ...['Customer 024 412 3456 called', '0244123456', 'call:(0244123456).', '“0244123456”'],
  '0244123456, again 024 412 3456',
])('%j names one number', (sentence) => {
  expect(findMsisdn(sentence)).toBe('233244123456');
});

test.each([
  ...['0244123456 or 0201234567', 'REF0244123456', '0244123456X', 'order 024*412*3456', 'no number'],
])('%j names no number, or several', (sentence) => {
  expect(findMsisdn(sentence)).toBeUndefined();
});

test.each([...['0302123456', '+44 7911 123456', '1234567', '123456789012345', `1234567${' '.repeat(57)}`]])(
  '%j is a phone number',
  (text) => {
    expect(isPhoneNumber(text)).toBe(true);
  },
);

test.each([...['123456', '1234567890123456', 'x1234567', '', `1234567${' '.repeat(58)}`]])(
  '%j is no phone number',
  (text) => {
    expect(isPhoneNumber(text)).toBe(false);
  },
);

test('a network is named by its code, and by the code alone where it has no name', () => {
  expect([...operators, 'other'].map(nameNetwork)).toEqual('MTN Telecel AT Glo unknown other'.split(' '));
  expect(operatorTitles.unknown).toBe('another operator');
  expect(perOperator((operator) => operator.length)).toEqual({
    mtn: 3,
    telecel: 7,
    at: 2,
    glo: 3,
    unknown: 7,
  });
});

test.each([
  ['MTN', 'mtn'],
  ['mtn-gh', 'mtn'],
  [' Vodafone ', 'telecel'],
  ['AIRTELTIGO', 'at'],
  ['glo', 'glo'],
  ['Vodafone Ghana', 'telecel'],
  ['VODAFONE_GH', 'telecel'],
  ['Telecel Ghana', 'telecel'],
  ['Telecel (Vodafone)', 'telecel'],
  ['telecel cash', 'telecel'],
  ['MTN GHANA', 'mtn'],
  ['MTN-GH', 'mtn'],
  ['mtngh', 'mtn'],
  ['AirtelTigo ', 'at'],
  ['Airtel Tigo', 'at'],
  ['Airtel-Tigo Money', 'at'],
  ['AT', 'at'],
  ['AT Ghana', 'at'],
  ['Glo Mobile', 'glo'],
  ['62001', 'mtn'],
  ['62002', 'telecel'],
  ['62006', 'at'],
  ['62007', 'glo'],
  ['620-01', 'mtn'],
  ['620 02', 'telecel'],
  ['620-001', 'mtn'],
  ['620001', 'mtn'],
  ['620/03', 'at'],
  ['MTN (62001)', 'mtn'],
  ['mcc=620;mnc=02', 'telecel'],
  ['MCC620MNC06', 'at'],
  ['620:07', 'glo'],
  ['Telecel (formerly Vodafone)', 'telecel'],
  ['AT, ex AirtelTigo', 'at'],
  ['vodaphone', 'telecel'],
  ['vodafone-gh-ussd', 'telecel'],
  ['MTN_GHANA_USSD', 'mtn'],
  ['airtel_gh_ussd', 'at'],
  ['at-gh-ussd', 'at'],
  ['MTN GHA', 'mtn'],
  ['MTN USSD Gateway', 'mtn'],
  ['mtnmomo', 'mtn'],
  ['VodafoneCash', 'telecel'],
  ['AirtelTigoMoney', 'at'],
  ['GHMTN', 'mtn'],
  ['ghana-telecel', 'telecel'],
  ['Telecell', 'telecel'],
  ['ＭＴＮ', 'mtn'],
  ['MTN GH 4G', 'mtn'],
  ['airteltigo_lte', 'at'],
  ['mtnghussd', 'mtn'],
  ['(620-01)', 'mtn'],
  ['620-01 4G', 'mtn'],
  [`MTN${' '.repeat(61)}Telecel`, 'mtn'],
  ['mghtn', 'unknown'],
  ['gh', 'unknown'],
  ['ghat', 'at'],
  ['01', 'unknown'],
  ['USSD Gateway', 'unknown'],
  ['620', 'unknown'],
  ['6201', 'unknown'],
  ['620011', 'unknown'],
  ['62099', 'unknown'],
  ['62101', 'unknown'],
  ['162001', 'unknown'],
  ['62001 62002', 'unknown'],
  ['MTN Telecel', 'unknown'],
  ['MTN Uganda', 'unknown'],
  ['Ghana', 'unknown'],
  ['constructor', 'unknown'],
  ['__proto__', 'unknown'],
  ['', 'unknown'],
  [undefined, 'unknown'],
])('the operator name %s is read as %s', (name, operator) => {
  expect(operatorByName(name)).toBe(operator);
});

test('a prefix identifies the operator that issued the number', () => {
  const guess = (number: string) => {
    const msisdn = parseMsisdn(number);
    return msisdn && operatorByPrefix(msisdn);
  };
  expect(['0244123456', '0201234567', '0271234567', '0231234567', '0281234567'].map(guess)).toEqual(
    'mtn telecel at glo unknown'.split(' '),
  );
});

test('a long run of quotes or of numbers is read in linear time', () => {
  for (const text of [`x${"'".repeat(100_000)}x`, '024 '.repeat(25_000), `${'“'.repeat(50_000)}0244123456`])
    expect(cpuMsOf(() => void findMsisdn(text))).toBeLessThan(500);
});
