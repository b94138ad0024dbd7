import { expect, test } from 'vitest';
import { duration, shownDuration } from '../../src/cli/service/duration.ts';

test.each([
  ['90s', 90_000, '1m30s'],
  ['10m', 600_000, '10m'],
  ['2h', 7_200_000, '2h'],
  ['3d', 259_200_000, '3d'],
  ['1h30m', 5_400_000, '1h30m'],
  ['1d1h1m1s', 90_061_000, '1d1h1m1s'],
])('%s is %i ms, and is told as %s', (text, ms, told) => {
  expect(duration(text)).toBe(ms);
  expect(shownDuration(ms)).toBe(told);
});

test.each([
  '',
  '10',
  'm',
  '1.5h',
  '-1m',
  '10 m',
  '10ms',
  '1h junk',
  '0s',
  '0d0h',
  '9'.repeat(30).concat('s'),
])('%j is no time', (text) => {
  expect(() => duration(text)).toThrow(/such as 90s/);
});
