import { expect, test } from 'vitest';
import { RequestBudget } from '../../../src/shared/limits/per-key.ts';
import { testClock } from '../../kit/clock.ts';

test('a key has a number of failures at once, and more as time passes', async () => {
  const clock = testClock();
  const budget = new RequestBudget({ burst: 3, perMinute: 60 }, clock);
  expect(budget.isExhausted('a')).toBe(false);
  expect([1, 2, 3, 4].map(() => budget.tryTake('a'))).toEqual([true, true, true, false]);
  expect([budget.isExhausted('a'), budget.isExhausted('b')]).toEqual([true, false]);
  await clock.advance(1_000);
  expect(budget.isExhausted('a')).toBe(false);
  expect([1, 2].map(() => budget.tryTake('a'))).toEqual([true, false]);
});

test('asking counts nothing, and a key that only asks is not remembered', () => {
  const budget = new RequestBudget({ burst: 1, perMinute: 1 }, testClock());
  for (let n = 0; n < 100; n++) expect(budget.isExhausted('a')).toBe(false);
  expect(budget.tryTake('a')).toBe(true);
});

test('the budget is unused until the first failure of any key', () => {
  const budget = new RequestBudget({ burst: 1, perMinute: 1 }, testClock());
  expect([budget.isUnused, budget.isExhausted('a'), budget.isUnused]).toEqual([true, false, true]);
  budget.tryTake('a');
  expect(budget.isUnused).toBe(false);
});

test('the key that failed least recently is forgotten first, so that memory is bounded', () => {
  const budget = new RequestBudget({ burst: 1, perMinute: 1 }, testClock());
  budget.tryTake('first');
  for (let n = 0; n < 20_000; n++) budget.tryTake(`key-${n}`);
  expect(budget.isExhausted('first')).toBe(false);
  expect(budget.isExhausted('key-19999')).toBe(true);
});
