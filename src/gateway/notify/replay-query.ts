import { and, asc, eq, gte, lt, or, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, prepareQuery } from '../../sqlite/statement.ts';
import { type Store, StoreFault } from '../../sqlite/store.ts';
import { readFact } from '../collection/fact-row.ts';
import { collection, fact } from '../database/schema.ts';
import { listPaymentEvents, type PaymentEvent } from './payment-events.ts';

const { placeholder } = sql;

/** A span of time and a merchant: `from` is included, `to` is not. */
export type ReplayRange = { merchantId: string; livemode: number; from: EpochMs; to: EpochMs };

export type CollectionCursor = { openedAt: EpochMs; id: string };

const factsQuery = prepareQuery(
  build
    .select()
    .from(fact)
    .where(eq(fact.subjectId, placeholder('id')))
    .orderBy(asc(fact.version)),
);

const answersOfCollection = prepareQuery(
  build.select({ answers: collection.answers }).from(collection).where(equals(collection, 'id')),
);

/** Returns the events of one collection, from its facts and with the answers that are still stored. */
export async function eventsOfCollection(store: Pick<Store, 'query'>, id: string): Promise<PaymentEvent[]> {
  const rows = await factsQuery.all(store, { id });
  const answers = (await answersOfCollection.get(store, { id }))?.answers ?? null;
  const facts = rows.map(readFact);
  for (const fact of facts) if (fact.kind === 'accepted') fact.data.answers = answers;
  return listPaymentEvents(undefined, facts);
}

/**
 * Returns the collections of a range, oldest first, with those that a gateway is writing and has not notified the endpoint of, because
 * it was disabled or did not exist.
 *
 * @throws StoreFault `busy` when a batch lasts longer than some seconds.
 */
export async function listOpened(
  { read, settled }: Pick<Store, 'read' | 'settled'>,
  { merchantId, livemode, from, to }: ReplayRange,
  { after, limit }: { after: CollectionCursor | undefined; limit: number },
): Promise<CollectionCursor[]> {
  if (!(await settled())) throw new StoreFault('busy', 'a batch is written for longer than usual');
  return read
    .select({ id: collection.id, openedAt: collection.openedAt })
    .from(collection)
    .where(
      and(
        eq(collection.merchantId, merchantId),
        sql`${collection.livemode} = ${livemode}`,
        gte(collection.openedAt, Math.max(from, after?.openedAt ?? from)),
        lt(collection.openedAt, to),
        after &&
          or(
            sql`${collection.openedAt} > ${after.openedAt}`,
            and(eq(collection.openedAt, after.openedAt), sql`${collection.id} > ${after.id}`),
          ),
      ),
    )
    .orderBy(asc(collection.openedAt), asc(collection.id))
    .limit(limit);
}
