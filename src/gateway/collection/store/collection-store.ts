import { and, isNull, ne, sql } from 'drizzle-orm';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { build, equals, prepareQuery } from '../../../sqlite/statement.ts';
import type { Store } from '../../../sqlite/store.ts';
import { collection, openStatusesText, requestKinds } from '../../database/schema.ts';
import type { CollectionRow } from '../collection.ts';
import { rejectionQuery } from '../opening/opening-store.ts';
import { dueStore } from './due-store.ts';
import { recentQuery } from './recent-query.ts';

const { placeholder } = sql;

type Scope = { merchantId: string; livemode: 0 | 1 };

export type CollectionStore = ReturnType<typeof collectionStore>;

const byId = prepareQuery(build.select().from(collection).where(equals(collection, 'id')));

const bySession = prepareQuery(
  build
    .select()
    .from(collection)
    .where(equals(collection, 'sessionId', 'merchantId', 'livemode')),
);

const otherOfSession = prepareQuery(
  build
    .select({ id: collection.id })
    .from(collection)
    .where(and(equals(collection, 'sessionId'), ne(collection.id, placeholder('id')))),
);

const byShortReference = prepareQuery(
  build
    .select()
    .from(collection)
    .where(equals(collection, 'shortReference', 'merchantId', 'livemode')),
);

const openOfPayer = prepareQuery(
  build
    .select()
    .from(collection)
    .where(
      and(
        equals(collection, 'merchantId', 'payer', 'livemode'),
        // Selects the index of open collections. That of diallers holds every collection an attendant has ever requested.
        sql`${collection.requestedBy} IN ${requestKinds}`,
        sql`coalesce(${collection.dialler}, '') = ${placeholder('dialler')}`,
        sql`${collection.status} IN ${openStatusesText}`,
        isNull(collection.lapsedAt),
      ),
    ),
);

/** Reads collections, claims due ones, and applies guarded writes. */
export function collectionStore(store: Store, home: string | null = null) {
  return {
    ...dueStore(store, home),
    ...recentQuery(store),
    findRejection: rejectionQuery(store),
    async find(id: string): Promise<CollectionRow | undefined> {
      return (await byId.get(store, { id })) as CollectionRow | undefined;
    },
    async findBySession(key: Scope & { sessionId: string }): Promise<CollectionRow | undefined> {
      return (await bySession.get(store, key)) as CollectionRow | undefined;
    },
    /** Returns whether another collection, of any merchant, has pinned the session. */
    async isSessionOfOther(sessionId: string, id: string): Promise<boolean> {
      return (await otherOfSession.get(store, { sessionId, id })) !== undefined;
    },
    async findByShortReference(key: Scope & { shortReference: string }): Promise<CollectionRow | undefined> {
      return (await byShortReference.get(store, key)) as CollectionRow | undefined;
    },
    /** Returns the dialler's collection from this payer that keeps the dialler from opening another one. */
    async findOpen(key: Scope & { payer: Msisdn; dialler: Msisdn }): Promise<CollectionRow | undefined> {
      return (await openOfPayer.get(store, key)) as CollectionRow | undefined;
    },
    apply: store.apply,
  };
}
