import fc from 'fast-check';
import { expect, test } from 'vitest';
import { perSecond, TokenBucket } from '../../../src/shared/limits/token-bucket.ts';

test('a full bucket has a burst of tokens, and refills at the rate', () => {
  const bucket = new TokenBucket(perSecond(4), 0);
  expect(bucket.available(0)).toBe(4);
  for (let i = 0; i < 4; i++) bucket.take();
  expect(bucket.available(0)).toBe(0);
  expect(bucket.waitMs(0)).toBe(250);
  expect(bucket.available(249)).toBe(0);
  expect(bucket.available(250)).toBe(1);
});

test('unused tokens do not accumulate beyond the burst', () => {
  const bucket = new TokenBucket(perSecond(4), 0);
  expect(bucket.available(3_600_000)).toBe(4);
});

test('a debt is refilled first, and is at most one burst', () => {
  const bucket = new TokenBucket(perSecond(4), 0);
  for (let i = 0; i < 100; i++) bucket.take();
  expect(bucket.waitMs(0)).toBe(1_250);
  expect(bucket.available(1_249)).toBe(0);
  expect(bucket.available(1_250)).toBe(1);
});

test('a clock that steps back adds no token', () => {
  const bucket = new TokenBucket(perSecond(4), 10_000);
  for (let i = 0; i < 4; i++) bucket.take();
  expect(bucket.available(0)).toBe(0);
  expect(bucket.available(10_000)).toBe(0);
  expect(bucket.available(10_250)).toBe(1);
});

test('a caller that takes only available tokens never exceeds the rate, and a token is available after the wait', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.array(fc.nat(3_000), { maxLength: 50 }),
      (rate, pauses) => {
        const bucket = new TokenBucket(perSecond(rate), 0);
        let now = 0;
        let taken = 0;
        for (const pause of pauses) {
          now += pause;
          const free = bucket.available(now);
          for (let i = 0; i < free; i++) bucket.take();
          taken += free;
          expect(taken).toBeLessThanOrEqual(rate + (now * rate) / 1_000);
          now += bucket.waitMs(now);
          expect(bucket.available(now)).toBeGreaterThan(0);
        }
      },
    ),
    // 475 ms at 74 tokens/s leave 0.15 tokens, which no sum of fractions counts exactly.
    { examples: [[74, [0, 475]]] },
  );
});

test('a paused bucket has no token, and a single one after the pause', () => {
  const bucket = new TokenBucket(perSecond(4), 0);
  bucket.pause(0, 10_000);
  expect(bucket.available(9_999)).toBe(0);
  expect(bucket.waitMs(4_000)).toBe(6_000);
  expect(bucket.available(10_000)).toBe(1);
  bucket.take();
  expect(bucket.available(10_000)).toBe(0);
  expect(bucket.available(10_250)).toBe(1);
});

test('the larger half of a burst is never spare, and a paused bucket has nothing to spare', () => {
  const spareOf = (count: number) => new TokenBucket(perSecond(count), 0).spare(0);
  expect([1, 2, 3, 20].map(spareOf)).toEqual([0, 1, 1, 10]);
  const bucket = new TokenBucket(perSecond(20), 0);
  for (let i = 0; i < 10; i++) bucket.take();
  expect([bucket.spare(0), bucket.available(0)]).toEqual([0, 10]);
  expect(bucket.spare(50)).toBe(1);
  bucket.pause(50, 1_000);
  expect(bucket.spare(1_049)).toBe(0);
});

test('tryTake takes a token only if there is one', () => {
  const bucket = new TokenBucket({ burst: 2, tokens: 6, perMs: 60_000 }, 0);
  expect([0, 0, 0].map((now) => bucket.tryTake(now))).toEqual([true, true, false]);
  expect(bucket.waitMs(0)).toBe(10_000);
  expect([9_999, 10_000].map((now) => bucket.tryTake(now))).toEqual([false, true]);
});

test('a pause keeps its end when the rate changes, with one token afterwards', () => {
  const rate = (tokens: number) => ({ burst: tokens, tokens, perMs: 1_000 });
  for (const [before, after] of [
    [10, 5],
    [5, 10],
  ] as const) {
    const bucket = new TokenBucket(rate(before), 0);
    bucket.pause(0, 60_000);
    bucket.setRate(rate(after), 1_000);
    expect([bucket.waitMs(59_999), bucket.available(60_000)]).toEqual([1, 1]);
  }
});
