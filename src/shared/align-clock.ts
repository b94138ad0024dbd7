import type { Clock, EpochMs } from './clock.ts';
import type { Log } from './log.ts';

/** A system clock that was set back is rarely wrong by more. */
const maxCorrectionMs = 24 * 60 * 60_000;
/** Differences up to this value raise no alarm. */
const toleranceMs = 60_000;

/**
 * Advances `clock` to the latest stored time when the system clock is behind it, so that stored times never decrease and
 * due work stays due. Stored times that are more than a day ahead are ignored: the clock that wrote them was wrong. A
 * difference of more than a minute raises an alarm.
 */
export function alignClock(clock: Clock, storedTimes: readonly EpochMs[], log: Log): void {
  const now = clock.now();
  const behindMs = Math.max(now, ...storedTimes) - now;
  if (behindMs > toleranceMs) {
    const behindSeconds = Math.round(behindMs / 1000);
    log.error(
      { alarm: 'clock_behind', behindSeconds },
      'the system clock is behind the latest ledger entry. Correct the system clock',
    );
  }
  clock.advanceTo?.(Math.max(now, ...storedTimes.filter((at) => at - now <= maxCorrectionMs)));
}
