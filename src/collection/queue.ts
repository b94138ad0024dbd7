import type { EpochMs } from '../shared/clock.ts';
import type { Queue } from '../worker/queue.ts';
import { RateLimit } from '../worker/rate-limit.ts';
import { type SubmitDeps, submit } from './submit.ts';

export type CollectionQueueOptions = { livemode: 0 | 1; leaseMs: number; callsPerSecond: number };

/** One look in so many takes the longest due first: under a lasting overload the newest alone would starve them. */
const oldestEvery = 4;

/**
 * Open collections as a queue: each row is its own job. Claims no more than the service's rate allows, so that an
 * outage that ends is not followed by a storm of polls; the order of claims puts money steps first.
 */
export function collectionQueue(deps: SubmitDeps, options: CollectionQueueOptions): Queue {
  const { livemode, leaseMs, callsPerSecond } = options;
  let looks = 0;
  const rate = new RateLimit(callsPerSecond, deps.clock.now());
  return {
    name: 'collections',
    async claim(now, limit) {
      const allowed = Math.min(limit, rate.available(now));
      if (allowed === 0) return [];
      looks += 1;
      const order = looks % oldestEvery === 0 ? 'oldest' : 'newest';
      const due = await deps.collections.listDue({ now, livemode, limit: allowed, order });
      const claims = await Promise.all(due.map((one) => deps.collections.claim(one, now, now + leaseMs)));
      const mine = due.filter((_, index) => claims[index]);
      return mine.map(({ id, fence }) => {
        rate.take();
        return () => submit(deps, { id, fence: fence + 1 });
      });
    },
    async nextDueAt(): Promise<EpochMs | null> {
      const at = await deps.collections.nextDueAt(livemode);
      const now = deps.clock.now();
      return at === null ? null : Math.max(at, now + rate.waitMs(now));
    },
  };
}
