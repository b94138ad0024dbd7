import { expect, test } from 'vitest';
import { countedFailures, delayMs, getBucket } from '../../../src/gateway/accounts/delay.ts';

const hour = 3_600_000;

test.each([
  [0, 0],
  [2, 0],
  [3, 1_000],
  [4, 2_000],
  [8, 32_000],
  [9, 60_000],
  [1_000_000, 60_000],
])('after %i failures, the next attempt is checked after %i ms', (failures, expected) => {
  expect(delayMs({ failures, at: hour }, hour)).toBe(expected);
  expect(delayMs({ failures, at: hour }, hour + expected)).toBe(0);
});

test('failures are forgotten after an hour, and a clock that was set back adds no delay', () => {
  expect(countedFailures({ failures: 9, at: 0 }, hour - 1)).toBe(9);
  expect(countedFailures({ failures: 9, at: 0 }, hour)).toBe(0);
  expect(countedFailures(undefined, hour)).toBe(0);
  expect(delayMs({ failures: 9, at: 100 * hour }, hour)).toBe(60_000);
});

test('a bucket has sixteen bits', () => {
  const buckets = Array.from({ length: 1_000 }, (_, i) => getBucket(`name-${i}`));
  expect(Math.max(...buckets)).toBeLessThan(65_536);
  expect(new Set(buckets).size).toBeGreaterThan(900);
});
