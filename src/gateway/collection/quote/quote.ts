import { payerLimited } from '../../../contract/error.ts';
import type { OfflineSession } from '../../../contract/session.ts';
import { type Clock, withTimeout } from '../../../shared/clock.ts';
import { messageOf, unreachable } from '../../../shared/errors.ts';
import type { Ids } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import type { KeyRates } from '../calls/key-rates.ts';
import type { Outcome } from '../calls/outcome.ts';
import type { Provider } from '../calls/provider.ts';
import { type CreateCall, createBodyOf } from '../opening/create-body.ts';
import { quoteFault } from './quote-fault.ts';
import { type Asker, type Closed, createQuoteGate } from './quote-gate.ts';
import type { QuoteRow, QuoteStore } from './quote-store.ts';

/** What came of asking for a quote. Where something spoke against it, the service was not asked, or said so itself. */
export type QuoteOutcome = 'quoted' | 'timeout' | 'refused' | 'bad_answer' | Closed;

export type QuoteDeps = {
  quotes: QuoteStore;
  /** Nothing in it can move money. */
  provider: Pick<Provider, 'create'>;
  /** The ones of the payments' own calls: they are made with the same keys. */
  rates: KeyRates;
  /** Calls that the gateway may have under way at once, payments' among them. */
  callsInFlight: number;
  clock: Clock;
  /** By which the budget runs: a network has its own pace. */
  networkClock: Clock;
  ids: Ids;
  keyOf(merchantId: string): string | undefined;
  log: Log;
  /** Told of each call, for counting. */
  onDone?: (merchantId: string, outcome: QuoteOutcome, ms: number) => void;
};

export type QuoteRequest = CreateCall & Asker;

export type AnsweredQuote = {
  id: string;
  feeMinor: number;
  /** Goods and fee. */
  totalMinor: number;
  /** The call that the quote came from. A collection that is opened on it sends the same. */
  create: { key: string; body: string };
};

/** Questions whose answers are kept. */
const maxRemembered = 10_000;
/**
 * How old a quote may be when it is used: a session that nobody initiates runs out at the service (after 30 minutes, as
 * we know it), and after the yes its prompt may still wait until its deadline.
 */
const usefulMs = 10 * 60_000;
/** How long a stopping gateway waits for answers that are on their way. */
const closeWithinMs = 5_000;

/** Whether the log need not warn of it: a service that hangs has been told by then, and payers must not fill the log. */
const isQuiet: Readonly<Record<QuoteOutcome, boolean>> = {
  quoted: true,
  timeout: false,
  refused: false,
  bad_answer: false,
  limited: true,
  held_back: false,
  busy: false,
  open_circuit: true,
};

/** A question of a dialogue: always the same bytes under the same key, however often it is asked. */
type Question = {
  readonly request: QuoteRequest;
  readonly row: QuoteRow;
  isDurable: boolean;
  /** Null where the answer is no quote, and would be none again. */
  answer?: AnsweredQuote | null;
  underWay?: Promise<Came>;
};
/** What a call came to. */
type Came = {
  outcome: Exclude<QuoteOutcome, 'limited' | 'open_circuit'>;
  peer: 'answered' | 'failed' | 'unasked';
  detail?: string;
};

/**
 * The fee before the yes: the create call of a collection that may come of it, made while the payer still reads. It
 * creates a session and moves nothing; what nobody agrees to runs out by itself at the service.
 */
