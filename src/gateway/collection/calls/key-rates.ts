import type { Clock, EpochMs } from '../../../shared/clock.ts';
import { perSecond, TokenBucket } from '../../../shared/limits/token-bucket.ts';
import type { Log } from '../../../shared/log.ts';
import { pauseDurationMs } from './pause.ts';

type KeyRatesDeps = { clock: Pick<Clock, 'now'>; log: Pick<Log, 'warn'> };

export type KeyRates = ReturnType<typeof createKeyRates>;

/**
 * Creates the rate limits of the merchants' secret keys. Every call with a key shares one bucket, because the service
 * limits each key.
 */
export function createKeyRates({ clock, log }: KeyRatesDeps, callsPerSecond: number) {
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
      const bucket = bucketOf(merchantId);
      const now = clock.now();
      if (!bucket.isPaused(now)) {
        const line = { merchant: merchantId, retryAfterMs };
        log.warn(line, "the service limits the calls with a merchant's key: all of them are paused");
      }
      bucket.pause(now, pauseDurationMs(retryAfterMs));
    },
    /** Returns the merchants whose calls are paused. */
    pausedMerchants: (): string[] =>
      [...buckets].filter(([, bucket]) => bucket.isPaused(clock.now())).map(([merchantId]) => merchantId),
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
