import { and, asc, eq, getTableColumns, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Store } from '../../../sqlite/store.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import { collection, posting, unplacedPayment } from '../../database/schema.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import type { CollectionFilter } from '../collection-filter.ts';
import type { PostingRow } from '../collection-query.ts';
import type { Page, PageRequest, UnknownCursor } from '../page.ts';
import { toSelection } from '../selection-query.ts';
import { type ExportRow, exportRow } from './export-row.ts';

/** The postings of a booking at most: from the payers, or out of suspense, to a merchant and to the service. */
const maxPostings = 4;

/** The bookings to read. Without a mode, those of both. */
export type BookedFilter = CollectionFilter & { livemode?: 0 | 1 };

/**
 * Reads the bookings within `from` and `before`, in the order of booking, so that the received amounts add up to the balances of the
 * same time. Unplaced payments are included when the filter names no property that only collections have.
 */
export async function readBookings(
  store: Store,
  filter: BookedFilter,
  { limit, after }: PageRequest,
): Promise<Pick<Page<ExportRow>, 'data' | 'next'> | UnknownCursor> {
  const isAfter = after === undefined ? undefined : afterCursor(after);
  if (after !== undefined && isAfter === undefined) return 'unknown_cursor';
  const { from, before, merchantId, livemode, ...others } = filter;
  const within = and(
    from === undefined ? undefined : gte(posting.at, from),
    before === undefined ? undefined : lt(posting.at, before),
    merchantId === undefined ? undefined : eq(posting.merchantId, merchantId),
    livemode === undefined ? undefined : eq(posting.livemode, livemode),
  );
  const maxRows = limit * maxPostings + 1;
  const rows = await store.read
    .select(getTableColumns(posting))
    .from(posting)
    .where(and(within, ofCollections(others), isAfter))
    .orderBy(asc(posting.at), asc(posting.seq))
    .limit(maxRows);
  // The postings of a booking are written together, so only the last booking can continue behind the last row.
  const all = [...Map.groupBy(rows, toKey).values()];
  const whole = rows.length < maxRows ? all : all.slice(0, -1);
  const given = whole.slice(0, limit);
  const end = given.at(-1)?.at(-1);
  return {
    data: await withSubjects(store, given),
    next: end && given.length < all.length ? `${end.at}-${end.seq}` : null,
  };
}

function afterCursor(cursor: string): SQL | undefined {
  const [, at, seq] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? [];
  if (at === undefined || seq === undefined) return undefined;
  return sql`(${posting.at}, ${posting.seq}) > (${Number(at)}, ${Number(seq)})`;
}

/** Selects the postings of the collections with some properties; without a property, all postings. */
function ofCollections(filter: CollectionFilter): SQL | undefined {
  if (Object.values(filter).every((value) => value === undefined)) return undefined;
  // The plus keeps SQLite from reading the postings of each collection in turn, which would sort all of them for each page.
  return sql`EXISTS (SELECT 1 FROM ${collection} WHERE ${collection.id} = +${posting.subjectId} AND ${toSelection(filter).where})`;
}

function toKey({ subjectId, version, booking }: PostingRow): string {
  return `${subjectId} ${version} ${booking}`;
}

/** Returns a line for each booking. A subject with several postings is read once. */
async function withSubjects({ read }: Store, bookings: readonly PostingRow[][]): Promise<ExportRow[]> {
  if (bookings.length === 0) return [];
  const ids = [...new Set(bookings.flatMap(([first]) => (first ? [first.subjectId] : [])))];
  const rows = (await read.select().from(collection).where(inArray(collection.id, ids))) as CollectionRow[];
  const collections = new Map(rows.map((row) => [row.id, row]));
  const others = ids.filter((id) => !collections.has(id));
  const found =
    others.length === 0
      ? []
      : await read.select().from(unplacedPayment).where(inArray(unplacedPayment.id, others));
  const unplaced = new Map(found.map((row) => [row.id, row as UnplacedPayment]));
  return bookings.flatMap((postings) => {
    const id = postings[0]?.subjectId ?? '';
    const [row, other] = [collections.get(id), unplaced.get(id)];
    if (row) return [exportRow({ kind: 'collection', row }, postings)];
    return other ? [exportRow({ kind: 'unplaced', row: other }, postings)] : [];
  });
}
