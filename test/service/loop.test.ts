import { expect, onTestFinished, test } from 'vitest';
import { createLoop } from '../../src/service/loop.ts';
import { settle, testClock } from '../kit/clock.ts';
import { createSilentLog } from '../kit/log.ts';

const log = createSilentLog();

/** A loop whose rounds are written down with their times. */
function openLoop(round: (times: number[]) => Promise<number | undefined>) {
  const clock = testClock();
  const from = clock.now();
  const times: number[] = [];
  const loop = createLoop({
    name: 'test',
    clock,
    log,
    round() {
      times.push(clock.now() - from);
      return round(times);
    },
  });
  onTestFinished(() => loop.stop());
  return { clock, loop, times, from };
}

/** Whether the promise has resolved by now. */
async function isOver(work: Promise<unknown>): Promise<boolean> {
  let over = false;
  void work.then(() => {
    over = true;
  });
  await settle();
  return over;
}

test('a loop rests when nothing is due, and not while a round is overdue', async () => {
  let release = () => {};
  const { clock, loop, times, from } = openLoop(async ({ length }) => {
    if (length > 1) await new Promise<void>((resolve) => (release = resolve));
    return from + 10_000 * length;
  });
  expect(await isOver(loop.whenIdle())).toBe(true);
  loop.start();
  await loop.whenIdle();
  expect([times, loop.dueAt()]).toEqual([[0], from + 10_000]);
  const advancing = clock.advance(10_000);
  await settle();
  expect(times).toEqual([0, 10_000]);
  const resting = loop.whenIdle();
  expect(await isOver(resting)).toBe(false);
  expect(loop.dueAt()).toBe(clock.now());
  release();
  await advancing;
  expect(await isOver(resting)).toBe(true);
  expect(loop.dueAt()).toBe(from + 20_000);
});

test('a call in the instant of an advance waits for the round', async () => {
  const { clock, loop, times, from } = openLoop(async ({ length }) => from + 5_000 * length);
  loop.start();
  await loop.whenIdle();
  const skipping = clock.skip(5_000);
  await settle();
  await loop.whenIdle();
  expect(times).toEqual([0, 5_000]);
  await skipping;
});

test('a wake for the present time is due work', async () => {
  const { clock, loop, times } = openLoop(async () => undefined);
  loop.start();
  await loop.whenIdle();
  expect(loop.dueAt()).toBe(Number.POSITIVE_INFINITY);
  loop.wakeBy(clock.now());
  expect(loop.dueAt()).toBeLessThanOrEqual(clock.now());
  await loop.whenIdle();
  expect(times).toEqual([0, 0]);
});

test('a failed round is repeated, and the loop rests in between', async () => {
  const { clock, loop, times } = openLoop(async () => {
    throw new Error('no');
  });
  loop.start();
  await loop.whenIdle();
  await clock.advance(3_000);
  expect(times).toEqual([0, 1_000, 3_000]);
});

test('waiters for rest are released when the loop stops', async () => {
  let release = () => {};
  const { loop } = openLoop(() => new Promise((resolve) => (release = () => resolve(undefined))));
  loop.start();
  const resting = loop.whenIdle();
  expect(await isOver(resting)).toBe(false);
  void loop.stop();
  expect(await isOver(resting)).toBe(true);
  release();
});
