import { and, eq, sql } from 'drizzle-orm';
import type { Store } from '../../../sqlite/store.ts';
import { collection, staffAction } from '../../database/schema.ts';
import type { CollectionRecord } from '../../support/collection-query.ts';
import type { Scope } from '../../support/scope.ts';
import { hasIdInScope } from '../../support/scope-query.ts';

/** Names what a page of a payment shows: the number of its facts, and its newest action. */
export function versionOf({
  collection: { version },
  actions,
}: Pick<CollectionRecord, 'collection' | 'actions'>): string {
  return `${version}.${actions.at(-1)?.seq ?? 0}`;
}

/**
 * Reads the present version of a payment of the scope; `undefined` when it is not in the scope. Actions of support staff are not
 * of people of a merchant.
 */
export async function readPaymentVersion(
  { read }: Store,
  scope: Scope,
  id: string,
): Promise<string | undefined> {
  const [found] = await read
    .select({ version: collection.version })
    .from(collection)
    .where(hasIdInScope(id, scope));
  if (!found || scope.merchantId !== null) return found && `${found.version}.0`;
  const [last] = await read
    .select({ seq: sql<number | null>`max(${staffAction.seq})` })
    .from(staffAction)
    .where(and(eq(staffAction.subjectId, id), eq(staffAction.subjectKind, 'collection')));
  return `${found.version}.${last?.seq ?? 0}`;
}
