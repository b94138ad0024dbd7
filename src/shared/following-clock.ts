import { type Clock, type EpochMs, monotonicMs } from './clock.ts';

/** A time of another clock, read between two moments of this one's monotonic time, in milliseconds. */
export type ClockSample = { at: EpochMs; sentMs: number; receivedMs: number };

/** A clock that shows the time of another one, such as that of a database. */
export type FollowingClock = Clock & {
  /**
   * Corrects the clock by a sample. A step ahead is followed when the next sample shows it, too, or the system's clock: stored times
   * never go back, so a step that the other clock takes back at once must not reach them.
   *
   * @returns false when the other clock was set back by so much that this one does not follow it.
   */
  follow(sample: ClockSample): boolean;
};

/** A clock that was set back by more is not followed: stored times must not decrease. */
const maxStepBackMs = 1_000;

/** A clock that is ahead by more has taken a step. */
const maxDriftMs = 1_000;

/** A step ahead that was seen once is forgotten after this time. */
const maxPendingMs = 10_000;

/**
 * Creates a clock that shows the time of `base` until its first sample, and that of the sampled clock from then on. It runs
 * with the monotonic time of `base`, so that steps of the system clock do not change it. The time of a sample lies between
 * the two moments of its reading: the clock is never ahead of the later one, nor behind the earlier one.
 */
export function followingClock(base: Clock): FollowingClock {
  const systemOffset = () => base.now() - monotonicMs(base);
  let offset = systemOffset();
  /** The most that the samples allow: after a slow one, a quick one moves the clock up to here without a step. */
  let most = offset;
  let systemSeen = offset;
  let latest = 0;
  let isFollowing = false;
  /** A step ahead that one sample has shown. */
  let step: { least: number; seenMs: number } | undefined;

  function followTo(least: number, allowed: number): true {
    offset = least;
    most = allowed;
    return true;
  }

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
      const [least, allowed] = [at - receivedMs, at - sentMs];
      const system = systemOffset();
      // The monotonic time of a virtual machine can stand still while the machine does; its own time is right again afterwards.
      const stoodStillMs = system - systemSeen;
      systemSeen = system;
      const before = step && receivedMs - step.seenMs <= maxPendingMs ? step : undefined;
      step = undefined;
      if (!isFollowing) {
        isFollowing = true;
        // Nothing was stored by this clock before.
        latest = 0;
        return followTo(least, allowed);
      }
      const aheadMs = least - Math.max(offset, most);
      if (aheadMs > maxDriftMs) {
        if (before) return followTo(Math.min(before.least, least), allowed);
        if (stoodStillMs >= aheadMs - maxDriftMs) return followTo(least, allowed);
        step = { least, seenMs: receivedMs };
        return true;
      }
      if (offset - allowed > maxStepBackMs) return false;
      // A slow sample whose time can be on either side of the step does not contradict it.
      if (before && allowed >= before.least) step = before;
      offset = Math.min(Math.max(offset, least), allowed);
      most = Math.max(offset, Math.min(most, allowed));
      return true;
    },
  };
}
