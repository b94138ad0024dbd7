import { and, asc, eq, getTableColumns, gte, inArray, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import { unreachable } from '../../../shared/errors.ts';
import type { Snapshots, Store } from '../../../sqlite/store.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import { collection, posting, unplacedPayment } from '../../schema.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import type { CollectionFilter } from '../collection-filter.ts';
import type { PostingRow } from '../collection-query.ts';
import { type ReceivedAmounts, receivedAmounts } from '../explain/amounts.ts';
import { openedAtOf } from '../page-query.ts';
import { selectionOf } from '../selection-query.ts';
import type { ExportTime } from './export-times.ts';

/** What the money of a line belongs to. */
export type ExportSubject =
  | { kind: 'collection'; row: CollectionRow }
  | { kind: 'unplaced'; row: UnplacedPayment };

/** One line of an export. */
export type ExportRow = {
  subject: ExportSubject;
  /** The sums of the postings of this line; null when no money was booked. */
  received: ReceivedAmounts | null;
  /** The bookings of this line, in order, with the time of the last one. */
  bookings: readonly string[];
  bookedAt: EpochMs | null;
};

const pageRows = 500;

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
  const selection = selectionOf(filter);
  const openedAt = openedAtOf(selection);
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
  const ofCollection = groupBy(postings, (one) => one.subjectId);
  return rows.map((row) => exportRow({ kind: 'collection', row }, ofCollection.get(row.id) ?? []));
}

async function* bookedPages(snapshots: PageReader, filter: CollectionFilter): AsyncGenerator<ExportRow[]> {
  const { from, before, ...others } = filter;
  const { where } = selectionOf(others);
  const within = and(
    from === undefined ? undefined : gte(posting.at, from),
    before === undefined ? undefined : lt(posting.at, before),
  );
  const readPage = async (store: Store, isAfter: SQL | undefined, unfinished: readonly PostingRow[]) => {
    const rows = await store.read
      .select(getTableColumns(posting))
      .from(posting)
      .leftJoin(collection, eq(collection.id, posting.subjectId))
      .leftJoin(unplacedPayment, eq(unplacedPayment.id, posting.subjectId))
      .where(and(within, or(and(isNotNull(collection.id), where), unplacedWhere(others)), isAfter))
      .orderBy(asc(posting.at), asc(posting.seq))
      .limit(pageRows);
    const end = rows.at(-1);
    const isLast = !end || rows.length < pageRows;
    const pending = [...unfinished, ...rows];
    // The postings of a booking are written together, so only the last booking can continue on the next page.
    const cut = isLast ? pending.length : pending.findIndex((one) => keyOf(one) === keyOf(end));
    const bookings = groupBy(pending.slice(0, cut), keyOf);
    const lines = await withSubjects(store, [...bookings.values()]);
    return { lines, end: isLast ? undefined : end, unfinished: pending.slice(cut) };
  };
  let unfinished: readonly PostingRow[] = [];
  for (let isAfter: SQL | undefined; ; ) {
    const page = await snapshots.read((store) => readPage(store, isAfter, unfinished));
    if (page.lines.length > 0) yield page.lines;
    if (!page.end) return;
    isAfter = sql`(${posting.at}, ${posting.seq}) > (${page.end.at}, ${page.end.seq})`;
    unfinished = page.unfinished;
  }
}

/** Selects unplaced payments when the filter names no property that only collections have. */
function unplacedWhere({ merchantId, ...others }: CollectionFilter): SQL | undefined {
  if (Object.values(others).some((value) => value !== undefined)) return sql`FALSE`;
  return and(
    isNotNull(unplacedPayment.id),
    merchantId === undefined ? undefined : eq(unplacedPayment.merchantId, merchantId),
  );
}

function keyOf({ subjectId, version, booking }: PostingRow): string {
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

function groupBy<Row>(rows: readonly Row[], key: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return groups;
}

function exportRow(subject: ExportSubject, postings: readonly PostingRow[]): ExportRow {
  return {
    subject,
    received: receivedAmounts(postings),
    bookings: [...new Set(postings.map(({ booking }) => booking))],
    bookedAt: postings.at(-1)?.at ?? null,
  };
}
