import { and, asc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import type { Store } from '../../../sqlite/store.ts';
import { collection, hasJob, job, openStatusesText } from '../../database/schema.ts';
import type { TimeSpan } from '../../ledger/day.ts';

/** The payments that were opened on one day. Amounts are those of the paid ones. */
export type DaySums = {
  opened: number;
  open: number;
  paid: number;
  notPaid: number;
  /** With the status `review`. */
  review: number;
  /** With any status, about which a person must decide. */
  toDecide: number;
  chargedMinor: number;
  feeMinor: number;
  netMinor: number;
};

const isPaid = sql`${collection.status} = 'paid'`;

const count = (condition: SQL) => sql<number>`coalesce(sum(CASE WHEN ${condition} THEN 1 ELSE 0 END), 0)`;
const sumPaid = (amount: SQL) =>
  sql<number>`coalesce(sum(CASE WHEN ${isPaid} THEN coalesce(${amount}, 0) ELSE 0 END), 0)`;

const sums = {
  opened: sql<number>`count(*)`,
  open: count(sql`${collection.status} IN ${openStatusesText}`),
  paid: count(isPaid),
  notPaid: count(sql`${collection.status} IN ('failed', 'expired', 'abandoned')`),
  review: count(sql`${collection.status} = 'review'`),
  toDecide: count(sql`${collection.review} IS NOT NULL`),
  chargedMinor: sumPaid(sql`${collection.amountMinor}`),
  feeMinor: sumPaid(sql`${collection.feeMinor}`),
  netMinor: sumPaid(sql`${collection.netMinor}`),
};

/** Sums the payments of a merchant in one mode that were opened in a span of time. */
export async function sumDay(
  { read }: Store,
  { merchantId, livemode }: { merchantId: string; livemode: number },
  { from, to }: TimeSpan,
): Promise<DaySums> {
  const [row] = await read
    .select(sums)
    .from(collection)
    .where(
      and(
        eq(collection.merchantId, merchantId),
        sql`${collection.livemode} = ${livemode}`,
        gte(collection.openedAt, from),
        lt(collection.openedAt, to),
      ),
    );
  if (!row) throw new Error('a sum has one row');
  return row;
}

/** Keeps the database from reading every collection in the order of an index of merchants. */
export const byMerchant = sql<string>`coalesce(${collection.merchantId}, '')`;

/** Sums the payments of each merchant that has any, at most `limit` merchants. */
export function sumDayOfMerchants(
  { read }: Store,
  livemode: number,
  { from, to }: TimeSpan,
  limit: number,
): Promise<(DaySums & { merchantId: string })[]> {
  return read
    .select({ merchantId: byMerchant, ...sums })
    .from(collection)
    .where(
      and(
        gte(collection.openedAt, from),
        lt(collection.openedAt, to),
        // A plus keeps SQLite from the indexes that begin with the mode.
        sql`+${collection.livemode} = ${livemode}`,
      ),
    )
    .groupBy(byMerchant)
    .orderBy(asc(byMerchant))
    .limit(limit);
}

/** Collections of one merchant that wait, and when the oldest of them was opened. */
type Backlog = { merchantId: string; count: number; oldestAt: EpochMs };

/** Counts the collections without a result. Reads only those that have a next step. */
export function countOpen({ read }: Store): Promise<Backlog[]> {
  return read
    .select(backlog)
    .from(collection)
    .where(sql`${hasJob} AND ${collection.status} IN ${openStatusesText}`)
    .groupBy(byMerchant);
}

/** Counts the collections that a person must decide. */
export function countReviews({ read }: Store): Promise<Backlog[]> {
  return read
    .select(backlog)
    .from(collection)
    .where(sql`${collection.review} IS NOT NULL`)
    .groupBy(byMerchant);
}

const backlog = {
  merchantId: byMerchant,
  count: sql<number>`count(*)`,
  oldestAt: sql<EpochMs>`min(${collection.openedAt})`,
};

/** Payments of one merchant in one mode that an event reported and no poll has confirmed. */
type Unconfirmed = { merchantId: string; livemode: number; count: number; amountMinor: number };

/** Sums unconfirmed payments by merchant and mode. Their jobs have an urgency of their own. */
export function sumUnconfirmed({ read }: Store): Promise<Unconfirmed[]> {
  return read
    .select({
      merchantId: collection.merchantId,
      livemode: collection.livemode,
      count: sql<number>`count(*)`,
      amountMinor: sql<number>`sum(${collection.amountMinor})`,
    })
    .from(job)
    .innerJoin(collection, eq(collection.id, job.collectionId))
    .where(sql`${job.livemode} IN (0, 1) AND ${job.urgency} = 1`)
    .groupBy(collection.merchantId, collection.livemode);
}
