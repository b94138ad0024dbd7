import { and, asc, eq, gte, lte } from 'drizzle-orm';
import type { DayTotals } from '../../contract/staff/staff.ts';
import type { ClosedStatement } from '../../contract/staff/statement.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { staffAction } from '../database/schema.ts';

/** A person's statement that the books of a merchant agree with the totals of a day. */
export type DayClose = {
  date: string;
  merchantId: string;
  actor: string;
  at: EpochMs;
  totals: DayTotals;
  /** The statement of the service with which it was closed; null without one. */
  statement: ClosedStatement;
};

/**
 * Returns the last close of each merchant and day between two dates, both included. Closes have no table of their own, so that none
 * can be removed without a trace.
 */
export async function listDayCloses(
  { read }: Store,
  livemode: number,
  first: string,
  last = first,
): Promise<DayClose[]> {
  const rows = await read
    .select()
    .from(staffAction)
    .where(
      and(
        gte(staffAction.subjectId, first),
        lte(staffAction.subjectId, last),
        eq(staffAction.subjectKind, 'day'),
        eq(staffAction.action, 'close_day'),
        eq(staffAction.result, 'done'),
        eq(staffAction.livemode, livemode),
      ),
    )
    .orderBy(asc(staffAction.seq));
  const closes = rows.map(({ subjectId: date, merchantId, actor, at, detail }) => {
    // Closes before statements were imported have none.
    const { statement = null, ...totals } = JSON.parse(detail) as DayTotals & { statement?: ClosedStatement };
    return { date, merchantId: merchantId ?? '', actor, at, totals, statement };
  });
  return [...new Map(closes.map((one) => [`${one.date} ${one.merchantId}`, one])).values()];
}
