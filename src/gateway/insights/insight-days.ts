import { maxInsightDays } from '../../contract/merchant/insights.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { dayMs, readDay, showDay, type TimeSpan } from '../ledger/day.ts';

/** The first and the last day of a request, such as `2026-03-06`; both are optional. */
export type DayRange = { from?: string | undefined; to?: string | undefined };

/**
 * Returns the span of the days of a request: today without a day, one day without a last one.
 *
 * @returns a message that names the fault for a day that does not exist, days in the wrong order, and too many of them.
 */
export function readInsightDays(range: DayRange, now: EpochMs): TimeSpan | { message: string } {
  const first = range.from ?? range.to ?? showDay(Math.floor(now / dayMs));
  const last = range.to ?? first;
  const [begin, end] = [readDay(first), readDay(last)];
  if (!begin) return { message: `from: expected a day such as 2026-03-06, found ${first}` };
  if (!end) return { message: `to: expected a day such as 2026-03-06, found ${last}` };
  if (end.from < begin.from) return { message: `to: expected ${first} or a later day, found ${last}` };
  if (end.to - begin.from > maxInsightDays * dayMs)
    return { message: `to: expected at most ${maxInsightDays} days, found ${first} to ${last}` };
  return { from: begin.from, to: end.to };
}
