import { and, isNull, lt, sql } from 'drizzle-orm';
import type { Clock, EpochMs } from '../../../shared/clock.ts';
import type { Ids } from '../../../shared/ids.ts';
import { createLruMap } from '../../../shared/limits/per-key.ts';
import {
  build,
  equals,
  insertRow,
  parameter,
  prepareQuery,
  prepareWrite,
} from '../../../sqlite/statement.ts';
import type { Store } from '../../../sqlite/store.ts';
import { quote } from '../../database/schema.ts';
import type { PeriodicJob } from '../../worker/queue.ts';
import { type CreateCall, callKey, toCreateBody } from '../opening/create-call.ts';
import type { QuoteOrigin } from './quote-gate.ts';

export type QuoteRow = typeof quote.$inferSelect;

const { placeholder } = sql;

const insertQuote = insertRow(quote);

/** The service answers a repeated call with the same session, so the first answer stays. */
const answerQuote = prepareWrite<{ id: string; session: string; answeredAt: EpochMs }>(
  build
    .update(quote)
    .set({ session: parameter('session'), answeredAt: parameter('answeredAt') })
    .where(and(equals(quote, 'id'), isNull(quote.session))),
);

const pruneQuotes = prepareWrite<{ before: EpochMs; limit: number }>(
  build.delete(quote).where(
    sql`${quote.id} IN (SELECT ${quote.id} FROM ${quote} WHERE ${lt(quote.requestedAt, placeholder('before'))}
        ORDER BY ${quote.requestedAt} LIMIT ${placeholder('limit')})`,
  ),
);

export type QuoteStore = ReturnType<typeof quoteStore>;

const byId = prepareQuery(build.select().from(quote).where(equals(quote, 'id')));

const earliest = prepareQuery(
  build.select({ at: sql<EpochMs | null>`min(${quote.requestedAt})` }).from(quote),
);

/** Reads and writes quotes: create calls that were sent before the payer confirmed. */
export function quoteStore(store: Store) {
  return {
    find: (id: string): Promise<QuoteRow | undefined> => byId.get(store, { id }),
    /** Resolves when the row is durable. Its call must not be sent earlier. */
    insert: (row: QuoteRow): Promise<boolean> => store.apply([insertQuote(row)]),
    answer: (id: string, session: string, answeredAt: EpochMs): Promise<boolean> =>
      store.apply([answerQuote({ id, session, answeredAt })]),
    /** Deletes at most `limit` quotes that were requested earlier than `before`, the oldest first. */
    prune: (before: EpochMs, limit: number): Promise<boolean> =>
      store.apply([pruneQuotes({ before, limit })]),
    /** Returns when the oldest quote was requested; null when there is none. */
    async oldest(): Promise<EpochMs | null> {
      return (await earliest.get(store))?.at ?? null;
    },
  };
}

/** Age at which a quote is deleted. No dialogue lasts as long, and a collection has its own copy of the request. */
const lifeMs = 24 * 3_600_000;

/** Quotes deleted in one run. */
const batchSize = 1_000;

/** Returns the job that deletes old quotes. */
export function quotePruneJob(quotes: QuoteStore, everyMs: number): PeriodicJob {
  return {
    name: 'quotes',
    everyMs,
    async run(now) {
      const before = now - lifeMs;
      await quotes.prune(before, batchSize);
      const oldest = await quotes.oldest();
      return oldest !== null && oldest < before ? 'more' : 'done';
    },
  };
}

export type QuoteCall = CreateCall & QuoteOrigin;

export type AnsweredQuote = {
  id: string;
  feeMinor: number;
  /** Price and fee. */
  totalMinor: number;
  /** The create call of the quote. A collection that is opened on the quote sends the same call. */
  create: { key: string; body: string };
};

/** One quote of a dialogue. Every attempt sends the same bytes under the same key. */
export type CachedQuote<CallResult> = {
  readonly request: QuoteCall;
  readonly row: QuoteRow;
  isDurable: boolean;
  /** Null when the service's answer is unusable, which another attempt would not change. */
  answer?: AnsweredQuote | null;
  /** True when the service rejected the payment itself. */
  isRejected?: boolean;
  inFlight?: Promise<CallResult>;
};

const maxQuotes = 10_000;
/**
 * Maximum age of a quote when it is used. The service expires a session that is not initiated (observed: after 30
 * minutes), and the prompt may wait until its deadline after the confirmation.
 */
const usableMs = 10 * 60_000;

/** Remembers the quotes of current dialogues, the oldest first, at most 10,000. */
export function createQuoteCache<CallResult>(clock: Pick<Clock, 'now'>, ids: Ids) {
  const quotes = createLruMap<CachedQuote<CallResult>>(maxQuotes);

  function isUsable({ requestedAt }: QuoteRow): boolean {
    return clock.now() < requestedAt + usableMs;
  }

  return {
    isUsable,
    /** Returns the usable quote of the same request in the same dialogue, or a new one. */
    findOrCreate(request: QuoteCall): CachedQuote<CallResult> {
      const { merchantId, livemode, dialogueId, payer, network, goodsMinor, reference } = request;
      const key = JSON.stringify([merchantId, livemode, dialogueId, payer, network, goodsMinor, reference]);
      const known = quotes.peek(key);
      if (known && isUsable(known.row)) return known;
      const id = ids.next('quo');
      const row: QuoteRow = {
        ...{ id, merchantId, livemode, dialogueId },
        createKey: callKey(ids, 'quote'),
        createBody: toCreateBody(request),
        requestedAt: clock.now(),
        session: null,
        answeredAt: null,
      };
      const created: CachedQuote<CallResult> = { request, row, isDurable: false };
      quotes.set(key, created);
      return created;
    },
  };
}
