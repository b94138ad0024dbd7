import { sql } from 'drizzle-orm';
import type { Store } from '../../../sqlite/store.ts';
import { collection, unconfirmed } from '../../schema.ts';

/** Payments of one merchant that an event reported and no poll has confirmed. */
export type Unconfirmed = { merchantId: string; count: number; amountMinor: number };

/** Sums unconfirmed payments by merchant. A partial index holds only these payments. */
export function sumUnconfirmed({ read }: Store): Promise<Unconfirmed[]> {
  return read
    .select({
      merchantId: collection.merchantId,
      count: sql<number>`count(*)`,
      amountMinor: sql<number>`sum(${collection.amountMinor})`,
    })
    .from(collection)
    .where(sql`${unconfirmed}`)
    .groupBy(collection.merchantId);
}
