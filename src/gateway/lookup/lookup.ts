import type { LookupHandler, LookupHandlers } from '../../menu/effects/lookup.ts';
import type { Effect, LookupAnswer, LookupRequest } from '../../menu/state/state.ts';
import { type Clock, withTimeout } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { isMap } from '../../shared/json.ts';
import { CircuitBreaker } from '../../shared/limits/circuit-breaker.ts';
import { InFlightLimit } from '../../shared/limits/in-flight-limit.ts';
import type { Log } from '../../shared/log.ts';
import { signRequest } from '../../shared/standard-webhook.ts';
import { annotate, traced } from '../../shared/tracing.ts';
import {
  callUrl,
  type LookupFetch,
  type LookupResult,
  maxLookupsInFlight,
  resolveAddress,
  toLookupBody,
} from './call-url.ts';

/** The outcome of a lookup. With `busy` and `open_circuit` no request was sent. */
export type LookupOutcome = LookupResult['outcome'] | 'busy' | 'open_circuit';

export type LookupDeps = {
  fetch: LookupFetch;
  /** The system clock: merchants' systems compare the timestamp of a request with their own clock. */
  networkClock: Clock;
  ids: Ids;
  log: Log;
  /** Called after each lookup, for metrics. */
  onDone?: (merchantId: string, outcome: LookupOutcome, ms: number) => void;
};

/** The settings of a merchant that lookups use. */
export type LookupMerchant = {
  id: string;
  lookups?: { url: string; secret: string; allowNetworks: readonly string[] } | undefined;
  handlers?: LookupHandlers | undefined;
};

type LookupQuestion = Pick<Extract<Effect, { kind: 'lookup' }>, 'url' | 'request'> & {
  /** Returns why the menu cannot use an answer: the name of the field, and nothing of its value; `undefined` when it can. */
  problemOf?: (fields: object) => string | undefined;
};

/** The system or handler that answers a lookup. Each `peer` has its own circuit breaker. */
type LookupTarget = { peer: string; ask(signal: AbortSignal): Promise<LookupResult> };

/** Creates the client of merchants' own systems, which a payer's turn waits for. */
export function createLookups(deps: LookupDeps) {
  const { networkClock, log } = deps;
  const circuits = new Map<string, CircuitBreaker>();
  const inFlight = new InFlightLimit(maxLookupsInFlight);

  async function askWithLimits(
    id: string,
    target: LookupTarget,
    budgetMs: number,
  ): Promise<LookupResult | { outcome: LookupOutcome }> {
    if (!inFlight.tryAcquire(id)) return { outcome: 'busy' };
    const circuit = circuits.get(target.peer) ?? new CircuitBreaker();
    circuits.set(target.peer, circuit);
    try {
      if (!circuit.tryAcquire(networkClock.now())) return { outcome: 'open_circuit' };
      const result = await withTimeout(networkClock, budgetMs, target.ask).catch(
        (): LookupResult => ({ outcome: 'timeout' }),
      );
      const failed = result.outcome === 'timeout' || result.outcome === 'unreachable';
      circuit.release(failed ? 'failed' : 'answered', networkClock.now());
      return result;
    } finally {
      inFlight.release(id);
      if (circuit.isIdle()) circuits.delete(target.peer);
    }
  }

  return {
    /**
     * Runs the lookup of a menu at its address, or with the handler of its name. Never throws.
     *
     * @param budgetMs time limit in milliseconds.
     * @returns `none` when no valid result arrived in time.
     */
    async ask(merchant: LookupMerchant, effect: LookupQuestion, budgetMs: number): Promise<LookupAnswer> {
      if (budgetMs <= 0) return { kind: 'none' };
      const startedAt = networkClock.now();
      const target = findTarget(deps, merchant, effect);
      const attributes = { 'dialtill.merchant': merchant.id, 'dialtill.lookup': effect.request.lookup };
      const result = await traced('lookup', { attributes, kind: 'client' }, async () => {
        const answered = target ? await askWithLimits(merchant.id, target, budgetMs) : noTarget;
        const read = withProblem(effect, answered);
        annotate({ 'dialtill.outcome': read.outcome });
        return read;
      });
      const ms = Math.max(0, networkClock.now() - startedAt);
      const { outcome } = result;
      const line = {
        merchant: merchant.id,
        lookup: effect.request.lookup,
        outcome,
        ...getDetail(result),
        ms,
      };
      if (isDebugOutcome[outcome]) log.debug(line, 'lookup');
      else log.warn(line, 'lookup failed');
      deps.onDone?.(merchant.id, outcome, ms);
      if ('fields' in result) return { kind: 'found', fields: result.fields };
      return { kind: outcome === 'not_found' ? 'not_found' : 'none' };
    },
  };
}

