import type { EpochMs } from '../../shared/clock.ts';

/** A span of time: `from` is included, `to` is not. */
export type TimeSpan = { from: EpochMs; to: EpochMs };

/** Length of a business day. */
export const dayMs = 24 * 60 * 60_000;

/** Returns the business day of a date such as `2026-03-06`: in Ghana, from midnight to midnight UTC. Undefined for no date. */
export function readDay(text: string): TimeSpan | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const from = Date.parse(`${text}T00:00:00.000Z`);
  // `Date.parse` may read 30 February as a day of March.
  const isDate = Number.isFinite(from) && new Date(from).toISOString().startsWith(text);
  return isDate ? { from, to: from + dayMs } : undefined;
}

/** Returns the date of a business day, given as days since 1970. */
export function showDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** The shortest configurable retention, in days. The audit reports a dialogue that was deleted when it was younger. */
export const minRetentionDays = 30;
