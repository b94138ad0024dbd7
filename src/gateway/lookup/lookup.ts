import type { LookupHandlers } from '../../menu/effects/handler.ts';
import type { Effect, LookupAnswer } from '../../menu/state/state.ts';
import { type Clock, withTimeout } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { CircuitBreaker } from '../../shared/limits/circuit-breaker.ts';
import { InFlightLimit } from '../../shared/limits/in-flight-limit.ts';
import type { Log } from '../../shared/log.ts';
import { callHandler } from './call-handler.ts';
import { bodyOf, callUrl, type LookupFetch } from './call-url.ts';
import { resolveAddress } from './resolve-address.ts';
import type { LookupResult } from './result.ts';
import { signRequest } from './sign-request.ts';

/** What came of a look-up. `busy` and `open_circuit`: it was not asked. */
export type LookupOutcome = LookupResult['outcome'] | 'busy' | 'open_circuit';

export type LookupDeps = {
  fetch: LookupFetch;
  /** The machine's: merchants' systems compare a question's time with theirs, and a network has its own pace. */
  networkClock: Clock;
  ids: Ids;
  log: Log;
  /** Told of each look-up, for counting. */
  onDone?: (merchantId: string, outcome: LookupOutcome, ms: number) => void;
};

/** What of a merchant's configuration is about look-ups. */
export type LookupMerchant = {
  id: string;
  lookups?: { url?: string | undefined; secret: string } | undefined;
  handlers?: LookupHandlers | undefined;
};

type LookupEffect = Pick<Extract<Effect, { kind: 'lookup' }>, 'url' | 'asked'>;

/** Of questions under way at once. */
const most = { perKey: 64, total: 256 };

/** One way to ask: `peer` is what hangs when it hangs. */
type Way = { peer: string; ask(signal: AbortSignal): Promise<LookupResult> };

/** Merchants' own systems, asked while a payer waits. */
export function createLookups(deps: LookupDeps) {
  const { networkClock, log } = deps;
  const circuits = new Map<string, CircuitBreaker>();
  const inFlight = new InFlightLimit(most);

  async function guarded(
    id: string,
    way: Way,
    budgetMs: number,
  ): Promise<LookupResult | { outcome: LookupOutcome }> {
    if (!inFlight.tryAcquire(id)) return { outcome: 'busy' };
    const circuit = circuits.get(way.peer) ?? new CircuitBreaker();
    circuits.set(way.peer, circuit);
    try {
      if (!circuit.tryAcquire(networkClock.now())) return { outcome: 'open_circuit' };
      const answered = await withTimeout(networkClock, budgetMs, way.ask).catch(
        (): LookupResult => ({ outcome: 'timeout' }),
      );
      const failed = answered.outcome === 'timeout' || answered.outcome === 'refused';
      circuit.release(failed ? 'failed' : 'answered', networkClock.now());
      return answered;
    } finally {
      inFlight.release(id);
      if (circuit.isIdle()) circuits.delete(way.peer);
    }
  }

  return {
    /**
     * Asks what a menu wants to know, at the address that it says or by the handler of that name. Never throws and
     * never takes longer than `budgetMs`; whatever does not come in time, or cannot be read, is `none`.
     */
    async ask(merchant: LookupMerchant, want: LookupEffect, budgetMs: number): Promise<LookupAnswer> {
      if (budgetMs <= 0) return { kind: 'none' };
      const startedAt = networkClock.now();
      const way = wayTo(deps, merchant, want);
      const done = way ? await guarded(merchant.id, way, budgetMs) : unaskable;
      const ms = Math.max(0, networkClock.now() - startedAt);
      const { outcome } = done;
      const line = { merchant: merchant.id, lookup: want.asked.lookup, outcome, ...detailOf(done), ms };
      if (isQuiet[outcome]) log.debug(line, 'looked up');
      else log.warn(line, 'a look-up came to nothing');
      deps.onDone?.(merchant.id, outcome, ms);
      if ('fields' in done) return { kind: 'found', fields: done.fields };
      return { kind: outcome === 'not_found' ? 'not_found' : 'none' };
    },
  };
}

export type Lookups = ReturnType<typeof createLookups>;

const unaskable: LookupResult = { outcome: 'refused', detail: 'no_address' };

/** Whether the log need not warn of it: a peer that hangs has been told by then. */
const isQuiet: Readonly<Record<LookupOutcome, boolean>> = {
  found: true,
  not_found: true,
  timeout: false,
  refused: false,
  bad_answer: false,
  busy: false,
  open_circuit: true,
};

function detailOf(done: object): { detail?: string } {
  return 'detail' in done && typeof done.detail === 'string' ? { detail: done.detail } : {};
}

/** `undefined` where there is neither a handler nor an address that may be asked, with a secret to sign by. */
function wayTo(
  deps: LookupDeps,
  { id: merchantId, lookups, handlers = {} }: LookupMerchant,
  { url, asked }: LookupEffect,
): Way | undefined {
  if (url === undefined) {
    const handler = Object.hasOwn(handlers, asked.lookup) ? handlers[asked.lookup] : undefined;
    if (!handler) return undefined;
    return { peer: `${merchantId} ${asked.lookup}`, ask: (signal) => callHandler(handler, asked, signal) };
  }
  const address = resolveAddress(lookups?.url, url);
  if (!address || !lookups) return undefined;
  return {
    peer: `${merchantId} ${address.origin}`,
    ask(signal) {
      const body = bodyOf(asked);
      const said = { id: deps.ids.next('lkp'), at: deps.networkClock.now(), body };
      return callUrl(deps, address, { body, signature: signRequest(lookups.secret, said) }, signal);
    },
  };
}
