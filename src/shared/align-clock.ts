import type { Clock, EpochMs } from './clock.ts';
import type { Log } from './log.ts';

/** A machine's clock that is set back by hand or by a time server is seldom wrong by more. */
const maxMs = 24 * 60 * 60_000;
/** What two measurements of one time may differ by. */
const unheardMs = 60_000;

/**
 * Lets time go on from the last that was written, where the machine's clock is earlier: stored times never decrease,
 * and what was due stays due. A time that is ahead by more than a day is not followed, and hides no other, for it was the
 * clock then that was wrong. More than a minute of difference is an alarm.
 */
export function alignClock(clock: Clock, lasts: readonly EpochMs[], log: Log): void {
  const now = clock.now();
  const behindMs = Math.max(now, ...lasts) - now;
  if (behindMs > unheardMs) {
    const behindSeconds = Math.round(behindMs / 1000);
    log.error({ alarm: 'clock_behind', behindSeconds }, "the machine's clock is earlier than the last entry");
  }
  clock.advanceTo?.(Math.max(now, ...lasts.filter((at) => at - now <= maxMs)));
}
