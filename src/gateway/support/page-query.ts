import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow, Status } from '../collection/collection.ts';
import { collection } from '../database/schema.ts';
import type { TimeSpan } from '../ledger/day.ts';
import {
  allMerchants,
  type CollectionPage,
  type CollectionPart,
  type PageRequest,
  type Scope,
  type UnknownCursor,
} from './page.ts';

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
  /** The same rows, found by indexes in the order of time: a page then reads only the newest rows of each. */
  byTime?: { found: readonly SQL[]; tested: SQL | undefined };
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
  const { scope = allMerchants, byTime } = selection;
  let isAfter = (_openedAt: SQL): SQL | undefined => undefined;
  if (after !== undefined) {
    const [last] = await read
      .select({ openedAt: collection.openedAt })
      .from(collection)
      .where(hasIdInScope(after, scope));
    if (!last) return 'unknown_cursor';
    isAfter = (openedAt) => sql`(${openedAt}, ${collection.id}) < (${last.openedAt}, ${after})`;
  }
  const openedAt = getOpenedAt({ selective: selection.selective || byTime !== undefined });
  const rows = (await read
    .select()
    .from(collection)
    .where(
      byTime
        ? isNewest(byTime, isAfter(sql`${collection.openedAt}`), limit + 1)
        : and(findWhere(selection), isAfter(openedAt)),
    )
    .orderBy(desc(openedAt), desc(collection.id))
    .limit(limit + 1)) as CollectionRow[];
  const data = rows.slice(0, limit);
  return { data, next: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

/** Returns the condition that a row is one of the newest `count` rows that one of the indexes finds. */
function isNewest(
  { found, tested }: NonNullable<Selection['byTime']>,
  isAfter: SQL | undefined,
  count: number,
): SQL {
  const newest = found.map(
    (condition) => sql`SELECT * FROM (SELECT rowid FROM ${collection} WHERE ${and(condition, tested, isAfter)}
      ORDER BY ${collection.openedAt} DESC, ${collection.id} DESC LIMIT ${count}) AS "newest"`,
  );
  return sql`${collection}.rowid IN (${sql.join(newest, sql` UNION ALL `)})`;
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

/** Returns a number that the selected collections do not exceed, from indexes alone; undefined without such indexes. */
export async function countAtMost({ read }: Store, { byTime }: Selection): Promise<number | undefined> {
  if (byTime === undefined) return undefined;
  const counts = byTime.found.map((found) => sql`(SELECT count(*) FROM ${collection} WHERE ${found})`);
  const [all] = await read
    .select({ total: sql<number>`${sql.join(counts, sql` + `)}` })
    .from(sql`(SELECT 1) AS "one"`);
  return all?.total;
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

/** The collections of one day, and those of them that are paid. */
export type DaySum = { from: EpochMs; total: number; paid: number; chargedMinor: number };

type Sums = Pick<StatusSum, 'total' | 'sumMinor' | 'chargedMinor'>;

/** Adds sums of several groups up. */
export function addUp(sums: readonly Sums[]): Sums {
  const add = (name: keyof Sums) => sums.reduce((all, one) => all + one[name], 0);
  return { total: add('total'), sumMinor: add('sumMinor'), chargedMinor: add('chargedMinor') };
}

/** The sums of one status and day: of the collections that the list has, and of the others. */
export type GroupSum = StatusSum & {
  isListed: 0 | 1;
  /** The beginning of the day; null for other days than those to sum. */
  day: EpochMs | null;
};

/**
 * Sums the selected collections by status and day, with one read of each.
 *
 * @param isListed the condition of the list; absent when it has all of them.
 * @param days newest first; between two of them, there is no collection.
 */
export async function sumByStatus(
  { read }: Store,
  selection: Selection,
  { isListed, days = [] }: { isListed?: SQL | undefined; days?: readonly TimeSpan[] } = {},
): Promise<GroupSum[]> {
  const hasReview = sql`CASE WHEN ${collection.review} IS NULL OR ${collection.awaitsServiceSince} IS NOT NULL THEN 0 ELSE 1 END`;
  const rows = read
    .select({
      ...{ status: collection.status, goodsMinor: collection.goodsMinor },
      hasReview: sql<0 | 1>`${hasReview}`.as('has_review'),
      isListed: sql<0 | 1>`${isListed ? sql`CASE WHEN ${isListed} THEN 1 ELSE 0 END` : sql`1`}`.as(
        'is_listed',
      ),
      day: sql<EpochMs | null>`CAST(${findDay(getOpenedAt(selection), days)} AS BIGINT)`.as('day'),
      charged: sql<number>`${charged}`.as('charged'),
    })
    .from(collection)
    .where(findWhere(selection))
    .as('rows');
  const key = { status: rows.status, hasReview: rows.hasReview, isListed: rows.isListed, day: rows.day };
  return (await read
    .select({
      ...key,
      total: sql<number>`count(*)`,
      sumMinor: sql<number>`coalesce(sum(${rows.goodsMinor}), 0)`,
      chargedMinor: sql<number>`coalesce(sum(${rows.charged}), 0)`,
    })
    .from(rows)
    .groupBy(rows.status, sql`${rows.hasReview}`, sql`${rows.isListed}`, sql`${rows.day}`)) as GroupSum[];
}

/** Returns the beginning of the day of a time; null outside of the days. */
function findDay(at: SQL, days: readonly TimeSpan[]): SQL {
  const [newest] = days;
  if (!newest) return sql`NULL`;
  const steps = days.map(({ from }) => sql`WHEN ${at} >= ${from} THEN ${from}`);
  return sql`CASE WHEN ${at} >= ${newest.to} THEN NULL ${sql.join(steps, sql` `)} END`;
}

function findWhere({ where, selective, scope = allMerchants }: Selection): SQL | undefined {
  return and(isInScope(scope, { isTested: selective }), where);
}

/** The newest collections that a read without a time searches, of all merchants or of one: more take longer than a page may. */
export const maxNewest = 20_000;

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
