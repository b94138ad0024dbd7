import type { Log } from '../../shared/log.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import type { UnplacedSum } from './summary-query.ts';

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
