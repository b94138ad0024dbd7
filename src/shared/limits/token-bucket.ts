/* No library: limiters read the clock themselves, and count in floating point; this one takes the time and counts exactly. */

import type { EpochMs } from '../clock.ts';

/** A long-run rate of `tokens` for each `perMs` milliseconds, of which `burst` may be taken at once. */
export type TokenRate = { burst: number; tokens: number; perMs: number };

/** Returns the rate of `count` in each second, with a burst of one second. */
export function perSecond(count: number): TokenRate {
  return { burst: count, tokens: count, perMs: 1_000 };
}

/** Allows a rate of calls; the caller waits. It counts whole shares, `perMs` of which are a token: sums and waits are exact. */
export class TokenBucket {
  private rate: TokenRate;
  private shares: number;
  private filledAt: EpochMs;
  private pausedUntil: EpochMs = 0;

  /** Creates a full bucket. */
  constructor(rate: TokenRate, now: EpochMs) {
    this.rate = rate;
    this.shares = rate.burst * rate.perMs;
    this.filledAt = now;
  }

  /** Changes the rate from now on. The wait for the next token stays the same, so that a pause keeps its end. */
  setRate(rate: TokenRate, now: EpochMs): void {
    this.available(now);
    const { tokens, perMs } = this.rate;
    const missingMs = (perMs - this.shares) / tokens;
    const shares =
      missingMs > 0
        ? rate.perMs - Math.ceil(missingMs * rate.tokens)
        : Math.floor((this.shares * rate.perMs) / perMs);
    this.rate = rate;
    this.shares = Math.min(rate.burst * rate.perMs, shares);
  }

  /** Returns the number of whole tokens; 0 during a pause. */
  available(now: EpochMs): number {
    const { burst, tokens, perMs } = this.rate;
    const elapsed = Math.max(0, now - this.filledAt);
    this.shares = Math.min(burst * perMs, this.shares + elapsed * tokens);
    this.filledAt = Math.max(this.filledAt, now);
    return this.isPaused(now) ? 0 : Math.max(0, Math.floor(this.shares / perMs));
  }

  /** Returns the number of whole tokens beyond the larger half of a burst, which is reserved for urgent calls. */
  spare(now: EpochMs): number {
    return Math.max(0, this.available(now) - Math.ceil(this.rate.burst / 2));
  }

  /** Takes a token, into debt if the bucket is empty: a money step must not wait behind polls. The debt is at most one burst. */
  take(): void {
    const { burst, perMs } = this.rate;
    this.shares = Math.max(-burst * perMs, this.shares - perMs);
  }

  /** Puts back a token that was taken for a call that was not made. */
  putBack(): void {
    const { burst, perMs } = this.rate;
    this.shares = Math.min(burst * perMs, this.shares + perMs);
  }

  /** Takes a token if there is one. */
  tryTake(now: EpochMs): boolean {
    if (this.available(now) === 0) return false;
    this.take();
    return true;
  }

  /** Returns the milliseconds until a whole token is available; 0 when there is one. */
  waitMs(now: EpochMs): number {
    if (this.available(now) > 0) return 0;
    const refillMs = Math.ceil((this.rate.perMs - this.shares) / this.rate.tokens);
    return Math.max(0, refillMs, this.pausedUntil - now);
  }

  /** Makes no token available for `ms` milliseconds, and a single one after that. */
  pause(now: EpochMs, ms: number): void {
    this.available(now);
    this.pausedUntil = Math.max(this.pausedUntil, now + ms);
    this.shares = Math.min(this.shares, this.rate.perMs - ms * this.rate.tokens);
  }

  isPaused(now: EpochMs): boolean {
    return now < this.pausedUntil;
  }
}
