import { expect, test } from 'vitest';
import { advanceableClock, systemClock, withTimeout } from '../../src/shared/clock.ts';
import { settle, testClock } from '../kit/clock.ts';

const start = Date.parse('2026-03-06T09:00:00Z');

/** Creates an advanceable clock on a test clock, and records its sleepers in the order of waking. */
function createClock() {
  const base = testClock(start);
  const clock = advanceableClock(base);
  const woken: string[] = [];
  const sleeper = (name: string, ms: number, signal?: AbortSignal) =>
    clock.sleep(ms, signal).then(() => woken.push(name));
  return { base, clock, woken, sleeper };
}

test('the clock follows its base and is ahead of it by the advanced time', async () => {
  const { base, clock } = createClock();
  expect([clock.now(), clock.advancedMs()]).toEqual([start, 0]);
  clock.advance(60_000);
  await base.advance(500);
  clock.advance(1);
  expect([clock.now(), clock.advancedMs()]).toEqual([start + 60_501, 60_001]);
});

test('advance wakes due sleepers, and the others wake at their unchanged times', async () => {
  const { base, clock, woken, sleeper } = createClock();
  void sleeper('a', 10_000);
  void sleeper('b', 30_000);
  clock.advance(9_999);
  await settle();
  expect(woken).toEqual([]);
  clock.advance(1);
  await settle();
  expect(woken).toEqual(['a']);
  await base.advance(19_999);
  expect(woken).toEqual(['a']);
  await base.advance(1);
  expect(woken).toEqual(['a', 'b']);
});

test('an abort wakes its sleeper at once, before and after an advance, and leaves no timer or listener', async () => {
  const { base, clock, woken, sleeper } = createClock();
  const [one, other, before] = [new AbortController(), new AbortController(), AbortSignal.abort()];
  void sleeper('one', 10_000, one.signal);
  void sleeper('other', 10_000, other.signal);
  void sleeper('before', 10_000, before);
  await settle();
  expect(woken).toEqual(['before']);
  one.abort();
  await settle();
  clock.advance(5_000);
  await settle();
  other.abort();
  await settle();
  expect(woken).toEqual(['before', 'one', 'other']);
  expect(base.nextWake()).toBeUndefined();
});

test('even a sleep of 0 ms lets other work run first', async () => {
  const clock = advanceableClock(systemClock());
  let others = 0;
  setImmediate(() => {
    others++;
  });
  for (let i = 0; i < 3; i++) await clock.sleep(0);
  expect(others).toBe(1);
});

test('an advance expires deadlines', async () => {
  const { clock } = createClock();
  const outcome = withTimeout(clock, 12_000, () => new Promise<never>(() => {})).catch(
    (error: Error) => error.message,
  );
  await settle();
  clock.advance(12_000);
  expect(await outcome).toBe('no answer within 12000 ms');
});

test('the clock starts at the time to which another process advanced it', () => {
  const clock = advanceableClock(testClock(start), 3_600_000);
  expect([clock.now(), clock.advancedMs()]).toEqual([start + 3_600_000, 3_600_000]);
  clock.advance(1);
  expect(clock.advancedMs()).toBe(3_600_001);
});

test.each([-1, Number.NaN])('a clock is not advanced by %d ms', (ms) => {
  const { clock } = createClock();
  expect(() => clock.advance(ms)).toThrow(/cannot be advanced/);
  expect(clock.now()).toBe(start);
});

test('a sleep longer than the maximum of a timer has its full length', async () => {
  const { base, clock, woken, sleeper } = createClock();
  void sleeper('month', 40 * 24 * 3_600_000);
  // The timers of this base end early, as those of Node do beyond 24 days.
  clock.advance(39 * 24 * 3_600_000);
  await settle();
  await base.advance(23 * 3_600_000);
  expect(woken).toEqual([]);
  await base.advance(3_600_000);
  expect(woken).toEqual(['month']);
});
