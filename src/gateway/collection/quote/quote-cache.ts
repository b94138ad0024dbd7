import type { Clock } from '../../../shared/clock.ts';
import type { Ids } from '../../../shared/ids.ts';
import { createLruMap } from '../../../shared/limits/per-key.ts';
import { type CreateCall, callKey, toCreateBody } from '../opening/create-call.ts';
import type { QuoteOrigin } from './quote-gate.ts';
import type { QuoteRow } from './quote-store.ts';

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
