import { and, lte, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Store } from '../../sqlite/store.ts';
import { isUnplacedOpen, unplacedPayment } from '../database/schema.ts';
import type { PeriodicJob } from '../worker/queue.ts';

/** An event can arrive this long before its session is known, after a lost create response or a restart. */
const minAgeMs = 15 * 60_000;

/** Open unplaced payments of one merchant, and what of them is in suspense. */
type UnplacedSum = { merchantId: string; count: number; suspendedMinor: number };

/**
 * Sums the unplaced payments that wait for a decision, by merchant. Payments of the last 15 minutes are left out. A partial
 * index holds only open payments.
 */
export function sumUnplaced({ read }: Store, now: EpochMs): Promise<UnplacedSum[]> {
  return read
    .select({
      merchantId: unplacedPayment.merchantId,
      count: sql<number>`count(*)`,
      suspendedMinor: sql<number>`sum(${unplacedPayment.suspendedMinor})`,
    })
    .from(unplacedPayment)
    .where(and(isUnplacedOpen, lte(unplacedPayment.receivedAt, now - minAgeMs)))
    .groupBy(unplacedPayment.merchantId);
}

/** Sums all open unplaced payments, also those of the last minutes, by merchant and mode, with the time of the oldest. */
export function sumAllUnplaced({ read }: Store) {
  return read
    .select({
      merchantId: unplacedPayment.merchantId,
      livemode: unplacedPayment.livemode,
      count: sql<number>`count(*)`,
      suspendedMinor: sql<number>`sum(${unplacedPayment.suspendedMinor})`,
      oldestAt: sql<number>`min(${unplacedPayment.receivedAt})`,
    })
    .from(unplacedPayment)
    .where(isUnplacedOpen)
    .groupBy(unplacedPayment.merchantId, unplacedPayment.livemode);
}

const dayMs = 24 * 60 * 60_000;

/** Returns the job that raises an alarm each day for each merchant with unplaced payments that wait for a decision. */
export function unplacedAlarmJob(sumOpen: () => Promise<UnplacedSum[]>, log: Log): PeriodicJob {
  return {
    name: 'unplaced',
    everyMs: dayMs,
    async run() {
      for (const { merchantId: merchant, count, suspendedMinor } of await sumOpen()) {
        log.error(
          { alarm: 'unplaced_payments', merchant, count, suspendedMinor, see: 'docs/support.md' },
          'payments that no collection explains are in suspense: run dialtill unplaced list',
        );
      }
      return 'done';
    },
  };
}
