import { expect, test } from 'vitest';
import { giveUpAfterMs, maxGapMs, maxWaitMs, retryAt } from '../../../src/gateway/notify/retry-plan.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = 1_000 * day;

test.each([
  [1, 5_000],
  [2, 5 * minute],
  [3, 30 * minute],
  [4, 2 * hour],
  [5, 5 * hour],
  [6, 10 * hour],
  [7, 14 * hour],
  [8, 20 * hour],
  [9, day],
  [10, day],
])('after %i failed attempts the wait is %i ms, and a tenth more or less', (tries, waitMs) => {
  const waits = [0, 0.5, 1].map((random) => Number(retryAt({ plannedAt: now, tries }, now, random)) - now);
  expect(waits).toEqual([waitMs * 0.9, waitMs, waitMs * 1.1].map(Math.round));
});

test.each([
  [5 * day, 11, true],
  [5 * day, 10, false],
  [5 * day - 1, 11, false],
])('after %i ms and %i attempts a notification is given up: %s', (ageMs, tries, isGivenUp) => {
  expect(retryAt({ plannedAt: now - ageMs, tries }, now, 0) === null).toBe(isGivenUp);
});

test('an endpoint fails five days before it is disabled, and a gap is longer than the longest wait', () => {
  expect([giveUpAfterMs, maxWaitMs, maxGapMs]).toEqual([5 * day, 1.1 * day, 1.1 * day + hour]);
});
