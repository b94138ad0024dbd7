import { type Clock, systemClock } from '../../src/shared/clock.ts';

/**
 * Creates a clock that runs `speed` times faster than the system clock since `since`, a time that several
 * processes share. Sockets and disks stay real.
 */
export function fastClock(since: number, speed: number): Clock {
  const clock = systemClock(
    () => since + (Date.now() - since) * speed,
    () => performance.now() * speed,
  );
  return { ...clock, sleep: (ms, signal) => clock.sleep(ms / speed, signal) };
}
