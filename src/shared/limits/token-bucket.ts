import type { EpochMs } from '../clock.ts';

/**
 * A token bucket: at most `perSecond` in the long run, at most one second's worth at once. Holding back is the
 * caller's business; the bucket only counts.
 */
export class TokenBucket {
  private tokens: number;
  private filledAt: EpochMs;
  private pausedUntil: EpochMs = 0;
  private readonly perSecond: number;

  constructor(perSecond: number, now: EpochMs) {
    this.perSecond = perSecond;
    this.tokens = perSecond;
    this.filledAt = now;
  }

  /** Whole tokens there are now. */
  available(now: EpochMs): number {
    const elapsed = Math.max(0, now - this.filledAt);
    this.tokens = Math.min(this.perSecond, this.tokens + (elapsed * this.perSecond) / 1000);
    this.filledAt = Math.max(this.filledAt, now);
    return this.isPaused(now) ? 0 : Math.max(0, Math.floor(this.tokens));
  }

  isPaused(now: EpochMs): boolean {
    return now < this.pausedUntil;
  }

  /** Whole tokens beyond those that are kept for what matters most: the larger half of a second's worth. */
  spare(now: EpochMs): number {
    return Math.max(0, this.available(now) - Math.ceil(this.perSecond / 2));
  }

  /** Takes a token, into debt if need be: a money step is late already when it must wait behind polls. */
  take(): void {
    this.tokens = Math.max(-this.perSecond, this.tokens - 1);
  }

  /** Milliseconds until a whole token is there. */
  waitMs(now: EpochMs): number {
    if (this.available(now) > 0) return 0;
    const refillMs = Math.ceil(((1 - this.tokens) * 1000) / this.perSecond);
    return Math.max(0, refillMs, this.pausedUntil - now);
  }

  /** Gives nothing until `ms` have passed, and then begins with a single token. */
  pause(now: EpochMs, ms: number): void {
    this.available(now);
    this.pausedUntil = Math.max(this.pausedUntil, now + ms);
    this.tokens = Math.min(this.tokens, 1 - (ms * this.perSecond) / 1000);
  }
}
