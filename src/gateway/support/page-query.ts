import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow, Status } from '../collection/collection.ts';
import { collection } from '../database/schema.ts';
import type { TimeSpan } from '../ledger/day.ts';
import type { CollectionPage, CollectionPart, PageRequest, UnknownCursor } from './page.ts';
import { allMerchants, type Scope } from './scope.ts';

/** Returns the condition that a collection is in the scope. `isTested` keeps SQLite from the indexes of the merchant. */
export function isInScope({ merchantId }: Scope, { isTested }: { isTested: boolean }): SQL | undefined {
  if (merchantId === null) return undefined;
  return isTested ? sql`+${collection.merchantId} = ${merchantId}` : eq(collection.merchantId, merchantId);
}

/** Returns the condition that a collection is in the scope and has an id. */
export function hasIdInScope(id: string, scope: Scope): SQL | undefined {
  return and(eq(collection.id, id), isInScope(scope, { isTested: true }));
}

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

/** The money of a collection that its payer was charged and that was not booked back. */
const charged = sql`CASE WHEN ${collection.booked} IN ('paid', 'suspense', 'released') THEN ${collection.amountMinor} ELSE 0 END`;

/** The collections of one status, with or without a decision of people here, and their sums in pesewas. */
export type StatusSum = {
  status: Status;
  hasReview: 0 | 1;
  total: number;
  sumMinor: number;
  chargedMinor: number;
};

/** Sums the selected collections by status. */
export async function sumByStatus({ read }: Store, selection: Selection): Promise<StatusSum[]> {
  const hasReview = sql<
    0 | 1
  >`CASE WHEN ${collection.review} IS NULL OR ${collection.awaitsServiceSince} IS NOT NULL THEN 0 ELSE 1 END`;
  return (await read
    .select({
      ...{ status: collection.status, hasReview, total: sql<number>`count(*)` },
      sumMinor: sql<number>`coalesce(sum(${collection.goodsMinor}), 0)`,
      chargedMinor: sql<number>`coalesce(sum(${charged}), 0)`,
    })
    .from(collection)
    .where(findWhere(selection))
    .groupBy(collection.status, hasReview)) as StatusSum[];
}

/** The collections of one day, and those of them that are paid. */
export type DaySum = { from: EpochMs; total: number; paid: number; chargedMinor: number };

/** Sums the selected collections of some days. @param days newest first; between two of them, there is no collection. */
export async function sumByDay(
  { read }: Store,
  selection: Selection,
  days: readonly TimeSpan[],
): Promise<DaySum[]> {
  const [newest] = days;
  const oldest = days.at(-1);
  if (!newest || !oldest) return [];
  const openedAt = getOpenedAt(selection);
  const steps = days.map(({ from }) => sql`WHEN ${openedAt} >= ${from} THEN ${from}`);
  const day = sql<EpochMs>`CAST(CASE ${sql.join(steps, sql` `)} END AS BIGINT)`.as('day');
  const rows = read
    .select({ day, status: collection.status, charged: sql<number>`${charged}`.as('charged') })
    .from(collection)
    .where(and(findWhere(selection), gte(openedAt, oldest.from), lt(openedAt, newest.to)))
    .as('rows');
  const isPaid = sql`${rows.status} = 'paid'`;
  return read
    .select({
      from: rows.day,
      total: sql<number>`count(*)`,
      paid: sql<number>`coalesce(sum(CASE WHEN ${isPaid} THEN 1 ELSE 0 END), 0)`,
      chargedMinor: sql<number>`coalesce(sum(CASE WHEN ${isPaid} THEN ${rows.charged} ELSE 0 END), 0)`,
    })
    .from(rows)
    .groupBy(sql`${rows.day}`);
}

function findWhere({ where, selective, scope = allMerchants }: Selection): SQL | undefined {
  return and(isInScope(scope, { isTested: selective }), where);
}

/** The newest collections: those that were opened at `from` or later, and the number of the older ones. */
export type Newest = { from: EpochMs; older: number };

/** Returns since when the newest `count` collections were opened, so that the cost of a search does not grow with the ledger. */
export async function findNewest(store: Store, count: number): Promise<Newest> {
  const [first] = await store.read
    .select({ at: collection.openedAt })
    .from(collection)
    .orderBy(desc(collection.openedAt))
    .limit(1)
    .offset(count - 1);
  return { from: first?.at ?? 0, older: await countOlder(store, count) };
}

/** No collection is ever deleted, so the highest row id is their number: counting would read an index of all of them. */
async function countOlder({ read }: Store, count: number): Promise<number> {
  const [newest] = await read.select({ row: sql<number | null>`max(${collection}.rowid)` }).from(collection);
  return Math.max(0, (newest?.row ?? 0) - count);
}

/** A range of opening times: `from` is included, `before` is not. */
type OpenedRange = { from?: EpochMs | undefined; before?: EpochMs | undefined };

/**
 * Returns since when the newest `count` collections of a scope and a range were opened, and how many older ones of both there
 * are. The number is counted in an index, so that it reveals nothing about collections outside of the scope.
 */
export async function findNewestInScope(
  { read }: Store,
  count: number,
  scope: Scope,
  { from = 0, before }: OpenedRange = {},
): Promise<Newest> {
  const isInRange = (start: EpochMs, end: EpochMs | undefined) =>
    and(
      isInScope(scope, { isTested: false }),
      gte(collection.openedAt, start),
      end === undefined ? undefined : lt(collection.openedAt, end),
    );
  const [first] = await read
    .select({ at: collection.openedAt })
    .from(collection)
    .where(isInRange(from, before))
    .orderBy(desc(collection.openedAt))
    .limit(1)
    .offset(count - 1);
  if (!first) return { from, older: 0 };
  const [all] = await read
    .select({ older: sql<number>`count(*)` })
    .from(collection)
    .where(isInRange(from, first.at));
  return { from: first.at, older: all?.older ?? 0 };
}
