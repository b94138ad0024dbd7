import { sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import type { Store } from '../../../sqlite/store.ts';
import { collection, openStatusesText, unconfirmed } from '../../database/schema.ts';

/** Collections of one merchant that wait, and when the oldest of them was opened. */
type Backlog = { merchantId: string; count: number; oldestAt: EpochMs };

/** Counts the collections without a result. Reads only those that have a next step. */
export function countOpen({ read }: Store): Promise<Backlog[]> {
  return read
    .select(backlog)
    .from(collection)
    .where(sql`${collection.nextAt} IS NOT NULL AND ${collection.status} IN ${openStatusesText}`)
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

/** Keeps the database from reading every collection in the order of an index of merchants. */
const byMerchant = sql`coalesce(${collection.merchantId}, '')`;

const backlog = {
  merchantId: sql<string>`coalesce(${collection.merchantId}, '')`,
  count: sql<number>`count(*)`,
  oldestAt: sql<EpochMs>`min(${collection.openedAt})`,
};

/** Payments of one merchant in one mode that an event reported and no poll has confirmed. */
type Unconfirmed = { merchantId: string; livemode: number; count: number; amountMinor: number };

/** Sums unconfirmed payments by merchant and mode. A partial index holds only these payments. */
export function sumUnconfirmed({ read }: Store): Promise<Unconfirmed[]> {
  return read
    .select({
      merchantId: collection.merchantId,
      livemode: collection.livemode,
      count: sql<number>`count(*)`,
      amountMinor: sql<number>`sum(${collection.amountMinor})`,
    })
    .from(collection)
    .where(sql`${unconfirmed}`)
    .groupBy(collection.merchantId, collection.livemode);
}
