import type { EpochMs } from '../../../shared/clock.ts';
import type { Queue } from '../../worker/queue.ts';
import type { KeyRates } from './key-rates.ts';
import { type SubmitDeps, submit } from './submit.ts';

export type CollectionQueueOptions = {
  livemode: 0 | 1;
  leaseMs: number;
};

/** One look in so many takes the longest due first: under a lasting overload the newest alone would starve them. */
const oldestEvery = 4;

/**
 * Open collections as a queue: each row is its own job. Claims no more than the rate of each merchant's key allows,
 * so that an outage that ends is not followed by a storm of polls; the order of claims puts money steps first.
 */
export function collectionQueue(
  deps: SubmitDeps,
  rates: KeyRates,
  { livemode, leaseMs }: CollectionQueueOptions,
): Queue {
  const { clock, collections } = deps;
  let looks = 0;

  /** Takes a token for the merchant when there is one. */
  function admits(merchantId: string, now: EpochMs): boolean {
    const rate = rates.of(merchantId);
    if (rate.available(now) === 0) return false;
    rate.take();
    return true;
  }

  const throttling: SubmitDeps = { ...deps, onThrottled: rates.hold, isPaused: rates.isPaused };

  return {
    name: 'collections',
    async claim(now, limit) {
      looks += 1;
      const order = looks % oldestEvery === 0 ? 'oldest' : 'newest';
      const listed = await collections.listDue({ now, livemode, limit, order, held: rates.heldAt(now) });
      const due = listed.filter(({ merchantId }) => admits(merchantId, now));
      const claims = await Promise.all(due.map((one) => collections.claim(one, now, now + leaseMs)));
      const mine = due.filter((_, index) => claims[index]);
      return mine.map((one) => () => submit(throttling, { id: one.id, fence: one.fence + 1 }));
    },
    async nextDueAt(): Promise<EpochMs | null> {
      const now = clock.now();
      const held = rates.heldAt(now);
      const at = await collections.nextDueAt({ livemode, held });
      const waits = held.map((merchantId) => now + rates.of(merchantId).waitMs(now));
      return at === null && waits.length === 0 ? null : Math.min(at ?? Number.POSITIVE_INFINITY, ...waits);
    },
  };
}
