import type { Clock } from '../../../shared/clock.ts';
import { CircuitBreaker, type CircuitOutcome } from '../../../shared/limits/circuit-breaker.ts';
import { InFlightLimit, sharedLimit } from '../../../shared/limits/in-flight-limit.ts';
import { SlidingWindow } from '../../../shared/limits/per-key.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import type { KeyRates } from '../calls/key-rates.ts';

/** The origin of a quote request, for its limits. */
export type QuoteOrigin = {
  merchantId: string;
  livemode: 0 | 1;
  dialogueId: string;
  /** Null for an attendant, who has no limit of their own. */
  dialler: Msisdn | null;
};

/** Why a quote may not be requested now. */
export type QuoteDenial = 'quota_exceeded' | 'rate_limited' | 'busy' | 'open_circuit';

const hourMs = 3_600_000;
/** Each quote creates a session at the service before the payer confirms, so a dialogue must not create many. */
const perDialogue = { limit: 5, windowMs: hourMs, maxKeys: 10_000 };
const perDialler = { limit: 20, windowMs: hourMs, maxKeys: 10_000 };

/** A timeout after a shorter budget does not count as a failure of the service. */
const minTrialMs = 200;

/** Returns the quotes that all merchants may have in flight, beside `callsInFlight` calls for payments. */
export function maxQuotesInFlight(callsInFlight: number): number {
  return Math.max(1, Math.floor(callsInFlight / 2));
}

export type QuoteGateOptions = {
  clock: Clock;
  /** The clock of the circuit breaker. */
  networkClock: Clock;
  rates: KeyRates;
  /** Calls for payments that the gateway may have in flight. Quotes come beside them: half as many, and of a merchant its share. */
  callsInFlight: number;
};

/** Creates the gate that decides whether a quote may be requested now. Payments have priority over quotes. */
export function createQuoteGate({ clock, networkClock, rates, callsInFlight }: QuoteGateOptions) {
  const dialogues = new SlidingWindow(perDialogue);
  const diallers = new SlidingWindow(perDialler);
  const inFlight = new InFlightLimit(sharedLimit(maxQuotesInFlight(callsInFlight)));
  const circuits = new Map<string, CircuitBreaker>();

  function getCircuit(merchantId: string): CircuitBreaker {
    const circuit = circuits.get(merchantId) ?? new CircuitBreaker();
    circuits.set(merchantId, circuit);
    return circuit;
  }

  return {
    /**
     * Admits one call, or returns why it is denied. For an admitted call, call `ended` once when it is over, and
     * `recordResult` once when the dialogue stops waiting for it.
     */
    admit({ merchantId, livemode, dialogueId, dialler }: QuoteOrigin): QuoteDenial | undefined {
      const now = clock.now();
      const diallerKey = dialler === null ? undefined : `${merchantId} ${livemode} ${dialler}`;
      const isWithinQuota =
        dialogues.allows(dialogueId, now) && (diallerKey === undefined || diallers.allows(diallerKey, now));
      if (!isWithinQuota) return 'quota_exceeded';
      const bucket = rates.bucketOf(merchantId);
      if (bucket.spare(now) === 0) return 'rate_limited';
      if (!inFlight.tryAcquire(merchantId)) return 'busy';
      if (!getCircuit(merchantId).tryAcquire(networkClock.now())) {
        inFlight.release(merchantId);
        return 'open_circuit';
      }
      bucket.take();
      dialogues.record(dialogueId, now);
      if (diallerKey !== undefined) diallers.record(diallerKey, now);
      return undefined;
    },
    ended(merchantId: string): void {
      inFlight.release(merchantId);
    },
    /** Records how the service responded; `undefined` when the budget ran out first. */
    recordResult(merchantId: string, peer: CircuitOutcome | undefined, budgetMs: number): void {
      const circuit = getCircuit(merchantId);
      circuit.release(peer ?? (budgetMs < minTrialMs ? 'not_sent' : 'failed'), networkClock.now());
      if (circuit.isIdle()) circuits.delete(merchantId);
    },
  };
}
