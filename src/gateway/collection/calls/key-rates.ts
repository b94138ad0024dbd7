import type { Clock, EpochMs } from '../../../shared/clock.ts';
import { TokenBucket } from '../../../shared/limits/token-bucket.ts';
import { pauseDurationMs } from './pause.ts';

export type KeyRates = ReturnType<typeof createKeyRates>;

/**
 * The rate of each merchant's secret key, one for everybody who calls with it: the limits of the service are the key's,
 * whatever a call is for.
 */
export function createKeyRates(clock: Pick<Clock, 'now'>, callsPerSecond: number) {
  const rates = new Map<string, TokenBucket>();

  function of(merchantId: string): TokenBucket {
    const rate = rates.get(merchantId) ?? new TokenBucket(callsPerSecond, clock.now());
    rates.set(merchantId, rate);
    return rate;
  }

  return {
    of,
    /** After a 429 about the key: nobody calls with it for as long as it asks for. */
    hold(merchantId: string, retryAfterMs: number | undefined): void {
      of(merchantId).pause(clock.now(), pauseDurationMs(retryAfterMs));
    },
    /** Whether nobody may call with the merchant's key now, because of a 429. */
    isPaused: (merchantId: string): boolean => rates.get(merchantId)?.isPaused(clock.now()) === true,
    /** Merchants whose keys allow no call now. */
    heldAt(now: EpochMs): string[] {
      return [...rates].filter(([, rate]) => rate.available(now) === 0).map(([merchantId]) => merchantId);
    },
  };
}
