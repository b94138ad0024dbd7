import { expect, test } from 'vitest';
import { createKeyRates } from '../../../src/gateway/collection/calls/key-rates.ts';
import type { Pause } from '../../../src/gateway/collection/calls/members.ts';
import { testClock } from '../../kit/clock.ts';
import { createSilentLog } from '../../kit/log.ts';

const merchant = 'demo-shop';

/** Creates the rates of several gateways that hear of each other, with ten calls per second together. */
function createShared(counts: { now: number }) {
  const clock = testClock();
  const listeners: ((pause: Pause) => void)[] = [];
  const announced: Pause[] = [];
  const members = {
    count: () => counts.now,
    announcePause: (pause: Pause) => void announced.push(pause),
    onPause: (listener: (pause: Pause) => void) => void listeners.push(listener),
  };
  const rates = createKeyRates({ clock, log: createSilentLog(), members }, 10);
  const available = () => rates.bucketOf(merchant).available(clock.now());
  const report = (pause: Pause) => {
    for (const listener of listeners) listener(pause);
  };
  return { clock, rates, announced, available, report };
}

test('gateways share the rate of a key equally, also when one joins or leaves', async () => {
  const counts = { now: 1 };
  const { clock, available } = createShared(counts);
  expect(available()).toBe(10);
  counts.now = 2;
  expect(available()).toBe(5);
  counts.now = 20;
  expect(available()).toBe(1);
  counts.now = 1;
  expect(available()).toBe(1);
  await clock.advance(1_000);
  expect(available()).toBe(10);
});

test('a 429 pauses the calls of every gateway with the key, and one that was reported is not reported again', () => {
  const one = createShared({ now: 2 });
  one.rates.pause(merchant, 30_000);
  expect(one.available()).toBe(0);
  expect(one.announced).toEqual([{ merchantId: merchant, ms: 30_000 }]);
  const other = createShared({ now: 2 });
  for (const pause of one.announced) other.report(pause);
  expect(other.rates.pausedMerchants()).toEqual([merchant]);
  expect(other.available()).toBe(0);
  expect(other.announced).toEqual([]);
});
