import { expect, test } from 'vitest';
import { advanceableClock, systemClock, withTimeout } from '../../src/shared/clock.ts';
import { testClock } from '../kit/clock.ts';

test('the time continues when the system clock is set back, and follows it when it is set forward', () => {
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

test('the time continues from the time of an earlier process until the system clock has caught up', () => {
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
  // The time never steps back, and follows the system clock again after it has caught up.
  clock.advanceTo?.(1_000);
  expect(clock.now()).toBe(1_065_500);
  wall += 100_000;
  expect(machine.now()).toBe(1_100_500);
  // Steps of the system clock do not affect the monotonic time.
  expect([machine.monotonic?.(), clock.monotonic?.()]).toEqual([500, 5_500]);
});

test('work that ignores its signal still times out', async () => {
  const clock = testClock();
  const hanging = withTimeout(clock, 12_000, () => new Promise<never>(() => {}));
  const outcome = hanging.then(
    () => 'answered',
    (error: Error) => error.message,
  );
  await clock.advance(11_999);
  expect(clock.nextWake()).toBeDefined();
  await clock.advance(1);
  expect(await outcome).toBe('no answer within 12000 ms');
});

test('work that completes in time leaves no timer', async () => {
  const clock = testClock();
  expect(await withTimeout(clock, 12_000, async () => 'done')).toBe('done');
  expect(clock.nextWake()).toBeUndefined();
});
