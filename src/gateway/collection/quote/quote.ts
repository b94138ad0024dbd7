import { payerLimited } from '../../../contract/error.ts';
import type { OfflineSession } from '../../../contract/service/reading.ts';
import { type Clock, withTimeout } from '../../../shared/clock.ts';
import { errorMessage, unreachable } from '../../../shared/errors.ts';
import type { Ids } from '../../../shared/ids.ts';
import type { CircuitOutcome } from '../../../shared/limits/circuit-breaker.ts';
import type { Log } from '../../../shared/log.ts';
import type { KeyRates } from '../calls/key-rates.ts';
import type { CallOutcome, Provider } from '../calls/provider.ts';
import { isKeyStatus, type KeyHealth } from '../calls/service-health.ts';
import { quoteFault } from '../opening/create-call.ts';
import { createQuoteGate, type QuoteDenial } from './quote-gate.ts';
import {
  type AnsweredQuote,
  type CachedQuote,
  createQuoteCache,
  type QuoteCall,
  type QuoteStore,
} from './quote-store.ts';

/** The outcome of a quote request. For a `QuoteDenial` the service was not called, or reported that limit itself. */
export type QuoteOutcome = 'quoted' | 'timeout' | 'rejected' | 'invalid_response' | QuoteDenial;

export type QuoteDeps = {
  quotes: QuoteStore;
  /** Without `initiate`: a quote cannot move money. */
  provider: Pick<Provider, 'create'>;
  /** Shared with payments, because both call with the same keys. */
  rates: KeyRates;
  /** Calls that the gateway may have in flight, payments included. */
  callsInFlight: number;
  clock: Clock;
  /** The clock of budgets and timeouts. */
  networkClock: Clock;
  ids: Ids;
  keyOf(merchantId: string): string | undefined;
  /** Limits how often a rejected key is logged. */
  keys: KeyHealth;
  log: Log;
  /** Called with the outcome of each request, for metrics. */
  onDone?: (merchantId: string, outcome: QuoteOutcome, ms: number) => void;
};

/** How long `close` waits for calls in flight. */
const closeWithinMs = 5_000;

/** Outcomes that are logged at debug level. The others are warnings. */
const isDebugOutcome: Readonly<Record<QuoteOutcome, boolean>> = {
  quoted: true,
  timeout: false,
  rejected: false,
  invalid_response: false,
  quota_exceeded: true,
  rate_limited: false,
  busy: false,
  // The timeouts that opened the circuit are logged.
  open_circuit: true,
};

type CallResult = {
  outcome: Exclude<QuoteOutcome, 'quota_exceeded' | 'open_circuit'>;
  peer: CircuitOutcome;
  detail?: string;
};

type Quote = CachedQuote<CallResult>;

/** A reused idempotency key is a fault of the quote alone: the collection has a key of its own. */
function isFinal({ httpStatus, code }: { httpStatus: number; code: string }): boolean {
  return httpStatus !== 409 && code !== 'idempotency_key_reused';
}

/**
 * Creates the quotes of the gateway. A quote sends the create call of a later collection before the payer confirms, so
 * that the confirm screen can show the fee. The call creates a session, moves no money, and the session expires at the
 * service when the payer does not confirm.
 */
