import { type Clock, type EpochMs, monotonicMs } from './clock.ts';

/** A time of another clock, read between two moments of this one's monotonic time, in milliseconds. */
export type ClockSample = { at: EpochMs; sentMs: number; receivedMs: number };

/** A clock that shows the time of another one, such as that of a database. */
export type FollowingClock = Clock & {
  /**
   * Corrects the clock by a sample. A step ahead is followed when the next sample shows it, too: stored times never go back, so a step
   * that the other clock takes back must not reach them.
   *
   * @returns false when the other clock was set back by so much that this one does not follow it.
   */
  follow(sample: ClockSample): boolean;
};

/** A clock that was set back by more is not followed: stored times must not decrease. */
const maxStepBackMs = 1_000;

/** A clock that is ahead by more has taken a step. */
const maxDriftMs = 1_000;

/**
 * Creates a clock that shows the time of `base` until its first sample, and that of the sampled clock from then on. It runs
 * with the monotonic time of `base`, so that steps of the system clock do not change it. The time of a sample lies between
 * the two moments of its reading: the clock is never ahead of the later one, nor behind the earlier one.
 */
export function followingClock(base: Clock): FollowingClock {
  let offset = base.now() - monotonicMs(base);
  let latest = 0;
  let isFollowing = false;
  /** The offset of a step ahead that only the latest sample has shown. */
  let step: number | undefined;
  return {
    now() {
      latest = Math.max(latest, Math.floor(monotonicMs(base) + offset));
      return latest;
    },
    sleep: base.sleep,
    monotonic: () => monotonicMs(base),
    advanceTo(at) {
      offset = Math.max(offset, at - monotonicMs(base));
    },
    follow({ at, sentMs, receivedMs }) {
      const [least, most] = [at - receivedMs, at - sentMs];
      const seenBefore = step;
      step = undefined;
      if (!isFollowing) {
        isFollowing = true;
        // Nothing was stored by this clock before.
        latest = 0;
        offset = least;
      } else if (least - offset > maxDriftMs) {
        if (seenBefore === undefined) step = least;
        else offset = Math.min(seenBefore, least);
      } else if (offset < least) offset = least;
      else if (offset - most > maxStepBackMs) return false;
      else if (offset > most) offset = most;
      return true;
    },
  };
}
