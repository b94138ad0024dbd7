import type { Store } from '../../sqlite/store.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import { addNextRows } from './insight-store.ts';

/** Turns, and facts, that are counted in one transaction. */
const batchSize = 200;

/** Batches of one run. The event loop serves payers between two batches. */
const maxBatches = 4;

/** Returns the job that adds new turns and facts to the totals. A turn itself writes no total, so that it costs a payer nothing. */
export function insightJob(store: Store, everyMs: number): PeriodicJob {
  return {
    name: 'insights',
    everyMs,
    // Payments that wait for the start of the gateway come first.
    firstAfterMs: 1_000,
    async run() {
      for (let batches = 0; batches < maxBatches; batches++)
        if (!(await addNextRows(store, batchSize))) return 'done';
      return 'more';
    },
  };
}
