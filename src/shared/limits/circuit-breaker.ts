/* No library: a call that was not sent is neither a success nor a failure here, and the time comes from the given clock. */

import type { EpochMs } from '../clock.ts';

/** Consecutive failures that open the circuit. */
const maxFailures = 5;

/** Time for which the circuit stays open after the last failure. */
const openMs = 10_000;

/** How a call ended. `answered`: with any answer. `failed`: none in time, or a broken connection. `not_sent`: proves nothing. */
export type CircuitOutcome = 'answered' | 'failed' | 'not_sent';

/**
 * Spares callers the wait for a peer that does not answer. After five consecutive failures, and until ten seconds after
 * the last one, only one call may be in flight. Any answer closes the circuit.
 */
export class CircuitBreaker {
  private failures = 0;
  private failedAt: EpochMs = 0;
  private inFlight = 0;

  /** Returns whether a call may start. Call `release` once for each call that started. */
  tryAcquire(now: EpochMs): boolean {
    const isOpen = this.failures >= maxFailures && now < this.failedAt + openMs;
    if (isOpen && this.inFlight > 0) return false;
    this.inFlight += 1;
    return true;
  }

  release(outcome: CircuitOutcome, now: EpochMs): void {
    this.inFlight -= 1;
    if (outcome === 'not_sent') return;
    this.failures = outcome === 'failed' ? this.failures + 1 : 0;
    if (outcome === 'failed') this.failedAt = now;
  }

  /** Returns whether a new circuit breaker would behave the same. */
  isIdle(): boolean {
    return this.failures === 0 && this.inFlight === 0;
  }
}
