import { sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';

/** The payments of a day with one outcome. */
type DayPayments = {
  merchant: string;
  channel: string;
  network: string;
  outcome: string;
  payments: number;
  chargedMinor: number;
};

/** The dialogues of a day by their result: `begun`, `answered`, `opened`, or how they ended without a payment. */
type DayDialogues = { merchant: string; channel: string; result: string; dialogues: number };

export type TodayTotals = { payments: DayPayments[]; dialogues: DayDialogues[] };

/** Reads the stored totals of one day, UTC, of each merchant: those of `dialtill insights`, without the rows of the last seconds. */
export async function readDayTotals(
  { read }: Store,
  { start, livemode }: { start: EpochMs; livemode: 0 | 1 },
): Promise<TodayTotals> {
  const payments = await read.all<[string, string, string, string, number, number]>(sql`
    SELECT merchant_id, channel, network, outcome, payments, charged_minor
    FROM payment_total WHERE unit = 'day' AND start = ${start} AND livemode = ${livemode}`);
  const dialogues = await read.all<[string, string, string, number]>(sql`
    SELECT merchant_id, channel, measure, sum(count)
    FROM screen_total WHERE unit = 'day' AND start = ${start}
      AND (measure LIKE 'left.%' OR (screen = '' AND measure IN ('begun', 'answered', 'opened')))
    GROUP BY merchant_id, channel, measure`);
  return {
    payments: payments.map(([merchant, channel, network, outcome, count, chargedMinor]) => ({
      ...{ merchant, channel, network, outcome, payments: count, chargedMinor },
    })),
    dialogues: dialogues.map(([merchant, channel, measure, count]) => ({
      ...{ merchant, channel, result: measure.replace('left.', ''), dialogues: count },
    })),
  };
}
