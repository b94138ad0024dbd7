import type { EpochMs } from '../clock.ts';

/** So many tries in a row without any answer say that a peer hangs. */
const maxFailures = 5;

/** How long after the last of them a peer is taken to hang still. */
const coolMs = 10_000;

/**
 * Spares those who ask a peer that hangs the wait for it: after five tries in a row without an answer, and until ten
 * seconds after the last of them, only one try is under way at a time. Any answer ends that. What is not admitted is
 * the caller's business; the circuit only counts.
 */
export class CircuitBreaker {
  private failures = 0;
  private failedAt: EpochMs = 0;
  private underWay = 0;

  /** Whether a try may go out now. One that was admitted must be told to `ended`, once. */
  admit(now: EpochMs): boolean {
    const isOpen = this.failures >= maxFailures && now < this.failedAt + coolMs;
    if (isOpen && this.underWay > 0) return false;
    this.underWay += 1;
    return true;
  }

  /**
   * `answered` in whatever words; `failed`: nothing came in time, or the connection broke; `unasked`: it never went
   * out, which says nothing of the peer.
   */
  ended(how: 'answered' | 'failed' | 'unasked', now: EpochMs): void {
    this.underWay -= 1;
    if (how === 'unasked') return;
    this.failures = how === 'failed' ? this.failures + 1 : 0;
    if (how === 'failed') this.failedAt = now;
  }

  /** Nothing to remember: a new circuit would do as well. */
  isBlank(): boolean {
    return this.failures === 0 && this.underWay === 0;
  }
}
