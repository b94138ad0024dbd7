import { sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import type { Store } from '../../../sqlite/store.ts';
import { collection, openStatuses } from '../../database/schema.ts';

/** Collections of one merchant that wait, and when the oldest of them was opened. */
export type Backlog = { merchantId: string; count: number; oldestAt: EpochMs };

/** Counts the collections without a result. Reads only those that have a next step. */
export function countOpen({ read }: Store): Promise<Backlog[]> {
  return read
    .select(backlog)
    .from(collection)
    .where(sql`${collection.nextAt} IS NOT NULL AND ${collection.status} IN ${openStatuses}`)
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
