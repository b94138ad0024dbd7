import { and, asc, eq, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, insertRowIf, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { notificationEndpoint as endpoint, isEndpointActive } from '../database/schema.ts';

export type NotificationEndpoint = typeof endpoint.$inferSelect;
export type DisabledReason = NonNullable<NotificationEndpoint['disabledReason']>;

export type NotificationEndpointStore = ReturnType<typeof notificationEndpointStore>;

const { placeholder } = sql;

const isId = equals(endpoint, 'id');
const isActive = and(isId, isEndpointActive);

const find = prepareQuery(build.select().from(endpoint).where(isId));

const isListed = or(isNull(endpoint.disabledReason), ne(endpoint.disabledReason, 'removed'));

const list = prepareQuery(
  build
    .select()
    .from(endpoint)
    .where(and(equals(endpoint, 'livemode'), isListed))
    .orderBy(asc(endpoint.merchantId), asc(endpoint.id)),
);

const isOfMerchant = and(equals(endpoint, 'merchantId', 'livemode'), isListed);

/** Loses when the merchant has as many endpoints that are not removed, or one with the same address. */
const insertBelow = insertRowIf<typeof endpoint, { max: number }>(
  endpoint,
  sql`(SELECT count(*) FROM ${endpoint} WHERE ${isOfMerchant}) < ${placeholder('max')}
    AND NOT EXISTS (SELECT 1 FROM ${endpoint} WHERE ${and(isOfMerchant, equals(endpoint, 'url'))})`,
);
const insert = (row: NotificationEndpoint, max: number): Write => ({
  ...insertBelow({ ...row, max }),
  locks: [`endpoints of ${row.merchantId}`],
});

/** Guarded by the secret that was read, so that of two rotations one is refused. */
const rotate = prepareWrite<{ id: string; secret: string; secretRead: string; previousUntil: EpochMs }>(
  build
    .update(endpoint)
    .set({
      previousSecret: sql`${endpoint.secret}`,
      previousUntil: parameter('previousUntil'),
      secret: parameter('secret'),
    })
    .where(and(isId, eq(endpoint.secret, placeholder('secretRead')))),
  1,
);

const recordSuccess = prepareWrite<{ id: string }>(
  build
    .update(endpoint)
    .set({ failingSince: null, lastFailedAt: null })
    .where(and(isActive, isNotNull(endpoint.failingSince))),
);

const recordFailure = prepareWrite<{ id: string; now: EpochMs; lastFailureAfter: EpochMs }>(
  build
    .update(endpoint)
    .set({
      failingSince: sql`CASE WHEN ${endpoint.lastFailedAt} >= ${placeholder('lastFailureAfter')}
        THEN ${endpoint.failingSince} ELSE ${placeholder('now')} END`,
      lastFailedAt: parameter('now'),
    })
    .where(isActive),
);

const disable = prepareWrite<{ id: string; now: EpochMs; reason: DisabledReason }>(
  build
    .update(endpoint)
    .set({ disabledAt: parameter('now'), disabledReason: parameter('reason') })
    .where(isActive),
  1,
);

/** Disables an endpoint that has failed since a time or before. Loses when it has not, or is disabled. */
const disableFailing = prepareWrite<{
  id: string;
  now: EpochMs;
  reason: DisabledReason;
  failingBefore: EpochMs;
}>(
  build
    .update(endpoint)
    .set({ disabledAt: parameter('now'), disabledReason: parameter('reason') })
    .where(and(isActive, lte(endpoint.failingSince, placeholder('failingBefore')))),
  1,
);

/** Guarded by the address that was read, so that of two changes one is refused. */
const change = prepareWrite<{ id: string; url: string; wholePayer: number; urlRead: string }>(
  build
    .update(endpoint)
    .set({ url: parameter('url'), wholePayer: parameter('wholePayer') })
    .where(and(isId, isListed, eq(endpoint.url, placeholder('urlRead')))),
  1,
);

const remove = prepareWrite<{ id: string; now: EpochMs }>(
  build
    .update(endpoint)
    .set({
      disabledAt: sql`coalesce(${endpoint.disabledAt}, ${placeholder('now')})`,
      disabledReason: 'removed',
    })
    .where(and(isId, isListed)),
  1,
);

const enable = prepareWrite<{ id: string }>(
  build
    .update(endpoint)
    .set({ disabledAt: null, disabledReason: null, failingSince: null, lastFailedAt: null })
    .where(and(isId, isListed)),
  1,
);

/** Reads and writes the notification endpoints of merchants. */
export function notificationEndpointStore(store: Store) {
  return {
    /** Finds an endpoint, also a disabled or a removed one. */
    find: (id: string): Promise<NotificationEndpoint | undefined> => find.get(store, { id }),
    /** Returns the endpoints of all merchants, except removed ones. */
    list: (livemode: 0 | 1): Promise<NotificationEndpoint[]> => list.all(store, { livemode }),
    apply: store.apply,
  };
}

export const endpointWrites = {
  ...{ insert, change, rotate, recordSuccess, recordFailure, disableFailing, disable, remove, enable },
};
