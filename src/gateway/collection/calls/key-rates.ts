import type { Clock, EpochMs } from '../../../shared/clock.ts';
import { perSecond, TokenBucket } from '../../../shared/limits/token-bucket.ts';
import { pauseDurationMs } from './pause.ts';

export type KeyRates = ReturnType<typeof createKeyRates>;

/**
 * Creates the rate limits of the merchants' secret keys. Every call with a key shares one bucket, because the service
 * limits each key.
 */
export function createKeyRates(clock: Pick<Clock, 'now'>, callsPerSecond: number) {
  const buckets = new Map<string, TokenBucket>();

  function bucketOf(merchantId: string): TokenBucket {
    const bucket = buckets.get(merchantId) ?? new TokenBucket(perSecond(callsPerSecond), clock.now());
    buckets.set(merchantId, bucket);
    return bucket;
  }

  return {
    bucketOf,
    /** Pauses every call with the merchant's key after a 429. */
    pause(merchantId: string, retryAfterMs: number | undefined): void {
      bucketOf(merchantId).pause(clock.now(), pauseDurationMs(retryAfterMs));
    },
    /** Returns whether calls with the merchant's key are paused. */
    isPaused: (merchantId: string): boolean => buckets.get(merchantId)?.isPaused(clock.now()) === true,
    /** Returns the merchants whose keys allow no call at `now`: paused, or at their rate. */
    exhaustedAt(now: EpochMs): string[] {
      return [...buckets]
        .filter(([, bucket]) => bucket.available(now) === 0)
        .map(([merchantId]) => merchantId);
    },
  };
}
