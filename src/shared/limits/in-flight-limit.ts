export type InFlightLimitOptions = {
  /** Calls in flight for one key. */
  perKey: number;
  /** Calls in flight for all keys. */
  total: number;
};

/** Bounds the calls in flight, for each key and in total. */
export class InFlightLimit {
  private readonly options: InFlightLimitOptions;
  private readonly byKey = new Map<string, number>();
  private total = 0;

  constructor(options: InFlightLimitOptions) {
    this.options = options;
  }

  /** Returns whether one more call may start. Call `release` once for each call that started. */
  tryAcquire(key: string): boolean {
    const count = this.byKey.get(key) ?? 0;
    if (count >= this.options.perKey || this.total >= this.options.total) return false;
    this.byKey.set(key, count + 1);
    this.total += 1;
    return true;
  }

  release(key: string): void {
    const count = (this.byKey.get(key) ?? 1) - 1;
    if (count > 0) this.byKey.set(key, count);
    else this.byKey.delete(key);
    this.total -= 1;
  }
}
