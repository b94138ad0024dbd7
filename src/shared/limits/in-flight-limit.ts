/* No library: limiters queue a call beyond the limit, and here it is rejected, with a fair share for each key. */

export type InFlightLimitOptions = {
  /** Calls in flight for one key. Below `total`, the keys share the total. */
  perKey: number;
  /** Calls in flight for all keys. */
  total: number;
};

/**
 * Returns the limit of keys that share a small total: the first one gets about two thirds of it at most, and each further one about two
 * thirds of the rest.
 */
export function sharedLimit(total: number): InFlightLimitOptions {
  return { perKey: Math.max(1, total - 1), total };
}

/**
 * Bounds the calls in flight, for each key and in total. Keys that share the total get less of it when less than half is free, so
 * that a slow key never fills it, nor a few of them when `perKey` is a small part: the first call of another key is within the quota.
 */
export class InFlightLimit {
  private readonly options: InFlightLimitOptions;
  private readonly byKey = new Map<string, number>();
  private total = 0;

  constructor(options: InFlightLimitOptions) {
    this.options = options;
  }

  /** The calls that may still start. */
  get free(): number {
    return this.options.total - this.total;
  }

  /** Returns whether one more call may start. Call `release` once for each call that started. */
  tryAcquire(key: string): boolean {
    const count = this.byKey.get(key) ?? 0;
    if (count >= this.share || this.free <= 0) return false;
    this.byKey.set(key, count + 1);
    this.total += 1;
    return true;
  }

  /** Returns the keys that may start no further call now. */
  fullKeys(): string[] {
    return [...this.byKey].filter(([, count]) => count >= this.share).map(([key]) => key);
  }

  release(key: string): void {
    const count = (this.byKey.get(key) ?? 1) - 1;
    if (count > 0) this.byKey.set(key, count);
    else this.byKey.delete(key);
    this.total -= 1;
  }

  /** The calls that a key may have in flight now. */
  private get share(): number {
    const { perKey, total } = this.options;
    return perKey < total ? Math.min(perKey, (2 * perKey * this.free) / total) : perKey;
  }
}
