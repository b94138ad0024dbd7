import { and, asc, inArray, type SQL, sql } from 'drizzle-orm';
import { unreachable } from '../../../shared/errors.ts';
import type { Snapshots, Store } from '../../../sqlite/store.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import { collection, posting } from '../../database/schema.ts';
import type { CollectionFilter } from '../collection-filter.ts';
import { getOpenedAt } from '../page-query.ts';
import { toSelection } from '../selection-query.ts';
import { readBookings } from './booked-query.ts';
import { type ExportRow, exportRow } from './export-row.ts';
import type { ExportTime } from './export-times.ts';

const pageRows = 500;
const pageBookings = 125;

type PageReader = Pick<Snapshots, 'read'>;

/**
 * Yields the lines of an export in pages. By opening time: the collections that `listCollections` returns for the filter,
 * oldest first, each with all its bookings. By booking time: one line for each booking within `from` and `before`, in the
 * order of booking, so that the received amounts add up to the balances of the same time.
 *
 * Each page is one snapshot. What is opened or booked meanwhile, at a time that the filter includes, may be a part of the export.
 */
export function exportPages(
  snapshots: PageReader,
  filter: CollectionFilter,
  by: ExportTime,
): AsyncGenerator<ExportRow[]> {
  switch (by) {
    case 'opened':
      return openedPages(snapshots, filter);
    case 'booked':
      return bookedPages(snapshots, filter);
    default:
      return unreachable(by);
  }
}

async function* openedPages(snapshots: PageReader, filter: CollectionFilter): AsyncGenerator<ExportRow[]> {
  const selection = toSelection(filter);
  const openedAt = getOpenedAt(selection);
  const readPage = async (store: Store, isAfter: SQL | undefined) => {
    const rows = (await store.read
      .select()
      .from(collection)
      .where(and(selection.where, isAfter))
      .orderBy(asc(openedAt), asc(collection.id))
      .limit(pageRows)) as CollectionRow[];
    return { lines: await withBookings(store, rows), end: rows.at(-1), isLast: rows.length < pageRows };
  };
  for (let isAfter: SQL | undefined; ; ) {
    const { lines, end, isLast } = await snapshots.read((store) => readPage(store, isAfter));
    if (lines.length > 0) yield lines;
    if (!end || isLast) return;
    isAfter = sql`(${openedAt}, ${collection.id}) > (${end.openedAt}, ${end.id})`;
  }
}

async function withBookings({ read }: Store, rows: readonly CollectionRow[]): Promise<ExportRow[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const postings = await read
    .select()
    .from(posting)
    .where(inArray(posting.subjectId, ids))
    .orderBy(asc(posting.seq));
  const ofCollection = Map.groupBy(postings, (one) => one.subjectId);
  return rows.map((row) => exportRow({ kind: 'collection', row }, ofCollection.get(row.id) ?? []));
}

async function* bookedPages(snapshots: PageReader, filter: CollectionFilter): AsyncGenerator<ExportRow[]> {
  let after: string | undefined;
  do {
    const page = { limit: pageBookings, after };
    const part = await snapshots.read((store) => readBookings(store, filter, page));
    if (part === 'unknown_cursor') throw new Error('the cursor of a part is unknown');
    if (part.data.length > 0) yield part.data;
    after = part.next ?? undefined;
  } while (after !== undefined);
}
