import { and, type SQL, sql } from 'drizzle-orm';
import { collection } from '../database/schema.ts';
import type { CollectionFilter } from './collection-filter.ts';

/** What the payer is charged: the total of the prompt, or the best known one before it. */
const total = sql`coalesce(${collection.amountMinor}, ${collection.shownTotalMinor}, ${collection.goodsMinor})`;

/**
 * Returns the condition that the price or the total is in a range with inclusive bounds. A payer reads the price on a bill, and
 * the total in the message of the network.
 */
export function hasAmount({ minMinor, maxMinor }: Pick<CollectionFilter, 'minMinor' | 'maxMinor'>): SQL {
  const isInRange = (amount: SQL) =>
    and(
      minMinor === undefined ? undefined : sql`${amount} >= ${minMinor}`,
      maxMinor === undefined ? undefined : sql`${amount} <= ${maxMinor}`,
    );
  return sql`(${isInRange(sql`${collection.goodsMinor}`)} OR ${isInRange(total)})`;
}
