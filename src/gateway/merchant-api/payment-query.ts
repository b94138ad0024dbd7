import { and, desc, eq, gte, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { inRows } from '../collection/store/collection-store.ts';
import { collection, hasJob, hasReason, isLate, openStatusesText } from '../database/schema.ts';

export type Owner = { merchantId: string; livemode: number };

/** A property that is not set selects every payment. */
export type PaymentFilter = {
  from?: EpochMs | undefined;
  to?: EpochMs | undefined;
  status?: 'open' | 'review' | 'paid' | 'not_paid' | undefined;
  reference?: string | undefined;
  channel?: string | undefined;
  network?: string | undefined;
  reason?: string | undefined;
  min?: number | undefined;
  max?: number | undefined;
  late?: boolean | undefined;
};

export type PaymentList = { rows: CollectionRow[]; next: string | null };

export type PaymentPage = {
  limit: number;
  after?: string | undefined;
  /** Payments that one page looks at, when no index finds those that match. */
  maxSearched?: number;
};

const defaultMaxSearched = 20_000;

/** The condition of each status, as the merchant sees it. */
const hasStatus = {
  open: sql`${collection.status} IN ${openStatusesText}`,
  paid: sql`${collection.status} = 'paid'`,
  not_paid: sql`${collection.status} IN ('failed', 'expired', 'abandoned')`,
  review: sql`${collection.status} = 'review'`,
} as const;

const byId = prepareQuery(
  build
    .select()
    .from(collection)
    .where(equals(collection, 'id', 'merchantId', 'livemode')),
);

/** Finds a payment of the owner. One of another merchant or mode is not found. */
export async function findPayment(
  store: Pick<Store, 'query'>,
  owner: Owner,
  id: string,
): Promise<CollectionRow | undefined> {
  return await byId.get(store, { ...owner, id });
}

/**
 * Lists the payments of the owner that match, newest first. A page looks at a bounded number of payments: it can have fewer rows than
 * `limit`, or none, and a `next`.
 *
 * @returns `undefined` when `after` is no cursor of the owner.
 */
export async function listPayments(
  store: Store,
  owner: Owner,
  filter: PaymentFilter,
  { limit, after, maxSearched = defaultMaxSearched }: PaymentPage,
): Promise<PaymentList | undefined> {
  const position = after === undefined ? undefined : await readPosition(store, owner, after);
  if (after !== undefined && !position) return undefined;
  const selected = indexedConditions(filter);
  const tested = testedConditions(filter);
  // A filter with an index of its own finds few rows, which are sorted: a plus keeps SQLite from the owner's payments by time.
  const openedAt = selected ? sql`+${collection.openedAt}` : sql`${collection.openedAt}`;
  const isOwners = selected
    ? sql`+${collection.merchantId} = ${owner.merchantId} AND +${collection.livemode} = ${owner.livemode}`
    : ofOwner(owner);
  const range = and(isOwners, findRange(openedAt, filter), position?.(openedAt), walkedCondition(filter));
  const end = selected || !tested ? undefined : await findEnd(store, range, maxSearched);
  const rows = await store.read
    .select()
    .from(collection)
    .where(and(range, selected, tested, end === undefined ? undefined : sql`${openedAt} > ${end}`))
    .orderBy(desc(openedAt), desc(collection.id))
    .limit(limit + 1);
  const data = rows.slice(0, limit);
  if (rows.length > limit) return { rows: data, next: data.at(-1)?.id ?? null };
  return { rows: data, next: end === undefined ? null : `t${end}` };
}

/** The rows after a cursor: that of a payment, or of a time that a page has searched down to. */
async function readPosition(
  store: Store,
  owner: Owner,
  cursor: string,
): Promise<((openedAt: SQL) => SQL | undefined) | undefined> {
  const [, time] = /^t(\d{1,15})$/.exec(cursor) ?? [];
  if (time !== undefined) return (openedAt) => sql`${openedAt} <= ${Number(time)}`;
  const last = await findPayment(store, owner, cursor);
  if (!last) return undefined;
  // The first condition bounds the walk of the index.
  return (openedAt) =>
    sql`${openedAt} <= ${last.openedAt} AND (${openedAt}, ${collection.id}) < (${last.openedAt}, ${last.id})`;
}

/** Returns the time of the payment at which a page ends its search; `undefined` when it reaches all of the range. */
async function findEnd(
  { read }: Store,
  range: SQL | undefined,
  maxSearched: number,
): Promise<EpochMs | undefined> {
  const [last] = await read
    .select({ openedAt: collection.openedAt })
    .from(collection)
    .where(range)
    .orderBy(desc(collection.openedAt))
    .limit(1)
    .offset(maxSearched);
  return last?.openedAt;
}

function ofOwner({ merchantId, livemode }: Owner): SQL | undefined {
  return and(eq(collection.merchantId, merchantId), sql`${collection.livemode} = ${livemode}`);
}

function findRange(openedAt: SQL, { from, to }: PaymentFilter): SQL | undefined {
  return and(
    from === undefined ? undefined : gte(openedAt, from),
    to === undefined ? undefined : lt(openedAt, to),
  );
}

/** The conditions of the filter that an index finds. */
function indexedConditions({ status, reference }: PaymentFilter): SQL | undefined {
  return and(
    status === 'open' ? sql`${hasStatus.open} AND ${hasJob}` : undefined,
    status === 'review' ? isNotNull(collection.review) : undefined,
    reference === undefined
      ? undefined
      : inRows([
          sql`${collection.reference} = ${reference}`,
          sql`${collection.shortReference} = ${reference}`,
        ]),
  );
}

/** The condition of the index by time whose payments the filter tests; `undefined` for all payments of the owner. */
function walkedCondition({ status, reason, late }: PaymentFilter): SQL | undefined {
  if (late) return sql`${isLate}`;
  return reason !== undefined || status === 'not_paid' ? sql`${hasReason}` : undefined;
}

/** The conditions of the filter that each payment of the range is tested for. */
function testedConditions(filter: PaymentFilter): SQL | undefined {
  const { status, channel, network, reason, min, max, late } = filter;
  return and(
    status === 'paid' || status === 'not_paid' ? hasStatus[status] : undefined,
    channel === undefined ? undefined : eq(collection.channel, channel),
    network === undefined ? undefined : eq(collection.network, network),
    reason === undefined
      ? undefined
      : sql`(${collection.reason} = ${reason} OR ${collection.review} = ${reason})`,
    min === undefined ? undefined : sql`${collection.goodsMinor} >= ${min}`,
    max === undefined ? undefined : sql`${collection.goodsMinor} <= ${max}`,
    late === false ? eq(collection.late, 0) : undefined,
  );
}
