import type { EpochMs } from '../../shared/clock.ts';
import { traced } from '../../shared/tracing.ts';
import type { Queue } from '../worker/queue.ts';
import { type AdvanceDeps, advance } from './advance.ts';
import type { KeyRates } from './calls/key-rates.ts';
import type { CollectionStore } from './store/collection-store.ts';

type CollectionQueueDeps = Omit<AdvanceDeps, 'onRateLimited' | 'onPostponed'> & {
  collections: Pick<CollectionStore, 'listDue' | 'claim' | 'nextDueAt'>;
};

export type CollectionQueueOptions = {
  livemode: 0 | 1;
  leaseMs: number;
};

/** One claim in so many takes the longest due first, so that a lasting overload of new collections starves none. */
const oldestEvery = 4;

/**
 * Creates the queue of open collections: each row is its own job. Claims no more than the rate of each merchant's key
 * allows, so that no storm of polls follows an outage.
 */
export function collectionQueue(
  deps: CollectionQueueDeps,
  rates: KeyRates,
  { livemode, leaseMs }: CollectionQueueOptions,
): Queue {
  const { clock, collections } = deps;
  let claims = 0;

  /** Takes a token for the merchant if one is available. */
  function admit(merchantId: string, now: EpochMs): boolean {
    const bucket = rates.bucketOf(merchantId);
    if (bucket.available(now) === 0) return false;
    bucket.take();
    return true;
  }

  const advanceDeps: AdvanceDeps = {
    ...deps,
    onRateLimited: rates.pause,
    onPostponed: (merchantId) => rates.bucketOf(merchantId).putBack(),
  };

  /** Advances a collection that was claimed with this fence, unless another worker has claimed it since. */
  async function run(id: string, fence: number): Promise<void> {
    const row = await collections.find(id);
    if (row?.fence === fence) await advance(advanceDeps, row);
  }

  return {
    name: 'collections',
    async claim(now, limit) {
      const order = (claims + 1) % oldestEvery === 0 ? 'oldest' : 'newest';
      const excludedMerchants = rates.exhaustedAt(now);
      const listed = await collections.listDue({ now, livemode, limit, order, excludedMerchants });
      const admitted = listed.filter(({ merchantId }) => admit(merchantId, now));
      const ids = admitted.map(({ id }) => id);
      const claimed = await collections.claim(ids, now, now + leaseMs);
      // A claim without a result must not use up the turn of the longest due.
      if (claimed.length > 0) claims += 1;
      return claimed.map(({ id, merchantId, fence }) => () => {
        const attributes = { 'dialtill.collection': id, 'dialtill.merchant': merchantId };
        return traced('collection', { attributes }, () => run(id, fence));
      });
    },
    async nextDueAt(): Promise<EpochMs | null> {
      const now = clock.now();
      const excludedMerchants = rates.exhaustedAt(now);
      const at = await collections.nextDueAt({ livemode, excludedMerchants });
      const waits = excludedMerchants.map((merchantId) => now + rates.bucketOf(merchantId).waitMs(now));
      return at === null && waits.length === 0 ? null : Math.min(at ?? Number.POSITIVE_INFINITY, ...waits);
    },
  };
}
