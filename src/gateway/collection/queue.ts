import type { EpochMs } from '../../shared/clock.ts';
import { InFlightLimit, sharedLimit } from '../../shared/limits/in-flight-limit.ts';
import { traced } from '../../shared/tracing.ts';
import type { Queue } from '../worker/queue.ts';
import { type AdvanceDeps, advance } from './advance.ts';
import type { KeyRates } from './calls/key-rates.ts';
import type { Claim, Due } from './store/claim-store.ts';
import type { CollectionStore } from './store/collection-store.ts';

type CollectionQueueDeps = Omit<AdvanceDeps, 'onRateLimited' | 'onPostponed'> & {
  collections: Pick<CollectionStore, 'listDue' | 'claim' | 'nextDueAt'>;
};

export type CollectionQueueOptions = {
  livemode: 0 | 1;
  leaseMs: number;
  /** Of all merchants: one alone gets about two thirds of them, so that its slow calls delay no other merchant. */
  callsInFlight: number;
};

/** One claim in so many takes the longest due first, so that a lasting overload of new collections starves none. */
const oldestEvery = 4;

/**
 * Creates the queue of open collections: each row is its own job. Claims no more than the rate of each merchant's key
 * allows, so that no storm of polls follows an outage, and no more than the merchant's share of the calls in flight.
 */
export function collectionQueue(
  deps: CollectionQueueDeps,
  rates: KeyRates,
  { livemode, leaseMs, callsInFlight }: CollectionQueueOptions,
): Queue {
  const { clock, collections } = deps;
  const inFlight = new InFlightLimit(sharedLimit(callsInFlight));
  let claims = 0;

  /** Takes a token and a call in flight for the merchant, if both are available. */
  function admit(merchantId: string, now: EpochMs): boolean {
    const bucket = rates.bucketOf(merchantId);
    if (bucket.available(now) === 0 || !inFlight.tryAcquire(merchantId)) return false;
    bucket.take();
    return true;
  }

  /** Gives back what was taken for a collection that was not claimed. */
  function dismiss(merchantId: string): void {
    rates.bucketOf(merchantId).putBack();
    inFlight.release(merchantId);
  }

  const advanceDeps: AdvanceDeps = {
    ...deps,
    onRateLimited: rates.pause,
    onPostponed: (merchantId) => rates.bucketOf(merchantId).putBack(),
  };

  /** Advances a collection that was claimed with this fence, unless another worker has claimed it since. */
  async function run({ id, merchantId, fence }: Claim): Promise<void> {
    try {
      const row = await collections.find(id);
      if (row?.fence === fence) await advance(advanceDeps, row);
    } finally {
      inFlight.release(merchantId);
    }
  }

  /** Claims the listed collections that are admitted. */
  async function claimAdmitted(listed: readonly Due[], now: EpochMs): Promise<Claim[]> {
    const admitted = new Map(
      listed.filter(({ merchantId }) => admit(merchantId, now)).map(({ id, merchantId }) => [id, merchantId]),
    );
    try {
      const claimed = await collections.claim([...admitted.keys()], now, now + leaseMs);
      for (const { id } of claimed) admitted.delete(id);
      return claimed;
    } finally {
      for (const merchantId of admitted.values()) dismiss(merchantId);
    }
  }

  return {
    name: 'collections',
    async claim(now, limit) {
      const order = (claims + 1) % oldestEvery === 0 ? 'oldest' : 'newest';
      const excludedMerchants = [...rates.exhaustedAt(now), ...inFlight.fullKeys()];
      const listed = await collections.listDue({ now, livemode, limit, order, excludedMerchants });
      const claimed = await claimAdmitted(listed, now);
      // A claim without a result must not use up the turn of the longest due.
      if (claimed.length > 0) claims += 1;
      return claimed.map((one) => () => {
        const attributes = { 'dialtill.collection': one.id, 'dialtill.merchant': one.merchantId };
        return traced('collection', { attributes }, () => run(one));
      });
    },
    async nextDueAt(): Promise<EpochMs | null> {
      const now = clock.now();
      const exhausted = rates.exhaustedAt(now);
      // A call that ends wakes the worker.
      const excludedMerchants = [...exhausted, ...inFlight.fullKeys()];
      const at = await collections.nextDueAt({ livemode, excludedMerchants });
      const waits = exhausted.map((merchantId) => now + rates.bucketOf(merchantId).waitMs(now));
      return at === null && waits.length === 0 ? null : Math.min(at ?? Number.POSITIVE_INFINITY, ...waits);
    },
  };
}
