import { expect, test } from 'vitest';
import { SlidingWindow } from '../../src/shared/limits/sliding-window.ts';

const of = (changed = {}) => new SlidingWindow({ ofEach: 2, withinMs: 1_000, keys: 3, ...changed });

test('each key has so many within the time, and one more when the first is out of it', () => {
  const allowance = of();
  allowance.take('a', 0);
  allowance.take('a', 600);
  expect([allowance.isLeft('a', 600), allowance.isLeft('b', 600)]).toEqual([false, true]);
  expect(allowance.isLeft('a', 999)).toBe(false);
  expect(allowance.isLeft('a', 1_000)).toBe(true);
  allowance.take('a', 1_000);
  expect([1_000, 1_599, 1_600].map((at) => allowance.isLeft('a', at))).toEqual([false, false, true]);
});

test('asking takes nothing', () => {
  const allowance = of();
  for (let n = 0; n < 10; n++) expect(allowance.isLeft('a', n)).toBe(true);
});

test('of more keys than are remembered, the one that took longest ago is forgotten', () => {
  const allowance = of({ withinMs: 10_000 });
  for (const [at, key] of ['a', 'b', 'c'].entries()) allowance.take(key, at);
  for (const key of ['a', 'c', 'd', 'd']) allowance.take(key, 5);
  expect(['a', 'b', 'c', 'd'].map((key) => allowance.isLeft(key, 10))).toEqual([false, true, false, false]);
});