export function createQuotes(deps: QuoteDeps) {
  const { quotes, provider, rates, clock, networkClock, log } = deps;
  const cache = createQuoteCache<CallResult>(clock, deps.ids);
  const gate = createQuoteGate(deps);
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  function track<T>(work: Promise<T>): Promise<T> {
    const done = work.finally(() => running.delete(done));
    running.add(done);
    return done;
  }

  /** Never rejects, because the dialogue may have stopped waiting. */
  async function send(quote: Quote, key: string): Promise<CallResult> {
    const { row, request } = quote;
    try {
      // Rule R1: the call is sent after its row is durable, with the stored bytes.
      quote.isDurable ||= await quotes.insert(row);
      if (!quote.isDurable) return { outcome: 'busy', peer: 'not_sent', detail: 'not_written' };
      const call = { idempotencyKey: row.createKey, body: row.createBody };
      const outcome = await provider.create(key, call);
      reportKey(quote, outcome);
      return readOutcome(quote, outcome);
    } catch (fault) {
      return { outcome: 'busy', peer: 'not_sent', detail: errorMessage(fault) };
    } finally {
      delete quote.inFlight;
      gate.ended(request.merchantId);
    }
  }

  /** A refused quote leads to no collection, so the quote itself must report a rejected key. */
  function reportKey({ request: { merchantId } }: Quote, outcome: CallOutcome<OfflineSession>): void {
    if (outcome.kind === 'ok') deps.keys.recordSuccess(merchantId, { kind: 'create_answered' });
    const httpStatus = outcome.kind === 'ok' ? undefined : outcome.httpStatus;
    if (!isKeyStatus(httpStatus) || !deps.keys.recordRejection(merchantId, 'create')) return;
    const errorCode = outcome.kind === 'rejected' ? outcome.code : `http_${httpStatus}`;
    const line = { merchant: merchantId, alarm: 'key_rejected', call: 'create', httpStatus, errorCode };
    log.error(line, "the service rejects a merchant's key");
  }

  function readOutcome(quote: Quote, outcome: CallOutcome<OfflineSession>): CallResult {
    const { merchantId } = quote.request;
    switch (outcome.kind) {
      case 'ok':
        track(saveAnswer(quote.row.id, outcome.value));
        return readSession(quote, outcome.value);
      case 'rejected':
        quote.answer = null;
        quote.isRejected = isFinal(outcome);
        return { outcome: 'rejected', peer: 'answered', detail: outcome.code };
      case 'rate_limited':
        // A limit on one payer's number concerns this quote alone.
        if (outcome.detail !== payerLimited) rates.pause(merchantId, outcome.retryAfterMs);
        return { outcome: 'rate_limited', peer: 'answered', detail: outcome.detail };
      case 'unknown':
        return outcome.httpStatus === undefined
          ? { outcome: 'timeout', peer: 'failed', detail: outcome.detail }
          : { outcome: 'invalid_response', peer: 'answered', detail: outcome.detail };
      default:
        return unreachable(outcome);
    }
  }

  function readSession(quote: Quote, session: OfflineSession): CallResult {
    const { request, row } = quote;
    const fault = quoteFault(request, session) ?? (session.status === 'created' ? undefined : 'quote_status');
    if (fault) {
      quote.answer = null;
      log.error({ quote: row.id, merchant: request.merchantId, fault }, 'a wrong quote');
      return { outcome: 'invalid_response', peer: 'answered', detail: fault };
    }
    quote.answer = {
      id: row.id,
      feeMinor: session.expected_fee_minor,
      totalMinor: session.amount_minor,
      create: { key: row.createKey, body: row.createBody },
    };
    return { outcome: 'quoted', peer: 'answered' };
  }

  async function saveAnswer(id: string, session: OfflineSession): Promise<void> {
    try {
      await quotes.answer(id, JSON.stringify(session), clock.now());
    } catch (fault) {
      log.warn({ quote: id, fault: errorMessage(fault) }, 'the answer of a quote was not stored');
    }
  }

  /** Starts a call, or returns why none can be made now. */
  function startCall(quote: Quote): Promise<CallResult> | QuoteOutcome {
    const key = deps.keyOf(quote.request.merchantId);
    if (key === undefined) return 'rejected';
    const denial = gate.admit(quote.request);
    if (denial) return denial;
    quote.inFlight = track(send(quote, key));
    return quote.inFlight;
  }

  /** Returns `undefined` when the budget runs out first. */
  function waitFor(inFlight: Promise<CallResult>, budgetMs: number): Promise<CallResult | undefined> {
    return withTimeout(networkClock, budgetMs, () => inFlight).catch(() => undefined);
  }

  function report({ row, request }: Quote, outcome: QuoteOutcome, ms: number, detail?: string): void {
    const line = { quote: row.id, merchant: request.merchantId, outcome, detail, ms };
    if (isDebugOutcome[outcome]) log.debug(line, 'quote requested');
    else log.warn(line, 'a screen is shown without its fee');
    deps.onDone?.(request.merchantId, outcome, ms);
  }

  return {
    /**
     * Requests a quote. Never throws and never takes longer than `budgetMs`. The call continues after that, and the same
     * request in the same dialogue uses its answer.
     */
    async ask(request: QuoteCall, budgetMs: number): Promise<AnsweredQuote | undefined> {
      if (isClosed) return undefined;
      const quote = cache.findOrCreate(request);
      if (quote.answer !== undefined || budgetMs <= 0) return quote.answer ?? undefined;
      if (quote.inFlight) {
        await waitFor(quote.inFlight, budgetMs);
        return quote.answer ?? undefined;
      }
      const startedAt = networkClock.now();
      const started = startCall(quote);
      if (typeof started === 'string') {
        report(quote, started, 0);
        return undefined;
      }
      const result = await waitFor(started, budgetMs);
      const ms = Math.max(0, networkClock.now() - startedAt);
      gate.recordResult(request.merchantId, result?.peer, budgetMs);
      report(quote, result?.outcome ?? 'timeout', ms, result?.detail);
      return quote.answer ?? undefined;
    },
    /** Returns whether the service has rejected the payment of this request, and would reject it again. */
    isRejected: (request: QuoteCall): boolean => cache.findOrCreate(request).isRejected === true,
    /**
     * Returns the create call of a quote when the payer confirms; `undefined` when the quote is no longer usable. The
     * collection then sends a create call of its own and must meet the total shown.
     */
    async find(id: string): Promise<AnsweredQuote['create'] | undefined> {
      const row = await quotes.find(id);
      return row && cache.isUsable(row) ? { key: row.createKey, body: row.createBody } : undefined;
    },
    /** Sends no further calls, and waits up to 5 s for calls in flight, so that their answers are stored. */
    async close(): Promise<void> {
      isClosed = true;
      const settled = async () => {
        while (running.size > 0) await Promise.all(running);
      };
      await withTimeout(networkClock, closeWithinMs, settled).catch(() => {});
    },
  };
}

export type Quotes = ReturnType<typeof createQuotes>;