export function createQuotes(deps: QuoteDeps) {
  const { quotes, provider, rates, clock, networkClock, ids, log } = deps;
  const remembered = new Map<string, Question>();
  const gate = createQuoteGate(clock, networkClock, rates, deps.callsInFlight);
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  function questionOf(request: QuoteRequest): Question {
    const { merchantId, livemode, dialogueId, payer, network, goodsMinor, reference } = request;
    const name = JSON.stringify([merchantId, livemode, dialogueId, payer, network, goodsMinor, reference]);
    const known = remembered.get(name);
    if (known && isUseful(known.row)) return known;
    remembered.delete(name);
    const id = ids.next('quo');
    const row: QuoteRow = {
      ...{ id, merchantId, livemode, dialogueId },
      createKey: `${id}.create.${ids.secret().slice(0, 16)}`,
      createBody: createBodyOf(request),
      requestedAt: clock.now(),
      session: null,
      answeredAt: null,
    };
    const question = { request, row, isDurable: false };
    remembered.set(name, question);
    const [oldest] = remembered.keys();
    if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
    return question;
  }

  function isUseful({ requestedAt }: QuoteRow): boolean {
    return clock.now() < requestedAt + usefulMs;
  }

  function track<T>(work: Promise<T>): Promise<T> {
    const done = work.finally(() => running.delete(done));
    running.add(done);
    return done;
  }

  /** Never rejects: somebody may have stopped waiting for it. */
  async function send(question: Question, key: string): Promise<Came> {
    const { row, request } = question;
    try {
      // R1: the call goes out after its row is on disk, and with the bytes that are there.
      question.isDurable ||= await quotes.insert(row);
      if (!question.isDurable) return { outcome: 'busy', peer: 'unasked', detail: 'not_written' };
      const call = { idempotencyKey: row.createKey, body: row.createBody };
      return read(question, await provider.create(key, call));
    } catch (fault) {
      return { outcome: 'busy', peer: 'unasked', detail: messageOf(fault) };
    } finally {
      delete question.underWay;
      gate.ended(request.merchantId);
    }
  }

  function read(question: Question, outcome: Outcome<OfflineSession>): Came {
    const { merchantId } = question.request;
    switch (outcome.kind) {
      case 'ok':
        track(keep(question.row.id, outcome.value));
        return quoted(question, outcome.value);
      case 'rejected':
        question.answer = null;
        return { outcome: 'refused', peer: 'answered', detail: outcome.code };
      case 'throttled':
        // A limit on one payer's number is about this question alone.
        if (outcome.detail !== payerLimited) rates.hold(merchantId, outcome.retryAfterMs);
        return { outcome: 'held_back', peer: 'answered', detail: outcome.detail };
      case 'unknown':
        return outcome.httpStatus === undefined
          ? { outcome: 'timeout', peer: 'failed', detail: outcome.detail }
          : { outcome: 'bad_answer', peer: 'answered', detail: outcome.detail };
      default:
        return unreachable(outcome);
    }
  }

  function quoted(question: Question, session: OfflineSession): Came {
    const { request, row } = question;
    const fault = quoteFault(request, session) ?? (session.status === 'created' ? undefined : 'quote_status');
    if (fault) {
      question.answer = null;
      log.error({ quote: row.id, merchant: request.merchantId, fault }, 'a wrong quote');
      return { outcome: 'bad_answer', peer: 'answered', detail: fault };
    }
    question.answer = {
      id: row.id,
      feeMinor: session.expected_fee_minor,
      totalMinor: session.amount_minor,
      create: { key: row.createKey, body: row.createBody },
    };
    return { outcome: 'quoted', peer: 'answered' };
  }

  async function keep(id: string, session: OfflineSession): Promise<void> {
    try {
      await quotes.answer(id, JSON.stringify(session), clock.now());
    } catch (fault) {
      log.warn({ quote: id, fault: messageOf(fault) }, 'the answer of a quote was not kept');
    }
  }

  /** Begins a call, unless something speaks against asking now. */
  function begin(question: Question): Promise<Came> | QuoteOutcome {
    const key = deps.keyOf(question.request.merchantId);
    if (key === undefined) return 'refused';
    const closed = gate.admit(question.request);
    if (closed) return closed;
    question.underWay = track(send(question, key));
    return question.underWay;
  }

  /** `undefined` when nothing came within the budget. */
  function within(budgetMs: number, underWay: Promise<Came>): Promise<Came | undefined> {
    return withTimeout(networkClock, budgetMs, () => underWay).catch(() => undefined);
  }

  function tell({ row, request }: Question, outcome: QuoteOutcome, ms: number, detail?: string): void {
    const line = { quote: row.id, merchant: request.merchantId, outcome, detail, ms };
    if (isQuiet[outcome]) log.debug(line, 'asked for a quote');
    else log.warn(line, 'a screen is shown without its fee');
    deps.onDone?.(request.merchantId, outcome, ms);
  }

  return {
    /**
     * Asks what would be taken from the payer. Never throws and never takes longer than `budgetMs`. The call goes on
     * after that, and its answer serves whoever asks the same in the same dialogue again.
     */
    async ask(request: QuoteRequest, budgetMs: number): Promise<AnsweredQuote | undefined> {
      if (isClosed) return undefined;
      const question = questionOf(request);
      if (question.answer !== undefined || budgetMs <= 0) return question.answer ?? undefined;
      if (question.underWay) {
        await within(budgetMs, question.underWay);
        return question.answer ?? undefined;
      }
      const startedAt = networkClock.now();
      const begun = begin(question);
      if (typeof begun === 'string') {
        tell(question, begun, 0);
        return undefined;
      }
      const came = await within(budgetMs, begun);
      const endedAt = networkClock.now();
      gate.judged(request.merchantId, came?.peer, budgetMs);
      tell(question, came?.outcome ?? 'timeout', Math.max(0, endedAt - startedAt), came?.detail);
      return question.answer ?? undefined;
    },
    /**
     * The call that a quote came from, for the moment of the yes; `undefined` when there is none that is still of use.
     * The collection then makes a call of its own, and is held to the total that the screen named.
     */
    async find(id: string): Promise<AnsweredQuote['create'] | undefined> {
      const row = await quotes.find(id);
      return row && isUseful(row) ? { key: row.createKey, body: row.createBody } : undefined;
    },
    /** Asks no more, and waits a little for what is under way, so that its answers are kept. */
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
