import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection } from '../database/schema.ts';
import type { TimeSpan } from '../ledger/day.ts';
import {
  allMerchants,
  type CollectionPage,
  type CollectionPart,
  type PageRequest,
  type Scope,
  type SearchedPage,
  type UnknownCursor,
} from './page.ts';
import {
  addUp,
  countAtMost,
  type DaySum,
  findNewest,
  findNewestInScope,
  type GroupSum,
  maxNewest,
  readCollectionPage,
  readCollectionPart,
  type Selection,
  type StatusSum,
  sumByStatus,
  sumCollections,
} from './page-query.ts';
import {
  type CollectionFilter,
  isSelective,
  select,
  statusIs,
  testedStatus,
  toScan,
  toSelection,
} from './selection-query.ts';

/** How much of a large ledger a list without a time reads. */
export type ListBounds = {
  /** The newest collections that are searched. */
  maxSearched: number;
  /** The collections with a reason, a status or a merchant that are few enough to read all of them. */
  maxRead: number;
};

const listBounds: ListBounds = { maxSearched: maxNewest, maxRead: 10_000 };

/** How a list is read. Plain data, so that every part of an export is read in the same way. */
export type ListPlan = {
  /** The filter; its `from` is that of the newest collections, when only they are searched. */
  filter: CollectionFilter;
  /** Reads the collections in the order of time and tests each one, instead of finding them by a property. */
  isByTime: boolean;
  /** Few collections have this property of the filter: its index finds them, and the other one is tested. */
  rare?: 'status' | 'merchant' | undefined;
  /** The number of older collections that are not searched. */
  notSearched: number;
};

/**
 * Lists the collections that match the filter, newest first. Without `from`, and without a property whose index finds few
 * collections, only the newest `maxSearched` are searched: counting the result would read all of the ledger.
 *
 * @returns also the number of older collections that were not searched.
 */
export async function listCollections(
  store: Store,
  filter: CollectionFilter,
  page: PageRequest,
  bounds: Partial<ListBounds> = {},
): Promise<SearchedPage | UnknownCursor> {
  return readList(store, await selectList(store, allMerchants, filter, bounds), page);
}

async function readList(
  store: Store,
  { selection, notSearched }: SelectedList,
  page: PageRequest,
): Promise<SearchedPage | UnknownCursor> {
  const found = await readCollectionPage(store, selection, page);
  return found === 'unknown_cursor' ? found : { ...found, notSearched };
}

/** Decides how a list is read, as `listCollections` does. */
async function planList(
  store: Store,
  filter: CollectionFilter,
  bounds: Partial<ListBounds>,
): Promise<ListPlan> {
  const { maxSearched, maxRead } = { ...listBounds, ...bounds };
  if (filter.from !== undefined || isSelective(filter)) return { filter, isByTime: false, notSearched: 0 };
  const found = await findRare(store, filter, maxRead);
  if (found !== undefined) {
    const rare = found === 'reason' ? undefined : found;
    return { filter, isByTime: false, rare, notSearched: 0 };
  }
  const { from, older } = await findNewest(store, maxSearched);
  return { filter: { ...filter, from }, isByTime: true, notSearched: older };
}

/** A list at the beginning of its export. */
export type ListExtent = {
  plan: ListPlan;
  total: number;
};

/** Returns the size of the list that `listCollections` returns for a filter, and how to read it in parts. */
export async function measureList(
  store: Store,
  filter: CollectionFilter,
  bounds: Partial<ListBounds> = {},
): Promise<ListExtent> {
  const plan = await planList(store, filter, bounds);
  const { total } = await sumCollections(store, toSelection(plan.filter, plan.rare));
  return { plan, total };
}

/**
 * Reads a part of a list, newest first. Many rows are read in the order of time: sorting the whole result for each part would
 * read it again each time.
 */
export function readListPart(
  store: Store,
  { plan, total }: ListExtent,
  page: PageRequest,
  { maxRead }: Pick<ListBounds, 'maxRead'> = listBounds,
): Promise<CollectionPart | UnknownCursor> {
  const { filter } = plan;
  const isShort = total <= maxRead || filter.last4 !== undefined || filter.assigned !== undefined;
  return readCollectionPart(store, isShort ? toSelection(plan.filter, plan.rare) : toScan(filter), page);
}

/**
 * Lists the collections of one merchant that match the filter, newest first. At most `maxSearched` collections of the
 * merchant are tested, from the end of the filter's time on.
 *
 * @returns also the number of older collections of the merchant, since `from`, that were not searched.
 */
export async function listInScope(
  store: Store,
  scope: Scope,
  filter: CollectionFilter,
  { maxSearched = maxNewest, ...page }: PageRequest & { maxSearched?: number },
): Promise<SearchedPage | UnknownCursor> {
  return readList(store, await selectInScope(store, scope, filter, maxSearched), page);
}

