import { and, desc, eq, gte, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection, openStatuses } from '../schema.ts';

export type Owner = { merchantId: string; livemode: number };

export type PaymentFilter = {
  from: EpochMs | undefined;
  to: EpochMs | undefined;
  status: 'open' | 'review' | undefined;
  reference: string | undefined;
};

export type PaymentPage = { limit: number; after: { openedAt: EpochMs; id: string } | undefined };

const { placeholder } = sql;

const byId = prepareQuery(
  build
    .select()
    .from(collection)
    .where(
      and(
        eq(collection.id, placeholder('id')),
        eq(collection.merchantId, placeholder('merchantId')),
        eq(collection.livemode, placeholder('livemode')),
      ),
    ),
);

/** Finds a payment of the owner. One of another merchant or mode is not found. */
export async function findPayment(
  store: Pick<Store, 'query'>,
  owner: Owner,
  id: string,
): Promise<CollectionRow | undefined> {
  return (await byId.get(store, { ...owner, id })) as CollectionRow | undefined;
}

/** Returns the payments of the owner that match, newest first. */
export async function listPayments(
  { read }: Store,
  { merchantId, livemode }: Owner,
  filter: PaymentFilter,
  { limit, after }: PaymentPage,
): Promise<CollectionRow[]> {
  const selected = selectionOf(filter);
  // A filter with an index of its own finds few rows, which are sorted: a plus keeps SQLite from walking all of them by time.
  const openedAt = selected ? sql`+${collection.openedAt}` : sql`${collection.openedAt}`;
  const rows = await read
    .select()
    .from(collection)
    .where(
      and(
        eq(collection.merchantId, merchantId),
        eq(collection.livemode, livemode),
        selected,
        filter.from === undefined ? undefined : gte(openedAt, filter.from),
        filter.to === undefined ? undefined : lt(openedAt, filter.to),
        // The first condition bounds the walk of the index.
        after && sql`${openedAt} <= ${after.openedAt}`,
        after && sql`(${openedAt}, ${collection.id}) < (${after.openedAt}, ${after.id})`,
      ),
    )
    .orderBy(desc(openedAt), desc(collection.id))
    .limit(limit);
  return rows as CollectionRow[];
}

function selectionOf({ status, reference }: PaymentFilter): SQL | undefined {
  const conditions = [
    status === 'open' && sql`${collection.status} IN ${openStatuses} AND ${isNotNull(collection.nextAt)}`,
    status === 'review' && isNotNull(collection.review),
    reference !== undefined &&
      sql`(${collection.reference} = ${reference} OR ${collection.shortReference} = ${reference})`,
  ].filter((one) => one !== false);
  return conditions.length === 0 ? undefined : and(...conditions);
}
