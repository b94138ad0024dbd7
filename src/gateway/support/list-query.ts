import { and, eq, gte, isNotNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import { isOpen, type Status } from '../collection/collection.ts';
import { inRows } from '../collection/store/rows-query.ts';
import { collection, isClosed, requestedByOther } from '../schema.ts';
import { findNewest, findNewestInScope } from './newest-query.ts';
import type { CollectionPage, PageRequest, SearchedPage, UnknownCursor } from './page.ts';
import { openedAtOf, readCollectionPage, type Selection } from './page-query.ts';
import type { Scope } from './scope.ts';

/** The properties of the collections to list. A property that is not set selects every collection. */
export type CollectionFilter = {
  status?: Status | undefined;
  merchantId?: string | undefined;
  channel?: string | undefined;
  network?: string | undefined;
  /** Why the collection ended, or why it is in review. */
  reason?: string | undefined;
  /** Opened at this time or later. */
  from?: EpochMs | undefined;
  /** Opened before this time. */
  before?: EpochMs | undefined;
  /** The price, inclusive bounds. */
  minMinor?: AmountMinor | undefined;
  maxMinor?: AmountMinor | undefined;
  dialler?: Msisdn | undefined;
  /** The last four digits of the payer or of the dialler. */
  last4?: string | undefined;
  /** The person to whom the collection is assigned. */
  assigned?: string | undefined;
};

/** How much of a large ledger a list without a time reads. */
export type ListBounds = {
  /** The newest collections that are searched. */
  maxSearched: number;
  /** The collections with a reason, a status or a merchant that are few enough to read all of them. */
  maxRead: number;
};

const listBounds: ListBounds = { maxSearched: 50_000, maxRead: 10_000 };

/** A list of one merchant tests each row for the filter. */
const maxTested = 20_000;

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
  const { maxSearched, maxRead } = { ...listBounds, ...bounds };
  const isIndexed = isSelective(filter) || (await isRare(store, filter, maxRead));
  const isBounded = filter.from === undefined && !isIndexed;
  const newest = isBounded ? await findNewest(store, maxSearched) : undefined;
  const selection = newest ? selectionByTime({ ...filter, from: newest.from }) : selectionOf(filter);
  const found = await readCollectionPage(store, selection, page);
  return found === 'unknown_cursor' ? found : { ...found, notSearched: newest?.older ?? 0 };
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
  { maxSearched = maxTested, ...page }: PageRequest & { maxSearched?: number },
): Promise<SearchedPage | UnknownCursor> {
  const newest = await findNewestInScope(store, maxSearched, scope, filter);
  const { status, reason, ...others } = filter;
  // A plus keeps SQLite from the indexes of the columns, which have the rows of all merchants.
  const isTested = and(
    status === undefined ? undefined : sql`+${collection.status} = ${status}`,
    reason === undefined
      ? undefined
      : sql`(+${collection.reason} = ${reason} OR +${collection.review} = ${reason})`,
  );
  const { where } = select({ ...others, from: newest.from }, false, isTested);
  const found = await readCollectionPage(store, { where, selective: false, scope }, page);
  return found === 'unknown_cursor' ? found : { ...found, notSearched: newest.older };
}

/** Lists the collections that a person must decide about, newest first. */
export function listReviews(store: Store, page: PageRequest): Promise<CollectionPage | UnknownCursor> {
  return readCollectionPage(store, { where: isNotNull(collection.review), selective: false }, page);
}

/** Returns whether few collections have the reason, the status or the merchant of the filter, so that an index finds them. */
async function isRare(
  { read }: Store,
  { reason, status, merchantId }: CollectionFilter,
  maxRows: number,
): Promise<boolean> {
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
    return isFew(eq(collection.review, reason));
  if (status !== undefined && (await isFew(statusIs(status)))) return true;
  return merchantId !== undefined && isFew(eq(collection.merchantId, merchantId));
}

/** Returns whether an index finds few collections. Few are open at a time. */
function isSelective({ status, dialler, last4, assigned }: CollectionFilter): boolean {
  const isOfOpen = status !== undefined && isOpen(status);
  return isOfOpen || [dialler, last4, assigned].some((value) => value !== undefined);
}

/** Returns the condition of a filter. */
export function selectionOf(filter: CollectionFilter): Selection {
  const { reason } = filter;
  if (reason === undefined) return select(filter, isSelective(filter), undefined);
  const conditions = [sql`${collection.reason} = ${reason}`, sql`${collection.review} = ${reason}`];
  return select(filter, true, inRows(conditions));
}

/** Returns the condition of a filter for collections since a time. */
function selectionByTime(filter: CollectionFilter & { from: EpochMs }): Selection {
  const { reason, from } = filter;
  if (reason === undefined) return select(filter, false, undefined);
  const conditions = [
    sql`${collection.reason} = ${reason} AND ${collection.openedAt} >= ${from}`,
    sql`${collection.review} = ${reason}`,
  ];
  return select(filter, true, inRows(conditions));
}

function select(filter: CollectionFilter, selective: boolean, hasReason: SQL | undefined): Selection {
  const { status, dialler, last4, assigned } = filter;
  const openedAt = openedAtOf({ selective });
  const ifSet = <Value>(value: Value | undefined, condition: (value: Value) => SQL) =>
    value === undefined ? undefined : condition(value);
  const where = and(
    ifSet(status, statusIs),
    ifSet(filter.merchantId, (value) => eq(collection.merchantId, value)),
    ifSet(filter.channel, (value) => eq(collection.channel, value)),
    ifSet(filter.network, (value) => eq(collection.network, value)),
    ifSet(filter.from, (value) => gte(openedAt, value)),
    ifSet(filter.before, (value) => lt(openedAt, value)),
    ifSet(filter.minMinor, (value) => gte(collection.goodsMinor, value)),
    ifSet(filter.maxMinor, (value) => lte(collection.goodsMinor, value)),
    hasReason,
    ifSet(dialler, (value) => inRows([sql`${collection.dialler} = ${value}`])),
    ifSet(last4, (value) => inRows(phoneEndsWith(value))),
    ifSet(assigned, (value) => inRows([sql`${collection.id} IN (${assignedTo(value)})`])),
  );
  return { where, selective };
}

/** Selects the collections whose last assignment is to this person. It reads every assignment that was ever made. */
function assignedTo(name: string): SQL {
  return sql`SELECT "one"."subject_id" FROM "staff_action" AS "one" WHERE "one"."action" = 'assign'
    AND "one"."result" = 'done' AND "one"."detail" ->> '$.to' = ${name}
    AND NOT EXISTS (SELECT 1 FROM "staff_action" AS "later" WHERE "later"."subject_id" = "one"."subject_id"
      AND "later"."seq" > "one"."seq" AND "later"."action" = 'assign' AND "later"."result" = 'done')`;
}

/** The partial indexes hold for conditions that repeat their literal text. */
function statusIs(status: Status): SQL {
  const isSame = sql`${collection.status} = ${status}`;
  return isOpen(status)
    ? inRows([sql`${isSame} AND ${collection.nextAt} IS NOT NULL`])
    : sql`${isSame} AND ${isClosed}`;
}

/** Returns the conditions on the payer's and the dialler's phone. @param digits four or more. */
export function phoneEndsWith(digits: string): SQL[] {
  const endsWith = (phone: typeof collection.payer | typeof collection.dialler) =>
    sql`${phone} % 10000 = ${Number(digits.slice(-4))} AND ${phone} LIKE ${`%${digits}`}`;
  return [endsWith(collection.payer), sql`${endsWith(collection.dialler)} AND ${requestedByOther}`];
}
