import { type Clock, systemClock } from '../../src/shared/clock.ts';

/**
 * The machine's clock run faster, from a moment on that several processes have in common: a minute of polls passes
 * in seconds, while sockets, disks and deaths stay real.
 */
export function fastClock(since: number, speed: number): Clock {
  const clock = systemClock(
    () => since + (Date.now() - since) * speed,
    () => performance.now() * speed,
  );
  return { ...clock, sleep: (ms, signal) => clock.sleep(ms / speed, signal) };
}
