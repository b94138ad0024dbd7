import { sql } from 'drizzle-orm';
import type { Store } from '../../../sqlite/store.ts';
import { collection, unconfirmed } from '../../database/schema.ts';

/** Payments of one merchant in one mode that an event reported and no poll has confirmed. */
export type Unconfirmed = { merchantId: string; livemode: number; count: number; amountMinor: number };

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
