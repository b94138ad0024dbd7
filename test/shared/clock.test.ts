import { expect, test } from 'vitest';
import { advanceableClock, systemClock, withTimeout } from '../../src/shared/clock.ts';
import { testClock } from '../kit/clock.ts';

test('time goes on when the wall clock is set back, and follows it when it is set forward', () => {
  let wall = 1_000_000;
  let monotonic = 0;
  const pass = (ms: number) => {
    wall += ms;
    monotonic += ms;
  };
  const clock = systemClock(
    () => wall,
    () => monotonic,
  );
  expect(clock.now()).toBe(1_000_000);
  pass(500);
  wall -= 3_600_000;
  expect(clock.now()).toBe(1_000_500);
  pass(2_000);
  expect(clock.now()).toBe(1_002_500);
  wall += 3_600_000 + 60_000;
  expect(clock.now()).toBe(1_062_500);
});

test('time goes on from where an earlier process had come, at its own pace, until the wall clock is there', () => {
  let wall = 1_000_000;
  let monotonic = 0;
  const pass = (ms: number) => {
    wall += ms;
    monotonic += ms;
  };
  const machine = systemClock(
    () => wall,
    () => monotonic,
  );
  const clock = advanceableClock(machine, 5_000);
  clock.advanceTo?.(1_065_000);
  expect([machine.now(), clock.now()]).toEqual([1_060_000, 1_065_000]);
  pass(500);
  expect(clock.now()).toBe(1_065_500);
  // Never back, and once the wall clock has caught up it is followed again.
  clock.advanceTo?.(1_000);
  expect(clock.now()).toBe(1_065_500);
  wall += 100_000;
  expect(machine.now()).toBe(1_100_500);
  // No step of the wall clock is in the even pace.
  expect([machine.monotonic?.(), clock.monotonic?.()]).toEqual([500, 5_500]);
});

test('work that does not heed its signal is given up all the same', async () => {
  const clock = testClock();
  const hanging = withTimeout(clock, 12_000, () => new Promise<never>(() => {}));
  const outcome = hanging.then(
    () => 'answered',
    (fault: Error) => fault.message,
  );
  await clock.advance(11_999);
  expect(clock.nextWake()).toBeDefined();
  await clock.advance(1);
  expect(await outcome).toBe('no answer within 12000 ms');
});

test('work that is done in time leaves no timer behind', async () => {
  const clock = testClock();
  expect(await withTimeout(clock, 12_000, async () => 'done')).toBe('done');
  expect(clock.nextWake()).toBeUndefined();
});
