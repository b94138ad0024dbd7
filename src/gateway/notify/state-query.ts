import { isNotNull, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { notificationEndpoint as endpoint, isEndpointActive, notification } from '../database/schema.ts';

const counts = prepareQuery(
  build
    .select({
      merchantId: endpoint.merchantId,
      failing: sql<number>`count(*) FILTER (WHERE ${isEndpointActive} AND ${endpoint.failingSince} IS NOT NULL)`,
      disabled: sql<number>`count(*) FILTER (WHERE ${endpoint.disabledReason} IN ('gone', 'failing'))`,
    })
    .from(endpoint)
    .where(equals(endpoint, 'livemode'))
    .groupBy(endpoint.merchantId),
);

/** Counts the endpoints of each merchant that accept no notifications, and those that were disabled for it. */
export function countEndpoints(
  store: Store,
  livemode: 0 | 1,
): Promise<{ merchantId: string; failing: number; disabled: number }[]> {
  return counts.all(store, { livemode });
}

const firstDue = prepareQuery(
  build
    .select({
      at: sql<EpochMs | null>`min((SELECT min(${notification.nextAt}) FROM ${notification}
        WHERE ${notification.endpointId} = ${endpoint.id} AND ${isNotNull(notification.nextAt)}))`,
    })
    .from(endpoint)
    .where(sql`${equals(endpoint, 'livemode')} AND ${isEndpointActive}`),
);

/** Returns when the first notification is due; null without one. */
export async function firstDueAt(store: Store, livemode: 0 | 1): Promise<EpochMs | null> {
  return (await firstDue.get(store, { livemode }))?.at ?? null;
}
