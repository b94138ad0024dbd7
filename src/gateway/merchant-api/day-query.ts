import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { Store } from '../../sqlite/store.ts';
import type { TimeSpan } from '../ledger/day.ts';
import { collection } from '../schema.ts';
import { hasStatus, type Owner } from './payment-query.ts';

/** The payments that were opened on one day. Amounts are those of the paid ones. */
export type DaySums = {
  opened: number;
  open: number;
  paid: number;
  notPaid: number;
  review: number;
  chargedMinor: number;
  feeMinor: number;
  netMinor: number;
};

/** Sums the payments of the owner that were opened in a span of time. */
export async function sumDay(
  { read }: Store,
  { merchantId, livemode }: Owner,
  { from, to }: TimeSpan,
): Promise<DaySums> {
  const count = (condition: SQL) => sql<number>`coalesce(sum(CASE WHEN ${condition} THEN 1 ELSE 0 END), 0)`;
  const sumPaid = (amount: SQL) =>
    sql<number>`coalesce(sum(CASE WHEN ${hasStatus.paid} THEN coalesce(${amount}, 0) ELSE 0 END), 0)`;
  const [sums] = await read
    .select({
      opened: sql<number>`count(*)`,
      open: count(hasStatus.open),
      paid: count(hasStatus.paid),
      notPaid: count(hasStatus.not_paid),
      review: count(hasStatus.review),
      chargedMinor: sumPaid(sql`${collection.amountMinor}`),
      feeMinor: sumPaid(sql`${collection.feeMinor}`),
      netMinor: sumPaid(sql`${collection.netMinor}`),
    })
    .from(collection)
    .where(
      and(
        eq(collection.merchantId, merchantId),
        eq(collection.livemode, livemode),
        gte(collection.openedAt, from),
        lt(collection.openedAt, to),
      ),
    );
  if (!sums) throw new Error('a sum has one row');
  return sums;
}
