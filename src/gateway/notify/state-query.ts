import { sql } from 'drizzle-orm';
import { build, equals, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { notificationEndpoint as endpoint, isEndpointActive } from '../database/schema.ts';

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
