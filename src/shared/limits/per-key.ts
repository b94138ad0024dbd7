/* No library: limiters read the clock themselves, and here the memory for keys that strangers invent is bounded. */

import { LRUCache } from 'lru-cache';
import type { Clock, EpochMs } from '../clock.ts';
import { TokenBucket, type TokenRate } from './token-bucket.ts';

/**
 * Creates a map of the `maxKeys` keys that were used most recently.
 *
 * Its memory grows with its use. The `max` option of lru-cache would allocate all of it at once: some megabytes for the
 * limits of one program, most of which never see many keys.
 */
export function createLruMap<Value extends NonNullable<unknown>>(maxKeys: number): LRUCache<string, Value> {
  return new LRUCache({ maxSize: maxKeys, sizeCalculation: () => 1 });
}

/** A number of calls at once, and a number of calls a minute in the long run. */
export type Rate = { burst: number; perMinute: number };

/** Keys that are remembered. The key that was counted least recently is dropped first. */
const maxKeys = 20_000;

/** Counts requests per key with a token bucket each, in memory: a restart fills them. Asking what is left counts nothing. */
export class RequestBudget {
  private readonly rate: TokenRate;
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

  /** Returns the milliseconds until the key has a request left; 0 when it has one. */
  waitMs(key: string): number {
    return this.buckets.peek(key)?.waitMs(this.clock.now()) ?? 0;
  }
}

/** Counts one call of `key`. Returns `undefined` when it is allowed, else the seconds until one is. */
export type RateLimit = (key: string) => number | undefined;

/** Creates a limit whose answer is the time to wait. */
export function createRateLimit(rate: Rate, clock: Pick<Clock, 'now'>): RateLimit {
  const budget = new RequestBudget(rate, clock);
  return (key) => (budget.tryTake(key) ? undefined : Math.max(1, Math.ceil(budget.waitMs(key) / 1000)));
}

type SlidingWindowOptions = {
  /** Events allowed for each key within the window. */
  limit: number;
  windowMs: number;
  /** Keys that are remembered. The key whose last event is the oldest is dropped first. */
  maxKeys: number;
};

/** Allows a number of events per key within the time that has just passed. */
export class SlidingWindow {
  private readonly options: SlidingWindowOptions;
  /** Times of the events in the window, by key. */
  private readonly events: LRUCache<string, readonly EpochMs[]>;

  constructor(options: SlidingWindowOptions) {
    this.options = options;
    this.events = createLruMap(options.maxKeys);
  }

  /** Returns whether the key may have one more event. Counts nothing. */
  allows(key: string, now: EpochMs): boolean {
    return this.waitMs(key, now) === 0;
  }

  /** Returns the milliseconds until the key may have one more event; 0 when it may have one now. */
  waitMs(key: string, now: EpochMs): number {
    const { limit, windowMs } = this.options;
    const recent = this.recent(key, now);
    const oldest = recent.at(-limit);
    return oldest === undefined ? 0 : oldest + windowMs - now;
  }

  /** Counts an event. Keeps at most `limit` events of a key. */
  record(key: string, now: EpochMs): void {
    this.events.set(key, [...this.recent(key, now), now].slice(-this.options.limit));
  }

  private recent(key: string, now: EpochMs): readonly EpochMs[] {
    return (this.events.peek(key) ?? []).filter((at) => now - at < this.options.windowMs);
  }
}

type LockoutOptions = {
  /** Failures after which a key is locked out. */
  limit: number;
  /** Duration of the lockout, and the time without a failure after which a key's failures are forgotten. */
  lockoutMs: number;
  /** Keys that are remembered. The key that failed longest ago is dropped first. */
  maxKeys: number;
};

/** Locks a key out after a number of failures, each within `lockoutMs` of the one before: slow guessing is locked out too. */
export class Lockout {
  private readonly options: LockoutOptions;
  private readonly failures: LRUCache<string, { count: number; lastAt: EpochMs }>;

  constructor(options: LockoutOptions) {
    this.options = options;
    this.failures = createLruMap(options.maxKeys);
  }

  /** Returns the milliseconds until the key is free again; 0 when it is free now. */
  waitMs(key: string, now: EpochMs): number {
    const recent = this.recent(key, now);
    return recent && recent.count >= this.options.limit ? recent.lastAt + this.options.lockoutMs - now : 0;
  }

  /** Counts a failure. */
  record(key: string, now: EpochMs): void {
    this.failures.set(key, { count: (this.recent(key, now)?.count ?? 0) + 1, lastAt: now });
  }

  private recent(key: string, now: EpochMs) {
    const known = this.failures.peek(key);
    return known && now - known.lastAt < this.options.lockoutMs ? known : undefined;
  }
}
