import { type Clock, systemClock } from '../../src/shared/clock.ts';

/**
 * The machine's clock run faster, from a moment on that several processes have in common: a minute of polls passes
 * in seconds, while sockets, disks and deaths stay real.
 *
 * @param aheadMs how far the wall clock has been set forward (or back, when negative), asked each time.
 */
export function fastClock(since: number, speed: number, aheadMs = () => 0): Clock {
  const clock = systemClock(
    () => since + (Date.now() - since) * speed + aheadMs(),
    () => performance.now() * speed,
  );
  return { now: clock.now, sleep: (ms, signal) => clock.sleep(ms / speed, signal) };
}
