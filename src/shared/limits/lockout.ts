import type { LRUCache } from 'lru-cache';
import type { EpochMs } from '../clock.ts';
import { createLruMap } from './lru-map.ts';

export type LockoutOptions = {
  /** Failures after which a key is locked out. */
  limit: number;
  /** Duration of the lockout, and the time without a failure after which a key's failures are forgotten. */
  lockoutMs: number;
  /** Keys that are remembered. The key that failed longest ago is dropped first. */
  maxKeys: number;
};

/**
 * Locks out a key after a number of failures. Failures add up as long as each follows the one before within `lockoutMs`,
 * so that slow guessing is locked out too.
 */
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
