import type { EpochMs } from '../../shared/clock.ts';
import type { PeriodicJob } from '../worker/queue.ts';

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