export type Lookups = ReturnType<typeof createLookups>;

/** Turns an answer that the menu cannot use into an invalid one, with the reason for the log. */
function withProblem<R extends LookupResult | { outcome: LookupOutcome }>(
  { problemOf }: LookupQuestion,
  result: R,
): R | LookupResult {
  const problem = 'fields' in result ? problemOf?.(result.fields) : undefined;
  return problem === undefined ? result : { outcome: 'invalid_response', detail: problem };
}

const noTarget: LookupResult = { outcome: 'unreachable', detail: 'no_address' };

/** Outcomes that are logged at debug level. The others are warnings. */
const isDebugOutcome: Readonly<Record<LookupOutcome, boolean>> = {
  found: true,
  not_found: true,
  timeout: false,
  unreachable: false,
  invalid_response: false,
  busy: false,
  // The timeouts that opened the circuit are logged.
  open_circuit: true,
};

function getDetail(result: object): { detail?: string } {
  return 'detail' in result && typeof result.detail === 'string' ? { detail: result.detail } : {};
}

/** Returns what answers a lookup: its handler or its address. `undefined` when neither exists. */
function findTarget(
  deps: LookupDeps,
  { id: merchantId, lookups, handlers = {} }: LookupMerchant,
  { url, request }: LookupQuestion,
): LookupTarget | undefined {
  if (url === undefined) {
    const handler = Object.hasOwn(handlers, request.lookup) ? handlers[request.lookup] : undefined;
    if (!handler) return undefined;
    return {
      peer: `${merchantId} ${request.lookup}`,
      ask: (signal) => callHandler(handler, request, signal),
    };
  }
  const address = lookups && resolveAddress(lookups.url, url);
  if (!address) return undefined;
  const { secret, allowNetworks } = lookups;
  return {
    peer: `${merchantId} ${address.origin}`,
    ask(signal) {
      const body = toLookupBody(request);
      const signed = { id: deps.ids.next('lkp'), at: deps.networkClock.now(), body };
      return callUrl(
        deps,
        address,
        { body, signature: signRequest([secret], signed), allowNetworks },
        signal,
      );
    },
  };
}

/** Calls a lookup handler of a program menu once. `signal` aborts when the result is no longer used. Never throws. */
export async function callHandler(
  handler: LookupHandler,
  asked: LookupRequest,
  signal: AbortSignal,
): Promise<LookupResult> {
  try {
    const fields = await handler(asked, { signal });
    // Many query libraries return null for a row that does not exist.
    if (fields === undefined || fields === null) return { outcome: 'not_found' };
    return isMap(fields)
      ? { outcome: 'found', fields }
      : { outcome: 'invalid_response', detail: 'no_object' };
  } catch (fault) {
    return signal.aborted
      ? { outcome: 'timeout' }
      : { outcome: 'invalid_response', detail: getPosition(fault) };
  }
}

/** Returns the source position of an error, without its message: a message can contain personal data. */
function getPosition(fault: unknown): string {
  const frame =
    fault instanceof Error ? /^ +at (?:.*\()?([^()\n]+:\d+:\d+)\)?$/m.exec(fault.stack ?? '') : null;
  return frame ? `threw at ${frame[1]}` : 'threw';
}
