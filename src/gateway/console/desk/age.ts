import type { EpochMs } from '../../../shared/clock.ts';

const hourMs = 60 * 60_000;

/** How long work waits: less than the upper bound of its bucket, which the last one does not have. */
export const ageBuckets = [
  { label: '< 1 h', belowMs: hourMs },
  { label: '1 to 4 h', belowMs: 4 * hourMs },
  { label: '4 to 24 h', belowMs: 24 * hourMs },
  { label: '1 to 3 days', belowMs: 72 * hourMs },
  { label: '> 3 days', belowMs: Number.POSITIVE_INFINITY },
] as const;

/** The number of things in each bucket, in the order of the buckets. */
export type AgeCounts = readonly number[];

/** Counts since a time: of everything, and of what is younger than the bound of each bucket but the last. */
export type YoungerCounts = {
  total: number;
  hour: number;
  fourHours: number;
  day: number;
  threeDays: number;
};

/** Returns since when things are younger than the bound of each bucket. */
export function youngerThan(now: EpochMs) {
  const [hour, fourHours, day, threeDays] = ageBuckets.map(({ belowMs }) => now - belowMs);
  return { hour, fourHours, day, threeDays };
}

/** Returns how many things are in each bucket. */
export function ageCounts({ total, hour, fourHours, day, threeDays }: YoungerCounts): AgeCounts {
  return [hour, fourHours - hour, day - fourHours, threeDays - day, total - threeDays];
}
