import type { Clock } from '../../../shared/clock.ts';
import { CircuitBreaker } from '../../../shared/limits/circuit-breaker.ts';
import { InFlight } from '../../../shared/limits/in-flight.ts';
import { SlidingWindow } from '../../../shared/limits/sliding-window.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import type { KeyRates } from '../calls/key-rates.ts';

/** Who asks for a quote, as far as it is counted. */
export type Asker = {
  merchantId: string;
  livemode: 0 | 1;
  dialogueId: string;
  /** Null where nobody is counted: an attendant asks for customers all day. */
  dialler: Msisdn | null;
};

/** What speaks against asking now. */
export type Closed = 'limited' | 'held_back' | 'busy' | 'open_circuit';

const hourMs = 3_600_000;
/** Each is a session at the service, and nobody has agreed to anything. Those who only look must not make many. */
const ofDialogue = { ofEach: 5, withinMs: hourMs, keys: 10_000 };
const ofDialler = { ofEach: 20, withinMs: hourMs, keys: 10_000 };

/** A service that was given less time than this, and did not answer, is no service that hangs. */
const minTrialMs = 200;

/**
 * Says whether a quote may be asked for now: payments come first, and nobody may ask without end.
 *
 * @param callsInFlight calls that the gateway may have under way at once. Half of them stay free of quotes, however slow
 *   the service is: a quote that hangs goes on until its time is up, also when its payer waits no more.
 */
export function createQuoteGate(clock: Clock, networkClock: Clock, rates: KeyRates, callsInFlight: number) {
  const dialogues = new SlidingWindow(ofDialogue);
  const diallers = new SlidingWindow(ofDialler);
  const most = Math.max(1, Math.floor(callsInFlight / 2));
  const inFlight = new InFlight({ ofEach: most, inAll: most });
  const circuits = new Map<string, CircuitBreaker>();

  function circuitOf(merchantId: string): CircuitBreaker {
    const circuit = circuits.get(merchantId) ?? new CircuitBreaker();
    circuits.set(merchantId, circuit);
    return circuit;
  }

  return {
    /**
     * Takes what one call needs, or says why there is none. A call that was admitted must be told to `ended` when it is
     * over, and to `judged` when nobody waits for it any more, each once.
     */
    admit({ merchantId, livemode, dialogueId, dialler }: Asker): Closed | undefined {
      const now = clock.now();
      const caller = dialler === null ? undefined : `${merchantId} ${livemode} ${dialler}`;
      const isLeft =
        dialogues.isLeft(dialogueId, now) && (caller === undefined || diallers.isLeft(caller, now));
      if (!isLeft) return 'limited';
      const rate = rates.of(merchantId);
      if (rate.spare(now) === 0) return 'held_back';
      if (!inFlight.admit(merchantId)) return 'busy';
      if (!circuitOf(merchantId).admit(networkClock.now())) {
        inFlight.ended(merchantId);
        return 'open_circuit';
      }
      rate.take();
      dialogues.take(dialogueId, now);
      if (caller !== undefined) diallers.take(caller, now);
      return undefined;
    },
    ended(merchantId: string): void {
      inFlight.ended(merchantId);
    },
    /** What the wait showed of the service; `undefined` where its time ran out. */
    judged(merchantId: string, peer: 'answered' | 'failed' | 'unasked' | undefined, budgetMs: number): void {
      const circuit = circuitOf(merchantId);
      circuit.ended(peer ?? (budgetMs < minTrialMs ? 'unasked' : 'failed'), networkClock.now());
      if (circuit.isBlank()) circuits.delete(merchantId);
    },
  };
}