async function selectInScope(
  store: Store,
  scope: Scope,
  filter: CollectionFilter,
  maxSearched: number,
): Promise<SelectedList> {
  const newest = await findNewestInScope(store, maxSearched, scope, filter);
  const { status, reason, ...others } = filter;
  // A plus keeps SQLite from the indexes of the columns, which have the rows of all merchants.
  const isTested = and(
    status === undefined ? undefined : testedStatus(status),
    reason === undefined
      ? undefined
      : sql`(+${collection.reason} = ${reason} OR +${collection.review} = ${reason})`,
  );
  const { where } = select({ ...others, from: newest.from }, false, isTested);
  return { selection: { where, selective: false, scope }, isByTime: true, notSearched: newest.older };
}

/** A longer list is not summed: each of its rows is read. */
const maxSummed = 10_000;

/** The sums of a list, whatever their status, by status; and of some days. */
export type ListSums = { statuses: StatusSum[]; days: DaySum[] };

/** A page with the sums of its list; without them when the list without its status has more than `maxSummed` collections. */
export type SummedPage = SearchedPage & { sums?: ListSums };

/**
 * Returns the page that `listCollections`, or for a merchant `listInScope`, returns for a filter, with the sums of its list.
 *
 * @param findDays returns the days of the rows of the page, newest first.
 */
export async function listWithSums(
  store: Store,
  scope: Scope,
  filter: CollectionFilter,
  { findDays, ...page }: PageRequest & { findDays(rows: readonly CollectionRow[]): TimeSpan[] },
): Promise<SummedPage | UnknownCursor> {
  const { status } = filter;
  const own = await selectList(store, scope, filter);
  const ofAny = status === undefined ? own : await selectList(store, scope, { ...filter, status: undefined });
  const part = await readCollectionPart(store, own.selection, page);
  if (part === 'unknown_cursor') return part;
  const listed = { ...part, notSearched: own.notSearched };
  const atMost = await countAtMost(store, ofAny.selection);
  const size =
    atMost !== undefined && atMost <= maxSummed ? undefined : await sumCollections(store, ofAny.selection);
  if (size && size.total > maxSummed)
    return { ...listed, ...(own === ofAny ? size : await sumCollections(store, own.selection)) };
  const days = findDays(part.data);
  const isListed = status && testedStatus(status);
  const statuses = await sumByStatus(store, ofAny.selection, { isListed, days });
  // The newest collections that are searched do not contain a list that an index finds in the whole ledger.
  const isPart = own.isByTime || !ofAny.isByTime;
  const sums = isPart
    ? statuses.filter((one) => one.isListed === 1)
    : await sumByStatus(store, own.selection, { days });
  const { total, sumMinor } = addUp(sums);
  return { ...listed, total, sumMinor, sums: { statuses, days: sumDays(sums) } };
}

function sumDays(sums: readonly GroupSum[]): DaySum[] {
  const days = Map.groupBy(
    sums.filter(({ day }) => day !== null),
    ({ day }) => day ?? 0,
  );
  return [...days].map(([from, ofDay]) => {
    const paid = addUp(ofDay.filter(({ status }) => status === 'paid'));
    return { from, total: addUp(ofDay).total, paid: paid.total, chargedMinor: paid.chargedMinor };
  });
}

/** The collections of a list, and how many older ones it does not search. */
type SelectedList = { selection: Selection; notSearched: number } & Pick<ListPlan, 'isByTime'>;

async function selectList(
  store: Store,
  scope: Scope,
  filter: CollectionFilter,
  bounds: Partial<ListBounds> = {},
): Promise<SelectedList> {
  if (scope.merchantId !== null) return selectInScope(store, scope, filter, maxNewest);
  const { isByTime, notSearched, ...plan } = await planList(store, filter, bounds);
  return { selection: toSelection(plan.filter, plan.rare), isByTime, notSearched };
}

/** Lists the collections that a person must decide about, newest first. */
export function listCollectionsInReview(
  store: Store,
  page: PageRequest,
): Promise<CollectionPage | UnknownCursor> {
  return readCollectionPage(store, { where: isNotNull(collection.review), selective: false }, page);
}

/** Returns the property of the filter that few collections have, so that an index finds them. */
async function findRare(
  { read }: Store,
  { reason, status, merchantId }: CollectionFilter,
  maxRows: number,
): Promise<'reason' | 'status' | 'merchant' | undefined> {
  const isFew = async (condition: SQL) => {
    const more = await read
      .select({ row: sql`1` })
      .from(collection)
      .where(condition)
      .limit(1)
      .offset(maxRows);
    return more.length === 0;
  };
  if (reason !== undefined && (await isFew(eq(collection.reason, reason))))
    return (await isFew(eq(collection.review, reason))) ? 'reason' : undefined;
  if (status !== undefined && (await isFew(statusIs(status)))) return 'status';
  const isMerchantRare = merchantId !== undefined && (await isFew(eq(collection.merchantId, merchantId)));
  return isMerchantRare ? 'merchant' : undefined;
}
