import { expect, test } from 'vitest';
import { SlidingWindow } from '../../../src/shared/limits/per-key.ts';

const createWindow = (changes = {}) =>
  new SlidingWindow({ limit: 2, windowMs: 1_000, maxKeys: 3, ...changes });

test('each key has its limit, and one more event when the oldest leaves the window', () => {
  const window = createWindow();
  window.record('a', 0);
  window.record('a', 600);
  expect([window.allows('a', 600), window.allows('b', 600)]).toEqual([false, true]);
  expect(window.allows('a', 999)).toBe(false);
  expect(window.allows('a', 1_000)).toBe(true);
  window.record('a', 1_000);
  expect([1_000, 1_599, 1_600].map((at) => window.allows('a', at))).toEqual([false, false, true]);
});

test('the wait ends when the oldest event leaves the window', () => {
  const window = createWindow();
  window.record('a', 0);
  expect(window.waitMs('a', 0)).toBe(0);
  window.record('a', 600);
  expect([600, 999, 1_000].map((at) => window.waitMs('a', at))).toEqual([400, 1, 0]);
});

test('a question counts no event', () => {
  const window = createWindow();
  for (let n = 0; n < 10; n++) expect(window.allows('a', n)).toBe(true);
});

test('beyond the number of keys, the key whose last event is the oldest is dropped', () => {
  const window = createWindow({ windowMs: 10_000 });
  for (const [at, key] of ['a', 'b', 'c'].entries()) window.record(key, at);
  for (const key of ['a', 'c', 'd', 'd']) window.record(key, 5);
  expect(['a', 'b', 'c', 'd'].map((key) => window.allows(key, 10))).toEqual([false, true, false, false]);
});
