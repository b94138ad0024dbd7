import type { Clock, EpochMs } from '../../../shared/clock.ts';
import { RateLimit } from '../../../shared/limits/token-bucket.ts';
import { holdMs } from './pause.ts';

export type KeyRates = ReturnType<typeof openKeyRates>;

/**
 * The rate of each merchant's secret key, one for everybody who calls with it: the limits of the service are the key's,
 * whatever a call is for.
 */
export function openKeyRates(clock: Pick<Clock, 'now'>, callsPerSecond: number) {
  const rates = new Map<string, RateLimit>();

  function of(merchantId: string): RateLimit {
    const rate = rates.get(merchantId) ?? new RateLimit(callsPerSecond, clock.now());
    rates.set(merchantId, rate);
    return rate;
  }

  return {
    of,
    /** After a 429 about the key: nobody calls with it for as long as it asks for. */
    hold(merchantId: string, retryAfterMs: number | undefined): void {
      of(merchantId).hold(clock.now(), holdMs(retryAfterMs));
    },
    /** Whether nobody may call with the merchant's key now, because of a 429. */
    isHeld: (merchantId: string): boolean => rates.get(merchantId)?.isHeld(clock.now()) === true,
    /** Merchants whose keys allow no call now. */
    heldAt(now: EpochMs): string[] {
      return [...rates].filter(([, rate]) => rate.available(now) === 0).map(([merchantId]) => merchantId);
    },
  };
}
