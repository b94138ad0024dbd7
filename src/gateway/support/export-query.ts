import { and, asc, type SQL, sql } from 'drizzle-orm';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection } from '../schema.ts';
import { type CollectionFilter, selectionOf } from './list-query.ts';
import { openedAtOf } from './page-query.ts';

const pageRows = 500;

/** Yields the collections that `listCollections` returns for the filter, oldest first, in pages. */
export async function* exportPages(store: Store, filter: CollectionFilter): AsyncGenerator<CollectionRow[]> {
  const selection = selectionOf(filter);
  const openedAt = openedAtOf(selection);
  for (let isAfter: SQL | undefined; ; ) {
    const rows = (await store.read
      .select()
      .from(collection)
      .where(and(selection.where, isAfter))
      .orderBy(asc(openedAt), asc(collection.id))
      .limit(pageRows)) as CollectionRow[];
    if (rows.length > 0) yield rows;
    const end = rows.at(-1);
    if (!end || rows.length < pageRows) return;
    isAfter = sql`(${openedAt}, ${collection.id}) > (${end.openedAt}, ${end.id})`;
  }
}
