import type { Clock } from '../../../shared/clock.ts';
import type { Queue } from '../../worker/queue.ts';
import type { QuoteStore } from './quote-store.ts';

/** No dialogue is that old, and a collection has the bytes of its call itself. */
const lifeMs = 24 * 3_600_000;

/** Deleted at once; while there are more, the next come after a short pause. */
const batch = 1_000;
const pauseMs = 1_000;

/** Deleting old quotes, as a queue with one job that is always due again after `everyMs`. */
export function quoteQueue(quotes: QuoteStore, clock: Clock, everyMs: number): Queue {
  let nextAt = 0;
  return {
    name: 'quotes',
    async claim(now, limit) {
      if (now < nextAt || limit < 1) return [];
      nextAt = now + everyMs;
      return [
        async () => {
          const before = now - lifeMs;
          await quotes.prune(before, batch);
          const oldest = await quotes.oldest();
          if (oldest !== null && oldest < before) nextAt = clock.now() + pauseMs;
        },
      ];
    },
    nextDueAt: async () => nextAt,
  };
}
