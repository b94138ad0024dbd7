import { and, isNull, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
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
