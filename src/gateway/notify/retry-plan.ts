import type { EpochMs } from '../../shared/clock.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The waits after the first failed attempts. After them, one attempt a day follows. */
const waitsMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  day,
];

/** The largest change of a wait, so that the retries of an outage do not arrive together. */
const jitter = 0.1;

/** Failed attempts before a notification is given up, so that a clock that was far ahead for a moment ends none. */
const minTries = waitsMs.length + 2;

/** An endpoint that fails for this time is disabled, and a notification that fails for this time is given up. */
export const giveUpAfterMs = 5 * day;

/** The longest wait. A later time was written by a clock that was far ahead. */
export const maxWaitMs = day * (1 + jitter);

/** An older failure says nothing about an endpoint that was not used since. */
export const maxGapMs = maxWaitMs + hour;

type Plan = {
  /** When the plan began. */
  plannedAt: EpochMs;
  /** Failed attempts, the last one included. */
  tries: number;
};

/** Returns when a notification is sent again after a failed attempt; null when it is given up. @param random a number in [0, 1). */
export function retryAt({ plannedAt, tries }: Plan, now: EpochMs, random: number): EpochMs | null {
  if (now - plannedAt >= giveUpAfterMs && tries >= minTries) return null;
  const waitMs = waitsMs[tries - 1] ?? day;
  return now + Math.round(waitMs * (1 - jitter + 2 * jitter * random));
}
