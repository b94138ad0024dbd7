import type { EpochMs } from '../../shared/clock.ts';

/** From a time, and up to but not including another. */
export type TimeSpan = { from: EpochMs; to: EpochMs };

const dayMs = 24 * 60 * 60_000;

/**
 * The business day of a date such as `2026-03-06`; `undefined` when there is no such date. Ghana keeps UTC all the
 * year: a day of Accra is a day of UTC, from midnight to midnight.
 */
export function readDay(text: string): TimeSpan | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const from = Date.parse(`${text}T00:00:00.000Z`);
  // The 30th of February is read as a day of March, or not at all.
  const isDate = Number.isFinite(from) && new Date(from).toISOString().startsWith(text);
  return isDate ? { from, to: from + dayMs } : undefined;
}
