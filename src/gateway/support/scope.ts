import { and, eq, type SQL, sql } from 'drizzle-orm';
import { collection } from '../schema.ts';

/**
 * Whose collections a read returns: those of one merchant, or with null those of all. A read with a merchant returns nothing
 * that depends on collections of other merchants: no row, count, sum or cursor.
 */
export type Scope = { merchantId: string | null };

export const allMerchants: Scope = { merchantId: null };

/** Returns the condition that a collection is in the scope. `isTested` keeps SQLite from the indexes of the merchant. */
export function isInScope({ merchantId }: Scope, { isTested }: { isTested: boolean }): SQL | undefined {
  if (merchantId === null) return undefined;
  return isTested ? sql`+${collection.merchantId} = ${merchantId}` : eq(collection.merchantId, merchantId);
}

/** Returns the condition that a collection is in the scope and has an id. */
export function hasIdInScope(id: string, scope: Scope): SQL | undefined {
  return and(eq(collection.id, id), isInScope(scope, { isTested: true }));
}
