import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { watchSuspensions } from '../../src/shared/suspensions.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function watched() {
  let monotonicMs = 0;
  let wallMs = 1_000_000;
  const watch = watchSuspensions([() => monotonicMs, () => wallMs]);
  onTestFinished(watch.stop);
  return {
    watch,
    /** Lets the process run for a while. */
    run(ms: number): void {
      for (let passed = 0; passed < ms; passed += 50) {
        monotonicMs += 50;
        wallMs += 50;
        vi.advanceTimersByTime(50);
      }
    },
    /** Suspends the process. The monotonic time of a virtual machine can stand still meanwhile. */
    suspend(ms: number, isMachine = false): void {
      monotonicMs += isMachine ? 0 : ms;
      wallMs += ms;
    },
  };
}

test('a process that runs has no requests that waited', () => {
  const { watch, run } = watched();
  run(10_000);
  expect(watch.waitedMs()).toBe(0);
});

test.each([false, true])(
  'a request that is read after a suspension can have waited since it began (of a whole machine: %s)',
  (isMachine) => {
    const { watch, run, suspend } = watched();
    run(1_000);
    suspend(69_000, isMachine);
    // Before the first timer fires, and after it.
    expect(watch.waitedMs()).toBeGreaterThanOrEqual(69_000);
    run(400);
    expect(watch.waitedMs()).toBeGreaterThanOrEqual(69_400);
    run(200);
    expect(watch.waitedMs()).toBe(0);
  },
);

test('a request can have waited through two suspensions that follow each other', () => {
  const { watch, run, suspend } = watched();
  suspend(5_000);
  run(250);
  suspend(1_200);
  expect(watch.waitedMs()).toBeGreaterThanOrEqual(6_450);
});

test('work that keeps the process for less than a second is no suspension', () => {
  const { watch, run, suspend } = watched();
  run(1_000);
  suspend(700);
  expect(watch.waitedMs()).toBe(0);
});
