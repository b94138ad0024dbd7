import { and, asc, eq, gt, gte, lt } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection } from '../schema.ts';

export type ExportFilter = {
  /** Only collections opened at this time or later. */
  from?: EpochMs | undefined;
  /** Only collections opened before this time. */
  before?: EpochMs | undefined;
  status?: string | undefined;
};

const pageRows = 500;

/** Yields the collections that match the filter in pages, oldest first, because ids are ordered by time. */
export async function* exportPages(store: Store, filter: ExportFilter): AsyncGenerator<CollectionRow[]> {
  const { from, before, status } = filter;
  for (let last = ''; ; ) {
    const rows = await store.read
      .select()
      .from(collection)
      .where(
        and(
          gt(collection.id, last),
          from === undefined ? undefined : gte(collection.openedAt, from),
          before === undefined ? undefined : lt(collection.openedAt, before),
          status === undefined ? undefined : eq(collection.status, status),
        ),
      )
      .orderBy(asc(collection.id))
      .limit(pageRows);
    if (rows.length > 0) yield rows as CollectionRow[];
    const end = rows.at(-1);
    if (!end || rows.length < pageRows) return;
    last = end.id;
  }
}
