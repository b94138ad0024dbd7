import { expect, test } from 'vitest';
import { advanceableClock, systemClock, withTimeout } from '../../src/shared/clock.ts';
import { settle, testClock } from '../kit/clock.ts';

const start = Date.parse('2026-03-06T09:00:00Z');

/** A clock on a base that stands still, and who woke on it, in order. */
function bench() {
  const base = testClock(start);
  const clock = advanceableClock(base);
  const woken: string[] = [];
  const sleeper = (name: string, ms: number, signal?: AbortSignal) =>
    clock.sleep(ms, signal).then(() => woken.push(name));
  return { base, clock, woken, sleeper };
}

test('it goes with its base, and ahead of it by as much as it was moved on', async () => {
  const { base, clock } = bench();
  expect([clock.now(), clock.advancedMs()]).toEqual([start, 0]);
  clock.advance(60_000);
  await base.advance(500);
  clock.advance(1);
  expect([clock.now(), clock.advancedMs()]).toEqual([start + 60_501, 60_001]);
});

test('who sleeps past the new time wakes, and the others sleep no longer than they would have', async () => {
  const { base, clock, woken, sleeper } = bench();
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

test('an abort wakes its sleeper at once, before and after time was moved on, and leaves nothing behind', async () => {
  const { base, clock, woken, sleeper } = bench();
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

test('even the shortest sleep lets others run first', async () => {
  const clock = advanceableClock(systemClock());
  let others = 0;
  setImmediate(() => {
    others++;
  });
  for (let i = 0; i < 3; i++) await clock.sleep(0);
  expect(others).toBe(1);
});

test('a deadline passes with the time that is moved on', async () => {
  const { clock } = bench();
  const outcome = withTimeout(clock, 12_000, () => new Promise<never>(() => {})).catch(
    (fault: Error) => fault.message,
  );
  await settle();
  clock.advance(12_000);
  expect(await outcome).toBe('no answer within 12000 ms');
});

test('time that was moved on in another process is where it begins', () => {
  const clock = advanceableClock(testClock(start), 3_600_000);
  expect([clock.now(), clock.advancedMs()]).toEqual([start + 3_600_000, 3_600_000]);
  clock.advance(1);
  expect(clock.advancedMs()).toBe(3_600_001);
});

test.each([-1, Number.NaN])('a clock is not advanced by %d ms', (ms) => {
  const { clock } = bench();
  expect(() => clock.advance(ms)).toThrow(/cannot be advanced/);
  expect(clock.now()).toBe(start);
});

test('a sleep longer than a timer holds lasts as long as it should', async () => {
  const { base, clock, woken, sleeper } = bench();
  void sleeper('month', 40 * 24 * 3_600_000);
  // A base whose timers end early, as Node's do beyond 24 days.
  clock.advance(39 * 24 * 3_600_000);
  await settle();
  await base.advance(23 * 3_600_000);
  expect(woken).toEqual([]);
  await base.advance(3_600_000);
  expect(woken).toEqual(['month']);
});
