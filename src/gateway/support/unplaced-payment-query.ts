import { and, desc, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { eventTypes } from '../../contract/service/event.ts';
import { eventEnvelope } from '../../contract/service/reading.ts';
import { unreachable } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import type { Store } from '../../sqlite/store.ts';
import { inbox, unplacedEventStates, unplacedPayment } from '../database/schema.ts';
import type { ChainedFact } from '../ledger/chain.ts';
import { type RecordedUnplacedFact, readUnplacedFact, type UnplacedGrounds } from '../unplaced/fact.ts';
import {
  isNamedUnplaced,
  listUnplaced,
  readUnplacedPage,
  type UnplacedPage,
  type UnplacedPageRequest,
} from '../unplaced/list-query.ts';
import type { EventRow } from './collection-query.ts';
import type { Page, PageRequest, Scope, UnknownCursor } from './page.ts';
import { containsShown, readSearchTerm, type SearchTerm } from './search-term.ts';
import { describeCurrencyAmount } from './timeline.ts';

/** The newest unplaced payments in which amounts, last digits and parts of references are searched. */
const maxScanned = 5_000;

export type UnplacedRequest = UnplacedPageRequest & {
  livemode: 0 | 1;
  /** The search term, for payments in every state; without it, the open ones are listed. */
  term?: string | undefined;
} & Pick<Scope, 'lastFour'>;

/** Lists the unplaced payments that wait, or those that a search finds, newest first. */
export async function searchUnplaced(
  store: Store,
  { livemode, term, lastFour = false, ...page }: UnplacedRequest,
): Promise<UnplacedPage | 'unknown_cursor'> {
  if (term === undefined) return listUnplaced(store, { state: 'open', livemode }, page);
  const scanned = await conditionsOfScan(store, readSearchTerm(term, { lastFour }));
  const isFound = or(
    isNamedUnplaced(term, { lastFour }),
    scanned.length === 0 ? undefined : isScanned(scanned),
  );
  return readUnplacedPage(store, and(eq(unplacedPayment.livemode, livemode), isFound), page);
}

/** No index has these properties. There is far less unplaced money than payments. */
const newestUnplaced = sql`(
    SELECT id, amount_minor, payer, reference FROM ${unplacedPayment} ORDER BY received_at DESC LIMIT ${maxScanned}
  ) AS newest`;

function isScanned(conditions: readonly SQL[]): SQL {
  return sql`${unplacedPayment.id} IN (SELECT id FROM ${newestUnplaced} WHERE ${sql.join([...conditions], sql` OR `)})`;
}

async function conditionsOfScan(
  store: Store,
  { amountMinor, lastDigits, isPart, isMasked, words }: SearchTerm,
): Promise<SQL[]> {
  const isReference = isPart && words.length > 0;
  return [
    ...(amountMinor === undefined ? [] : [sql`newest.amount_minor = ${amountMinor}`]),
    ...(lastDigits === undefined ? [] : [sql`newest.payer LIKE ${`%${lastDigits}`}`]),
    ...(isReference ? [isMasked ? await hasShown(store, words) : referenceContains(words)] : []),
  ];
}

function referenceContains(words: readonly string[]): SQL {
  const contains = words.map(
    (word) =>
      sql`lower(newest.reference) LIKE ${`%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`,
  );
  return sql`(${sql.join(contains, sql` AND `)})`;
}

/** Matches references that contain every word when their numbers are masked. */
async function hasShown({ read }: Store, words: readonly string[]): Promise<SQL> {
  const rows = await read
    .select({ id: unplacedPayment.id, reference: unplacedPayment.reference })
    .from(unplacedPayment)
    .where(isNotNull(unplacedPayment.reference))
    .orderBy(desc(unplacedPayment.receivedAt))
    .limit(maxScanned);
  const ids = rows.filter(({ reference }) => containsShown(reference, words)).map(({ id }) => id);
  return sql`newest.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

/** An event without a collection, and the money that it reports. */
export type UnplacedEvent = EventRow & {
  /** The amount charged to the payer, in pesewas; null when the event states none. */
  amountMinor: number | null;
  /** The time of the payment as the service wrote it. */
  paidAt: string | null;
};

/**
 * Lists the events that no collection explains, newest first: parked, because their payment session is unknown, or
 * dead-lettered. A partial index holds only these events. The cursor of an event is its merchant and its id.
 */
export async function listUnplacedEvents(
  { read }: Store,
  { limit, after }: PageRequest,
): Promise<Page<UnplacedEvent> | UnknownCursor> {
  let isAfter: SQL | undefined;
  if (after !== undefined) {
    const { merchantId, eventId } = readCursor(after);
    const [last] = await read
      .select({ receivedAt: inbox.receivedAt })
      .from(inbox)
      .where(and(eq(inbox.merchantId, merchantId), eq(inbox.eventId, eventId)));
    if (!last) return 'unknown_cursor';
    isAfter = sql`(${inbox.receivedAt}, ${inbox.eventId}, ${inbox.merchantId}) < (${last.receivedAt}, ${eventId}, ${merchantId})`;
  }
  const isUnplaced = sql`${inbox.state} IN ${unplacedEventStates}`;
  const [all] = await read.select({ total: sql<number>`count(*)` }).from(inbox).where(isUnplaced);
  const rows = await read
    .select()
    .from(inbox)
    .where(and(isUnplaced, isAfter))
    .orderBy(desc(inbox.receivedAt), desc(inbox.eventId), desc(inbox.merchantId))
    .limit(limit + 1);
  const data = rows.slice(0, limit).map((row) => ({ ...row, ...statedMoney(row) }));
  const last = data.at(-1);
  return { data, total: all?.total ?? 0, next: rows.length > limit && last ? getCursor(last) : null };
}

function getCursor({ merchantId, eventId }: EventRow): string {
  return `${merchantId}:${eventId}`;
}

/** Ids of merchants have no colon. */
function readCursor(cursor: string): Pick<EventRow, 'merchantId' | 'eventId'> {
  const end = cursor.indexOf(':');
  return { merchantId: cursor.slice(0, Math.max(end, 0)), eventId: cursor.slice(end + 1) };
}

/** Returns the amount and time that the event states. The gateway has not verified them. */
function statedMoney({ type, body }: EventRow): Pick<UnplacedEvent, 'amountMinor' | 'paidAt'> {
  const data = getData(body);
  const amount = z.int().nonnegative().safeParse(statedAmount(type, data));
  const paidAt = z.string().safeParse(data.paid_at);
  return { amountMinor: amount.data ?? null, paidAt: paidAt.data ?? null };
}

function statedAmount(type: string, data: Record<string, unknown>): unknown {
  if (type === eventTypes.paid) return data.amount_minor;
  // `amount_minor` is the quote, `paid_minor` the amount that was charged.
  return type === eventTypes.reviewAmountMismatch ? (data.paid_minor ?? data.amount_minor) : undefined;
}

/** An unreadable event is listed, too: its body may be the reason for the dead letter. */
function getData(body: string): Record<string, unknown> {
  try {
    return eventEnvelope.parse(JSON.parse(body)).data;
  } catch {
    return {};
  }
}

/** Returns the history of an unplaced payment, oldest first. */
export function unplacedHistory(rows: readonly ChainedFact[]): { at: string; text: string }[] {
  return rows.map(readUnplacedFact).map((fact) => ({
    at: new Date(fact.at).toISOString(),
    text: describe(fact),
  }));
}

function describe(fact: RecordedUnplacedFact): string {
  switch (fact.kind) {
    case 'reported':
    case 'reported_again': {
      const { eventId, eventType, chargedMinor, other } = fact.data.stated;
      const cedis = chargedMinor === null ? 'no amount stated' : formatCedis(chargedMinor);
      const amount = other ? describeCurrencyAmount(other) : cedis;
      const failed = fact.kind === 'reported' ? fact.data.failedBefore : undefined;
      const before = failed === undefined ? '' : `, after ${failed} reported a failure`;
      return `${[eventType, eventId].filter(Boolean).join(' ')}: ${amount}${before}`;
    }
    case 'placed': {
      const { collectionId, by, approvedBy, evidence } = fact.data;
      if (by === undefined) return `placed: ${collectionId} has the payment session`;
      return `matched with ${collectionId} by ${by}, approved by ${approvedBy}: ${evidence}`;
    }
    case 'returned':
      return `returned (reference ${fact.data.reference}) ${people(fact.data)}`;
    case 'refunded': {
      const { amountMinor, reference, by } = fact.data;
      return `returned by the service: ${formatCedis(amountMinor)}, reference ${reference}, by ${by}`;
    }
    case 'declared_foreign':
      return `declared foreign ${people(fact.data)}`;
    default:
      return unreachable(fact);
  }
}

function people({ by, approvedBy, evidence }: UnplacedGrounds): string {
  return `by ${by}, approved by ${approvedBy}: ${evidence}`;
}
