import { and, desc, eq, gte, inArray, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import { build, equals, prepareQuery } from '../../../sqlite/statement.ts';
import type { Store } from '../../../sqlite/store.ts';
import { collection } from '../../database/schema.ts';
import { type CollectionRow, openStatuses } from '../collection.ts';

const { placeholder } = sql;

/** Upper bound of the collections that a dialogue may refer to. */
const maxRecent = 32;

/** When `recent` returns fewer collections of one payer, it has returned all of them. */
export const minRecent = maxRecent / 4;

export type RecentKey = Pick<CollectionRow, 'merchantId' | 'livemode' | 'dialler'> & {
  /** The payer in the session's last turn; null while it is the dialler. */
  payer: string | null;
  since: EpochMs;
};

export type DuplicateKey = Pick<
  CollectionRow,
  'merchantId' | 'livemode' | 'payer' | 'dialler' | 'goodsMinor'
> & {
  /** The payer's own reference; undefined when the payment has only its short reference. */
  reference: string | undefined;
  since: EpochMs;
};

const newestIds = (condition: SQL, limit: number) => {
  const ids = build
    .select({ id: collection.id })
    .from(collection)
    .where(
      and(
        condition,
        equals(collection, 'merchantId', 'livemode'),
        gte(collection.openedAt, placeholder('since')),
      ),
    )
    .orderBy(desc(collection.openedAt), desc(collection.id))
    .limit(limit)
    .as('newest');
  return sql`SELECT ${ids.id} FROM ${ids}`;
};

// Each kind has a limit of its own, so that a dialler with many collections does not displace the others.
const ids = [
  newestIds(eq(collection.payer, placeholder('dialler')), minRecent),
  newestIds(equals(collection, 'dialler'), minRecent),
  newestIds(
    sql`${collection.payer} = ${placeholder('payer')} AND ${collection.dialler} = ${placeholder('dialler')}`,
    maxRecent / 2,
  ),
];

const recent = prepareQuery(
  build
    .select()
    .from(collection)
    .where(sql`${collection.id} IN (${sql.join(ids, sql` UNION `)})`)
    .orderBy(desc(collection.openedAt), desc(collection.id)),
);

const hasNoReference = sql`${collection.reference} = ${collection.shortReference}`;

const duplicate = prepareQuery(
  build
    .select()
    .from(collection)
    .where(
      and(
        equals(collection, 'payer', 'merchantId', 'livemode'),
        gte(collection.openedAt, placeholder('since')),
        equals(collection, 'goodsMinor'),
        sql`CASE WHEN CAST(${placeholder('reference')} AS TEXT) IS NULL THEN ${hasNoReference}
        ELSE NOT ${hasNoReference} AND ${equals(collection, 'reference')} END`,
        or(
          and(
            equals(collection, 'dialler'),
            or(
              inArray(collection.status, ['paid', 'review']),
              and(inArray(collection.status, [...openStatuses]), isNotNull(collection.lapsedAt)),
            ),
          ),
          and(eq(collection.payer, placeholder('dialler')), eq(collection.status, 'paid')),
        ),
      ),
    )
    .orderBy(desc(collection.openedAt), desc(collection.id))
    .limit(1),
);

/** Reads the collections that a dialogue refers to. */
export function recentQuery(store: Store) {
  return {
    /**
     * Returns the collections since a time that a dialogue may refer to, newest first, at most 32: those that the
     * dialler pays or started, and those that the dialler started for the payer in the session's last turn. A dialler
     * learns nothing about a payer's other payments.
     */
    async recent(key: RecentKey): Promise<CollectionRow[]> {
      return await recent.all(store, key);
    },
    /**
     * Returns the newest collection since a time with the same payer, price and reference that the dialler started and
     * that is paid or may be paid (lapsed, or under review), or that the dialler has paid at the request of another phone.
     */
    async findDuplicate({ reference, ...key }: DuplicateKey): Promise<CollectionRow | undefined> {
      return await duplicate.get(store, { ...key, reference: reference ?? null });
    },
  };
}
