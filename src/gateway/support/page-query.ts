import { and, desc, type SQL, sql } from 'drizzle-orm';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection } from '../database/schema.ts';
import type { CollectionPage, CollectionPart, PageRequest, UnknownCursor } from './page.ts';
import { allMerchants, type Scope } from './scope.ts';
import { hasIdInScope, isInScope } from './scope-query.ts';

/** A condition on collections. */
export type Selection = {
  where: SQL | undefined;
  /**
   * True when the condition selects rows by their row ids. The order is then computed by sorting these rows: SQLite could
   * otherwise read all collections in the order of an index and test each one.
   */
  selective: boolean;
  /** All merchants when absent. */
  scope?: Scope;
};

/** Returns the column of the time; without an index when the selection has its own. */
export function getOpenedAt({ selective }: Pick<Selection, 'selective'>): SQL {
  return selective ? sql`+${collection.openedAt}` : sql`${collection.openedAt}`;
}

/**
 * Reads a page of the selected collections, newest first, with the count and the sum of all of them. A collection outside of
 * the scope is no cursor.
 */
export async function readCollectionPage(
  store: Store,
  selection: Selection,
  page: PageRequest,
): Promise<CollectionPage | UnknownCursor> {
  const part = await readCollectionPart(store, selection, page);
  return part === 'unknown_cursor' ? part : { ...part, ...(await sumCollections(store, selection)) };
}

/** Reads a page of the selected collections, newest first. */
export async function readCollectionPart(
  { read }: Store,
  selection: Selection,
  { limit, after }: PageRequest,
): Promise<CollectionPart | UnknownCursor> {
  const { scope = allMerchants } = selection;
  const openedAt = getOpenedAt(selection);
  const where = findWhere(selection);
  let isAfter: SQL | undefined;
  if (after !== undefined) {
    const [last] = await read
      .select({ openedAt: collection.openedAt })
      .from(collection)
      .where(hasIdInScope(after, scope));
    if (!last) return 'unknown_cursor';
    isAfter = sql`(${openedAt}, ${collection.id}) < (${last.openedAt}, ${after})`;
  }
  const rows = (await read
    .select()
    .from(collection)
    .where(and(where, isAfter))
    .orderBy(desc(openedAt), desc(collection.id))
    .limit(limit + 1)) as CollectionRow[];
  const data = rows.slice(0, limit);
  return { data, next: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

/** Returns the number of the selected collections and the sum of their prices. */
export async function sumCollections(
  { read }: Store,
  selection: Selection,
): Promise<Pick<CollectionPage, 'total' | 'sumMinor'>> {
  const [all] = await read
    .select({
      total: sql<number>`count(*)`,
      sumMinor: sql<number>`coalesce(sum(${collection.goodsMinor}), 0)`,
    })
    .from(collection)
    .where(findWhere(selection));
  return { total: all?.total ?? 0, sumMinor: all?.sumMinor ?? 0 };
}

function findWhere({ where, selective, scope = allMerchants }: Selection): SQL | undefined {
  return and(isInScope(scope, { isTested: selective }), where);
}
