import { expect, test } from 'vitest';
import { Lockout } from '../../../src/shared/limits/per-key.ts';

const options = { limit: 10, lockoutMs: 60_000, maxKeys: 2 };

/** Records failures at a fixed distance and returns the time after the last one. */
function fail(lockout: Lockout, times: number, gapMs: number): number {
  let now = 0;
  for (let n = 0; n < times; n++) {
    lockout.record('a', now);
    now += gapMs;
  }
  return now - gapMs;
}

test.each([100, 6_500, 59_999])('ten failures %i ms apart lock a key out for the whole time', (gapMs) => {
  const lockout = new Lockout(options);
  const last = fail(lockout, 10, gapMs);
  expect(lockout.waitMs('a', last)).toBe(60_000);
  expect(lockout.waitMs('a', last + 59_999)).toBe(1);
  expect(lockout.waitMs('a', last + 60_000)).toBe(0);
  expect(lockout.waitMs('b', last)).toBe(0);
});

test('nine failures lock no key out, and a pause of the lockout time forgets them', () => {
  const lockout = new Lockout(options);
  const last = fail(lockout, 9, 1_000);
  expect(lockout.waitMs('a', last)).toBe(0);
  lockout.record('a', last + 60_000);
  expect(lockout.waitMs('a', last + 60_000)).toBe(0);
});

test('the key that failed longest ago is dropped first', () => {
  const lockout = new Lockout({ ...options, limit: 1 });
  for (const [at, key] of ['a', 'b', 'a', 'c'].entries()) lockout.record(key, at);
  expect(['a', 'b', 'c'].map((key) => lockout.waitMs(key, 5) > 0)).toEqual([true, false, true]);
});
