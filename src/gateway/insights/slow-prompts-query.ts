import { sql } from 'drizzle-orm';
import type { Insights } from '../../contract/merchant/insights.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { type AnsweredPayment, findMedianAnswer } from '../collection/collection.ts';
import { dayMs } from '../ledger/day.ts';
import type { TotalsScope } from './totals-query.ts';

type SlowPromptsRequest = Pick<TotalsScope, 'merchantId' | 'livemode'> & { now: EpochMs };

const hourMs = 3_600_000;

/** Payments that each of the two reads has at most. */
const maxPayments = 250;

/** A median of fewer payments says nothing. */
const minPayments = 10;

/**
 * Returns the networks whose approvals of the last hour took at least twice as long as usual, and 30 s more. The usual time is that of
 * the last payments until the same time of the day before: a long disturbance does not become usual within the day.
 */
export async function readSlowPrompts(
  store: Store,
  request: SlowPromptsRequest,
): Promise<Insights['now']['slow_prompts']> {
  const { now } = request;
  const recent = await readMedians(store, request, { from: now - hourMs, until: now });
  if (recent.size === 0) return [];
  const usual = await readMedians(store, request, { from: 0, until: now - dayMs });
  return [...recent]
    .flatMap(([network, medianMs]) => {
      const usualMs = usual.get(network);
      return usualMs === undefined ? [] : [{ network, medianMs, usualMs }];
    })
    .filter(({ medianMs, usualMs }) => medianMs >= 2 * usualMs && medianMs >= usualMs + 30_000)
    .sort((one, other) => (one.network < other.network ? -1 : 1))
    .map(({ network, medianMs, usualMs }) => ({
      network,
      median_seconds: Math.round(medianMs / 1_000),
      usual_seconds: Math.round(usualMs / 1_000),
    }));
}

/** Reads the newest payments of a span by their index, and returns the median of each network with enough approvals. */
async function readMedians(
  { read }: Store,
  { merchantId, livemode }: SlowPromptsRequest,
  { from, until }: { from: EpochMs; until: EpochMs },
): Promise<Map<string, number>> {
  const ofMerchant = merchantId === null ? sql`` : sql`AND merchant_id = ${merchantId}`;
  type Row = [network: string, livemode: 0 | 1, initiateSentAt: EpochMs | null, paidAt: string | null];
  const rows = await read.all<Row>(sql`
    SELECT network, livemode, initiate_sent_at, paid_at FROM collection
    WHERE opened_at > ${from} AND opened_at <= ${until} ${ofMerchant}
    ORDER BY opened_at DESC LIMIT ${maxPayments}`);
  const payments = rows.flatMap(
    ([network, mode, initiateSentAt, paidAt]): (AnsweredPayment & { network: string })[] =>
      mode === livemode ? [{ network, initiateSentAt, paidAt }] : [],
  );
  const medians = [...Map.groupBy(payments, ({ network }) => network)].flatMap(([network, some]) => {
    const median = findMedianAnswer(some, minPayments);
    return median === undefined ? [] : [[network, median] as const];
  });
  return new Map(medians);
}
