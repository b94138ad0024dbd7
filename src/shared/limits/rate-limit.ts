import type { Clock } from '../clock.ts';
import { createLruMap } from './lru-map.ts';
import { TokenBucket } from './token-bucket.ts';

/** A number of calls at once, and a number of calls a minute in the long run. */
export type Rate = { burst: number; perMinute: number };

/** Counts one call of `key`. Returns `undefined` when it is allowed, else the seconds until one is. */
export type RateLimit = (key: string) => number | undefined;

/** Keys that are remembered. The key that called least recently is dropped first. */
const maxKeys = 20_000;

/** Creates a limit with a token bucket for each key, in memory: a restart fills every bucket. */
export function createRateLimit({ burst, perMinute }: Rate, clock: Pick<Clock, 'now'>): RateLimit {
  const rate = { burst, tokens: perMinute, perMs: 60_000 };
  const buckets = createLruMap<TokenBucket>(maxKeys);
  return (key) => {
    const now = clock.now();
    const bucket = buckets.get(key) ?? new TokenBucket(rate, now);
    buckets.set(key, bucket);
    return bucket.tryTake(now) ? undefined : Math.max(1, Math.ceil(bucket.waitMs(now) / 1000));
  };
}
