import { and, eq, type SQL, sql } from 'drizzle-orm';
import { collection } from '../database/schema.ts';
import type { Scope } from './scope.ts';

/** Returns the condition that a collection is in the scope. `isTested` keeps SQLite from the indexes of the merchant. */
export function isInScope({ merchantId }: Scope, { isTested }: { isTested: boolean }): SQL | undefined {
  if (merchantId === null) return undefined;
  return isTested ? sql`+${collection.merchantId} = ${merchantId}` : eq(collection.merchantId, merchantId);
}

/** Returns the condition that a collection is in the scope and has an id. */
export function hasIdInScope(id: string, scope: Scope): SQL | undefined {
  return and(eq(collection.id, id), isInScope(scope, { isTested: true }));
}
