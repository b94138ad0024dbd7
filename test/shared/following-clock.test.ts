import { expect, test } from 'vitest';
import type { Clock } from '../../src/shared/clock.ts';
import { followingClock } from '../../src/shared/following-clock.ts';

/** A base clock whose wall time is wrong by `wrongMs`, and whose monotonic time the test sets. */
function clockAt(wrongMs: number) {
  let elapsed = 0;
  let stoodStill = 0;
  const base: Clock = {
    now: () => 1_000_000 + wrongMs + elapsed + stoodStill,
    monotonic: () => elapsed,
    sleep: async () => {},
  };
  const clock = followingClock(base);
  const pass = (ms: number) => {
    elapsed += ms;
  };
  const standStill = (ms: number) => {
    stoodStill += ms;
  };
  return { clock, pass, standStill };
}

test.each([-300_000, 300_000])('a clock that is %i ms wrong shows the time of the server', (wrongMs) => {
  const { clock, pass } = clockAt(wrongMs);
  expect(clock.now()).toBe(1_000_000 + wrongMs);
  pass(10);
  clock.follow({ at: 1_000_010, sentMs: 10, receivedMs: 10 });
  expect(clock.now()).toBe(1_000_010);
  pass(90);
  expect(clock.now()).toBe(1_000_100);
});

test('the clock is never ahead of the server by the time of a reading', () => {
  const { clock, pass } = clockAt(0);
  pass(50);
  clock.follow({ at: 1_000_020, sentMs: 0, receivedMs: 50 });
  expect(clock.now()).toBe(1_000_020);
  // A faster reading is closer to the truth.
  clock.follow({ at: 1_000_048, sentMs: 49, receivedMs: 50 });
  expect(clock.now()).toBe(1_000_048);
  // A slower one changes nothing.
  clock.follow({ at: 1_000_030, sentMs: 0, receivedMs: 50 });
  expect(clock.now()).toBe(1_000_048);
});

test('the clock never decreases: it waits for a server that is a little behind, and does not follow one that was set back', () => {
  const { clock, pass } = clockAt(0);
  clock.follow({ at: 1_000_000, sentMs: 0, receivedMs: 0 });
  pass(100);
  expect(clock.now()).toBe(1_000_100);
  clock.follow({ at: 1_000_060, sentMs: 100, receivedMs: 100 });
  expect(clock.now()).toBe(1_000_100);
  pass(30);
  expect(clock.now()).toBe(1_000_100);
  pass(20);
  expect(clock.now()).toBe(1_000_110);
  expect(clock.follow({ at: 500_000, sentMs: 150, receivedMs: 150 })).toBe(false);
  pass(5);
  expect(clock.now()).toBe(1_000_115);
  expect(clock.follow({ at: 1_000_115, sentMs: 155, receivedMs: 155 })).toBe(true);
});

test('a step ahead is followed when the next reading shows it, too', () => {
  const { clock, pass } = clockAt(0);
  clock.follow({ at: 1_000_000, sentMs: 0, receivedMs: 0 });
  pass(100);
  expect(clock.follow({ at: 4_600_100, sentMs: 100, receivedMs: 100 })).toBe(true);
  expect(clock.now()).toBe(1_000_100);
  pass(2_000);
  expect(clock.follow({ at: 4_602_090, sentMs: 2_090, receivedMs: 2_100 })).toBe(true);
  // The later reading took 10 ms, and the clock is never ahead of any of them.
  expect(clock.now()).toBe(4_602_090);
});

test('a step ahead that the server takes back before the next reading changes nothing, nor does the next such step', () => {
  const { clock, pass } = clockAt(0);
  clock.follow({ at: 1_000_000, sentMs: 0, receivedMs: 0 });
  for (let elapsed = 2_000; elapsed < 10_000; elapsed += 4_000) {
    pass(2_000);
    clock.follow({ at: 4_600_000 + elapsed, sentMs: elapsed, receivedMs: elapsed });
    pass(2_000);
    const now = elapsed + 2_000;
    expect(clock.follow({ at: 1_000_000 + now, sentMs: now, receivedMs: now })).toBe(true);
    expect(clock.now()).toBe(1_000_000 + now);
  }
});

test('after a machine stood still, the first reading is followed: its own clock has moved by as much', () => {
  const { clock, pass, standStill } = clockAt(300_000);
  clock.follow({ at: 1_000_000, sentMs: 0, receivedMs: 0 });
  pass(2_000);
  standStill(60_000);
  clock.follow({ at: 1_062_000, sentMs: 2_000, receivedMs: 2_000 });
  expect(clock.now()).toBe(1_062_000);
});

test('a quick reading after a slow first one is followed at once', () => {
  const { clock, pass } = clockAt(0);
  pass(4_000);
  clock.follow({ at: 1_004_000, sentMs: 0, receivedMs: 4_000 });
  expect(clock.now()).toBe(1_004_000);
  pass(2_000);
  clock.follow({ at: 1_009_500, sentMs: 6_000, receivedMs: 6_000 });
  expect(clock.now()).toBe(1_009_500);
});

test('a slow reading between two that show a step contradicts it only when it excludes it', () => {
  const { clock, pass } = clockAt(0);
  clock.follow({ at: 1_000_000, sentMs: 0, receivedMs: 0 });
  pass(2_000);
  clock.follow({ at: 1_003_500, sentMs: 2_000, receivedMs: 2_000 });
  pass(5_000);
  clock.follow({ at: 1_005_600, sentMs: 4_000, receivedMs: 7_000 });
  pass(2_000);
  clock.follow({ at: 1_010_500, sentMs: 9_000, receivedMs: 9_000 });
  expect(clock.now()).toBe(1_010_500);
});

test('two steps that were each taken back are not one, however long no reading came between', () => {
  const { clock, pass } = clockAt(0);
  clock.follow({ at: 1_000_000, sentMs: 0, receivedMs: 0 });
  pass(2_000);
  clock.follow({ at: 4_602_000, sentMs: 2_000, receivedMs: 2_000 });
  pass(600_000);
  clock.follow({ at: 5_202_000, sentMs: 602_000, receivedMs: 602_000 });
  expect(clock.now()).toBe(1_602_000);
});
