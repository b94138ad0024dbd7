import { and, asc, eq, getTableColumns, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { unreachable } from '../../../shared/errors.ts';
import type { Snapshots, Store } from '../../../sqlite/store.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import { collection, posting, unplacedPayment } from '../../database/schema.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import type { PostingRow } from '../collection-query.ts';
import type { Page, PageRequest, UnknownCursor } from '../page.ts';
import { getOpenedAt } from '../page-query.ts';
import { type CollectionFilter, toSelection } from '../selection-query.ts';
import type { ExportTime } from './csv.ts';
import { type ExportRow, exportRow } from './lines.ts';

/** The postings of a booking at most: from the payers, or out of suspense, to a merchant and to the service. */
const maxPostings = 4;

/** The bookings to read. Without a mode, those of both. */
type BookedFilter = CollectionFilter & { livemode?: 0 | 1 };

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
