import { and, eq, exists, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { notification, notificationAttempt } from '../database/schema.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import type { NotificationKey } from './notification-store.ts';

const { placeholder } = sql;

const old = prepareQuery(
  build
    .select({ endpointId: notification.endpointId, eventId: notification.eventId })
    .from(notification)
    .where(and(lt(notification.at, placeholder('before')), sql`${notification.nextAt} IS NULL`))
    .limit(placeholder('limit')),
);

/** A notification that was sent again meanwhile keeps its row. */
const remove = prepareWrite<NotificationKey>(
  build
    .delete(notification)
    .where(and(equals(notification, 'endpointId', 'eventId'), sql`${notification.nextAt} IS NULL`)),
);

const removeAttempts = prepareWrite<NotificationKey>(
  build.delete(notificationAttempt).where(
    and(
      equals(notificationAttempt, 'endpointId', 'eventId'),
      sql`NOT ${exists(
        build
          .select({ one: sql`1` })
          .from(notification)
          .where(
            and(
              eq(notification.endpointId, notificationAttempt.endpointId),
              eq(notification.eventId, notificationAttempt.eventId),
            ),
          ),
      )}`,
    ),
  ),
);

/** Deletes up to `limit` notifications that were sent before `before`, with their attempts. Returns their number. */
export async function pruneNotifications(store: Store, before: EpochMs, limit: number): Promise<number> {
  const found = await old.all(store, { before, limit });
  if (found.length > 0) await store.apply(found.flatMap((key) => [remove(key), removeAttempts(key)]));
  return found.length;
}

/** Notifications that are deleted in one transaction. */
const batchSize = 100;

/**
 * Returns the job that deletes what was sent long ago. A replay derives it from the facts again.
 *
 * @param prune deletes up to a number of notifications, and returns their number.
 */
export function notificationPruneJob(
  prune: (before: EpochMs, limit: number) => Promise<number>,
  keepMs: number | null,
): PeriodicJob {
  return {
    name: 'notification retention',
    everyMs: 3_600_000,
    firstAfterMs: 60_000,
    run: async (now) =>
      keepMs !== null && (await prune(now - keepMs, batchSize)) === batchSize ? 'more' : 'done',
  };
}
