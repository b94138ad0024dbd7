import type { PeriodicJob } from '../../worker/queue.ts';
import type { QuoteStore } from './quote-store.ts';

/** Age at which a quote is deleted. No dialogue lasts as long, and a collection has its own copy of the request. */
const lifeMs = 24 * 3_600_000;

/** Quotes deleted in one run. */
const batchSize = 1_000;

/** Returns the job that deletes old quotes. */
export function quotePruneJob(quotes: QuoteStore, everyMs: number): PeriodicJob {
  return {
    name: 'quotes',
    everyMs,
    async run(now) {
      const before = now - lifeMs;
      await quotes.prune(before, batchSize);
      const oldest = await quotes.oldest();
      return oldest !== null && oldest < before ? 'more' : 'done';
    },
  };
}
