import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  amountMinor,
  formatCedis,
  maxAmountMinor,
  parseCedis,
  parseTypedCedis,
  spellCedis,
} from '../../src/shared/money.ts';

test.each([
  ['20', 2000],
  ['20.5', 2050],
  ['20.50', 2050],
  ['GHS 20', 2000],
  ['₵1,234.56', 123_456],
  ['20 GHS', 2000],
  ['20ghs', 2000],
  ['20 cedis', 2000],
  ['1 cedi', 100],
  ['20.50 Ghana cedis', 2050],
  ['GH¢20', 2000],
  ['20GH₵', 2000],
  ['GHC 20.5', 2050],
  ['gh 20', 2000],
  [' 20 ', 2000],
  ['1,000', 100_000],
  ['12,345', 1_234_500],
  ['0', 0],
  ['1000000', 100_000_000],
  ['1,000,000', 100_000_000],
])('"%s" is %i pesewas', (text, expected) => {
  expect(parseCedis(text)).toBe(expected);
});

test.each([
  ...['', '-1', '1.234', '1,23', '1e3', '1.', '.5', '1000000.01', '99999999', '0x10', '१'],
  ...[
    '20,50',
    '1.000',
    '2 0',
    '1 000',
    '1,0000',
    '1000,000',
    '20 50',
    '20p',
    '20 pesewas',
    'GH.20',
    'GHS',
    'cedis',
    '20 20 cedis',
    '20-',
  ],
])('"%s" is not an amount', (text) => {
  expect(parseCedis(text)).toBeUndefined();
});

test.each([
  ...[
    '20',
    '20 cedis',
    '20.',
    ' 20 . ',
    '20/-',
    '20/=',
    '20 /-',
    '20 / -',
    'GHS 20/-',
    '20/= cedis',
    '20 cedis.',
    '20 cedis. ',
    'GH¢20.',
  ],
])('a payer who types "%s" means 20 cedis', (text) => {
  expect(parseTypedCedis(text)).toBe(2000);
});

test.each([
  ['20.50/-', 2050],
  ['1,000/=', 100_000],
  ['20.50.', 2050],
])('a payer who types "%s" means %i pesewas', (text, expected) => {
  expect(parseTypedCedis(text)).toBe(expected);
});

test.each([
  ...'20.. 20./- 20/ 20- 20= 20/50 20/-50'.split(' '),
  '20. 50',
  ...'1.000. GH.20 . /- 20/-/- 20,50/-'.split(' '),
])('a payer who types "%s" types no amount', (text) => {
  expect(parseTypedCedis(text)).toBeUndefined();
});

test.each(['20.', '20/-', '20/='])('"%s" is no amount in a file', (text) => {
  expect(parseCedis(text)).toBeUndefined();
});

test('every displayed amount is parsed back to its value', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: maxAmountMinor }), (value) => {
      expect(parseCedis(formatCedis(value))).toBe(value);
    }),
  );
});

test.each([
  [2000, 'twenty cedis'],
  [100, 'one cedi'],
  [1, 'one pesewa'],
  [2150, 'twenty-one cedis fifty pesewas'],
  [0, 'zero cedis'],
  [100_00, 'one hundred cedis'],
  [1_000_00, 'one thousand cedis'],
  [1_000_000_00, 'one million cedis'],
  [123_456_78, 'one hundred twenty-three thousand four hundred fifty-six cedis seventy-eight pesewas'],
])('%i pesewas are spelled %s', (value, words) => {
  expect(spellCedis(amountMinor(value))).toBe(words);
});

test('each number below twenty and each ten has its word', () => {
  const words =
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
    'seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety';
  const numbers = [...Array(20).keys(), 20, 30, 40, 50, 60, 70, 80, 90];
  const spelled = numbers.map((cedis) => spellCedis(amountMinor(cedis * 100)).replace(/ cedis?$/, ''));
  expect(spelled).toEqual(words.split(' '));
});

test('an amount below zero is displayed with its sign', () => {
  expect(formatCedis(-2050)).toBe('-GHS 20.50');
});

test('an amount that is not a whole number of pesewas within bounds is rejected', () => {
  expect(amountMinor(maxAmountMinor)).toBe(100_000_000);
  for (const value of [-1, 1.5, Number.NaN, maxAmountMinor + 1])
    expect(() => amountMinor(value)).toThrow(new RangeError(`expected an amount in pesewas, found ${value}`));
});
