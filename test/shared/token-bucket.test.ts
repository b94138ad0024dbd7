import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenBucket } from '../../src/shared/limits/token-bucket.ts';

test('one second of calls is there at once, and then one for each part of a second', () => {
  const rate = new TokenBucket(4, 0);
  expect(rate.available(0)).toBe(4);
  for (let i = 0; i < 4; i++) rate.take();
  expect(rate.available(0)).toBe(0);
  expect(rate.waitMs(0)).toBe(250);
  expect(rate.available(249)).toBe(0);
  expect(rate.available(250)).toBe(1);
});

test('what was not used is not saved up', () => {
  const rate = new TokenBucket(4, 0);
  expect(rate.available(3_600_000)).toBe(4);
});

test('a debt is paid back before more is given, and is never more than a second of calls', () => {
  const rate = new TokenBucket(4, 0);
  for (let i = 0; i < 100; i++) rate.take();
  expect(rate.waitMs(0)).toBe(1_250);
  expect(rate.available(1_249)).toBe(0);
  expect(rate.available(1_250)).toBe(1);
});

test('a clock that steps back gives nothing', () => {
  const rate = new TokenBucket(4, 10_000);
  for (let i = 0; i < 4; i++) rate.take();
  expect(rate.available(0)).toBe(0);
  expect(rate.available(10_000)).toBe(0);
  expect(rate.available(10_250)).toBe(1);
});

test('whoever takes only what is there never goes beyond the rate, and after the wait there is one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.array(fc.nat(3_000), { maxLength: 50 }),
      (perSecond, pauses) => {
        const rate = new TokenBucket(perSecond, 0);
        let now = 0;
        let taken = 0;
        for (const pause of pauses) {
          now += pause;
          const free = rate.available(now);
          for (let i = 0; i < free; i++) rate.take();
          taken += free;
          expect(taken).toBeLessThanOrEqual(perSecond + (now * perSecond) / 1_000);
          now += rate.waitMs(now);
          expect(rate.available(now)).toBeGreaterThan(0);
        }
      },
    ),
  );
});

test('while it is held nothing is there, and after it one call and not a burst', () => {
  const rate = new TokenBucket(4, 0);
  rate.pause(0, 10_000);
  expect(rate.available(9_999)).toBe(0);
  expect(rate.waitMs(4_000)).toBe(6_000);
  expect(rate.available(10_000)).toBe(1);
  rate.take();
  expect(rate.available(10_000)).toBe(0);
  expect(rate.available(10_250)).toBe(1);
});

test('what is to spare leaves the larger half of a second of calls, and is nothing while it is held', () => {
  const spareOf = (perSecond: number) => new TokenBucket(perSecond, 0).spare(0);
  expect([1, 2, 3, 20].map(spareOf)).toEqual([0, 1, 1, 10]);
  const rate = new TokenBucket(20, 0);
  for (let i = 0; i < 10; i++) rate.take();
  expect([rate.spare(0), rate.available(0)]).toEqual([0, 10]);
  expect(rate.spare(50)).toBe(1);
  rate.pause(50, 1_000);
  expect(rate.spare(1_049)).toBe(0);
});
