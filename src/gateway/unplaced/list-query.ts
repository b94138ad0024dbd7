import { and, desc, eq, gte, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { findMsisdn, maskNumbers, parseMsisdn } from '../../shared/msisdn.ts';
import { normalizeTyped } from '../../shared/typed-text.ts';
import type { Store } from '../../sqlite/store.ts';
import { isUnplacedOpen, unplacedPayment } from '../database/schema.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import type { UnplacedPayment, UnplacedState } from './unplaced.ts';

/** An event can arrive this long before its session is known, after a lost create response or a restart. */
const minAgeMs = 15 * 60_000;

/** Open unplaced payments of one merchant, and what of them is in suspense. */
type UnplacedSum = { merchantId: string; count: number; suspendedMinor: number };

/**
 * Sums the unplaced payments that wait for a decision, by merchant. Payments of the last 15 minutes are left out. A partial
 * index holds only open payments.
 */
export function sumUnplaced({ read }: Store, now: EpochMs): Promise<UnplacedSum[]> {
  return read
    .select({
      merchantId: unplacedPayment.merchantId,
      count: sql<number>`count(*)`,
      suspendedMinor: sql<number>`sum(${unplacedPayment.suspendedMinor})`,
    })
    .from(unplacedPayment)
    .where(and(isUnplacedOpen, lte(unplacedPayment.receivedAt, now - minAgeMs)))
    .groupBy(unplacedPayment.merchantId);
}

/** Sums all open unplaced payments, also those of the last minutes, by merchant and mode, with the time of the oldest. */
export function sumAllUnplaced({ read }: Store) {
  return read
    .select({
      merchantId: unplacedPayment.merchantId,
      livemode: unplacedPayment.livemode,
      count: sql<number>`count(*)`,
      suspendedMinor: sql<number>`sum(${unplacedPayment.suspendedMinor})`,
      oldestAt: sql<number>`min(${unplacedPayment.receivedAt})`,
    })
    .from(unplacedPayment)
    .where(isUnplacedOpen)
    .groupBy(unplacedPayment.merchantId, unplacedPayment.livemode);
}

const dayMs = 24 * 60 * 60_000;

/** Returns the job that raises an alarm each day for each merchant with unplaced payments that wait for a decision. */
export function unplacedAlarmJob(sumOpen: () => Promise<UnplacedSum[]>, log: Log): PeriodicJob {
  return {
    name: 'unplaced',
    everyMs: dayMs,
    async run() {
      for (const { merchantId: merchant, count, suspendedMinor } of await sumOpen()) {
        log.error(
          { alarm: 'unplaced_payments', merchant, count, suspendedMinor, see: 'docs/support.md' },
          'payments that no collection explains are in suspense: run dialtill unplaced list',
        );
      }
      return 'done';
    },
  };
}

export type UnplacedFilter = {
  state?: UnplacedState | undefined;
  merchantId?: string | undefined;
  livemode?: number | undefined;
};

/** The part of a list to return: at most `limit` payments, after the one with the id `after`. */
export type UnplacedPageRequest = { limit: number; after?: string | undefined };

export type UnplacedPage = {
  data: UnplacedPayment[];
  total: number;
  /** The sum of what is in suspense, of all payments of the list. */
  suspendedMinor: number;
  /** The id of the last payment; null on the last page. */
  next: string | null;
};

/** Lists unplaced payments, newest first. */
export function listUnplaced(
  store: Store,
  { state, merchantId, livemode }: UnplacedFilter,
  page: UnplacedPageRequest,
): Promise<UnplacedPage | 'unknown_cursor'> {
  // The partial index holds for conditions that repeat its literal text.
  const inState = state === 'open' ? sql`${isUnplacedOpen}` : state && eq(unplacedPayment.state, state);
  const ofMerchant = merchantId === undefined ? undefined : eq(unplacedPayment.merchantId, merchantId);
  const inMode = livemode === undefined ? undefined : eq(unplacedPayment.livemode, livemode);
  return readUnplacedPage(store, and(inState, ofMerchant, inMode), page);
}

/**
 * Finds unplaced payments by their id, payment session or first event, or the start of one of the first two; by the phone of
 * the payer; or by the reference that the event states.
 */
export function findUnplaced(
  store: Store,
  term: string,
  page: UnplacedPageRequest,
): Promise<UnplacedPage | 'unknown_cursor'> {
  return readUnplacedPage(store, isNamedUnplaced(term), page);
}

/** Returns the condition that a term names an unplaced payment; with `lastFour`, by no phone number, and by no text that contains one. */
export function isNamedUnplaced(typed: string, { lastFour = false } = {}): SQL | undefined {
  const term = normalizeTyped(typed);
  const msisdn = lastFour ? undefined : (parseMsisdn(term) ?? findMsisdn(term));
  const isWhole = !lastFour || maskNumbers(term) === term;
  const starts = /^(?:unp|pay)_[\w-]{8,}$/i.test(term);
  return or(
    eq(unplacedPayment.id, term),
    eq(unplacedPayment.sessionId, term),
    eq(unplacedPayment.eventId, term),
    isWhole ? eq(unplacedPayment.reference, term) : undefined,
    isWhole ? eq(unplacedPayment.clientTransId, term) : undefined,
    msisdn ? eq(unplacedPayment.payer, msisdn) : undefined,
    starts ? startsWith(unplacedPayment.id, term.toLowerCase()) : undefined,
    starts ? startsWith(unplacedPayment.sessionId, term) : undefined,
  );
}

/** A range of the column's case-sensitive index. */
function startsWith(
  column: typeof unplacedPayment.id | typeof unplacedPayment.sessionId,
  start: string,
): SQL | undefined {
  return and(gte(column, start), lt(column, `${start}\u{10ffff}`));
}

/** Reads a page of the selected unplaced payments, newest first, with the count and the sum of all of them. */
export async function readUnplacedPage(
  { read }: Store,
  where: SQL | undefined,
  { limit, after }: UnplacedPageRequest,
): Promise<UnplacedPage | 'unknown_cursor'> {
  let isAfter: SQL | undefined;
  if (after !== undefined) {
    const [last] = await read
      .select({ receivedAt: unplacedPayment.receivedAt })
      .from(unplacedPayment)
      .where(eq(unplacedPayment.id, after));
    if (!last) return 'unknown_cursor';
    isAfter = sql`(${unplacedPayment.receivedAt}, ${unplacedPayment.id}) < (${last.receivedAt}, ${after})`;
  }
  const [all] = await read
    .select({
      total: sql<number>`count(*)`,
      suspendedMinor: sql<number>`coalesce(sum(${unplacedPayment.suspendedMinor}), 0)`,
    })
    .from(unplacedPayment)
    .where(where);
  const rows = (await read
    .select()
    .from(unplacedPayment)
    .where(and(where, isAfter))
    .orderBy(desc(unplacedPayment.receivedAt), desc(unplacedPayment.id))
    .limit(limit + 1)) as UnplacedPayment[];
  const data = rows.slice(0, limit);
  return {
    data,
    total: all?.total ?? 0,
    suspendedMinor: all?.suspendedMinor ?? 0,
    next: rows.length > limit ? (data.at(-1)?.id ?? null) : null,
  };
}
