import type { Clock } from '../clock.ts';
import { createLruMap } from './lru-map.ts';
import type { Rate } from './rate-limit.ts';
import { TokenBucket } from './token-bucket.ts';

/** Keys that are remembered. The key that was counted least recently is dropped first. */
const maxKeys = 20_000;

/** Counts requests per key, in memory, against a rate. Asking whether a key has requests left counts nothing. */
export class RequestBudget {
  private readonly rate: { burst: number; tokens: number; perMs: number };
  private readonly clock: Pick<Clock, 'now'>;
  private readonly buckets = createLruMap<TokenBucket>(maxKeys);

  constructor({ burst, perMinute }: Rate, clock: Pick<Clock, 'now'>) {
    this.rate = { burst, tokens: perMinute, perMs: 60_000 };
    this.clock = clock;
  }

  /** True while no request was counted: then no key has used up its requests. */
  get isUnused(): boolean {
    return this.buckets.size === 0;
  }

  /** Returns whether the key has used up its requests. */
  isExhausted(key: string): boolean {
    return this.buckets.peek(key)?.available(this.clock.now()) === 0;
  }

  /** Counts a request. Returns whether the budget had one left. */
  tryTake(key: string): boolean {
    const now = this.clock.now();
    const bucket = this.buckets.get(key) ?? new TokenBucket(this.rate, now);
    this.buckets.set(key, bucket);
    return bucket.tryTake(now);
  }
}
