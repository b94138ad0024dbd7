import type { Clock, EpochMs } from '../../../shared/clock.ts';
import { TokenBucket, type TokenRate } from '../../../shared/limits/token-bucket.ts';
import type { Log } from '../../../shared/log.ts';
import { type Members, onlyMember, pauseDurationMs } from './members.ts';

type KeyRatesDeps = {
  clock: Pick<Clock, 'now'>;
  log: Pick<Log, 'warn'>;
  /** The gateways that use the same keys. */
  members?: Pick<Members, 'count' | 'announcePause' | 'onPause'>;
};

export type KeyRates = ReturnType<typeof createKeyRates>;

/**
 * Creates the rate limits of the merchants' secret keys. Every call with a key shares one bucket, because the service
 * limits each key. Several gateways share the rate equally, and each of them pauses after a 429 of any of them.
 */
export function createKeyRates({ clock, log, members = onlyMember }: KeyRatesDeps, callsPerSecond: number) {
  const buckets = new Map<string, TokenBucket>();
  let sharers = 1;

  function rate(): TokenRate {
    const tokens = callsPerSecond / sharers;
    return { burst: Math.max(1, tokens), tokens, perMs: 1_000 };
  }

  function getBucket(merchantId: string): TokenBucket {
    const count = Math.max(1, members.count());
    if (count !== sharers) {
      sharers = count;
      for (const bucket of buckets.values()) bucket.setRate(rate(), clock.now());
    }
    const bucket = buckets.get(merchantId) ?? new TokenBucket(rate(), clock.now());
    buckets.set(merchantId, bucket);
    return bucket;
  }

  members.onPause(({ merchantId, ms }) => getBucket(merchantId).pause(clock.now(), ms));

  return {
    bucketOf: getBucket,
    /** Pauses every call with the merchant's key after a 429. */
    pause(merchantId: string, retryAfterMs: number | undefined): void {
      const bucket = getBucket(merchantId);
      const now = clock.now();
      if (!bucket.isPaused(now)) {
        const line = { merchant: merchantId, retryAfterMs };
        log.warn(line, "the service limits the calls with a merchant's key: all of them are paused");
      }
      const ms = pauseDurationMs(retryAfterMs);
      bucket.pause(now, ms);
      members.announcePause({ merchantId, ms });
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
