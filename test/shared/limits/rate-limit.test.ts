import { expect, test } from 'vitest';
import { createRateLimit } from '../../../src/shared/limits/per-key.ts';
import { testClock } from '../../kit/clock.ts';

const minute = 60_000;

test('a key has its burst at once, its rate after that, and never more than the burst', async () => {
  const clock = testClock();
  const limit = createRateLimit({ burst: 3, perMinute: 6 }, clock);
  const ask = (times: number) => Array.from({ length: times }, () => limit('a'));
  expect(ask(4)).toEqual([undefined, undefined, undefined, 10]);
  await clock.advance(9_999);
  expect(ask(1)).toEqual([1]);
  await clock.advance(1);
  expect(ask(2)).toEqual([undefined, 10]);
  await clock.advance(60 * minute);
  expect(ask(4)).toEqual([undefined, undefined, undefined, 10]);
});

test('keys do not share tokens, and a rejected call takes none', () => {
  const limit = createRateLimit({ burst: 1, perMinute: 1 }, testClock());
  expect([limit('a'), limit('b'), limit('a'), limit('a'), limit('b')]).toEqual([
    undefined,
    undefined,
    60,
    60,
    60,
  ]);
});

test('a call after the returned wait is allowed', async () => {
  const clock = testClock();
  const limit = createRateLimit({ burst: 1, perMinute: 7 }, clock);
  limit('a');
  for (let times = 0; times < 20; times++) {
    const seconds = limit('a');
    expect(seconds).toBeGreaterThan(0);
    await clock.advance((seconds ?? 0) * 1_000);
    expect(limit('a')).toBeUndefined();
  }
});

test('beyond the number of keys, the key that called least recently is dropped', () => {
  const limit = createRateLimit({ burst: 1, perMinute: 1 }, testClock());
  limit('first');
  limit('second');
  for (let n = 0; n < 19_998; n++) limit(`k${n}`);
  expect(limit('first')).toBe(60);
  limit('one more');
  expect(limit('first')).toBe(60);
  expect(limit('second')).toBeUndefined();
});
