import { desc, sql } from 'drizzle-orm';
import { z } from 'zod';
import { eventTypes } from '../../contract/event.ts';
import { eventEnvelope } from '../../contract/reading.ts';
import type { Store } from '../../sqlite/store.ts';
import { inbox, unmatchedStates } from '../schema.ts';
import type { EventRow } from './collection-query.ts';

/** An event without a collection, and what it says of money. */
export type UnmatchedEvent = EventRow & {
  /** What was taken from the payer, in pesewas; null where the event tells of no money, or not how much. */
  amountMinor: number | null;
  /** The service's own statement, verbatim. */
  paidAt: string | null;
};

/** Events that a list holds at most. */
const maxListed = 100;

/**
 * Events that no collection answers for: parked because their session is not known here (another channel's, or money
 * that nobody can place), or set aside after too many tries. The newest come first, by an index of these alone.
 */
export async function findUnmatched({ read }: Store): Promise<UnmatchedEvent[]> {
  const rows = await read
    .select()
    .from(inbox)
    .where(sql`${inbox.state} IN ${unmatchedStates}`)
    .orderBy(desc(inbox.receivedAt))
    .limit(maxListed);
  return rows.map((row) => ({ ...row, ...moneyIn(row) }));
}

/** What the service says was taken: nothing more is known of the event, and nobody here has checked it. */
function moneyIn({ type, body }: EventRow): Pick<UnmatchedEvent, 'amountMinor' | 'paidAt'> {
  const data = dataOf(body);
  const amount = z.int().nonnegative().safeParse(statedIn(type, data));
  const paidAt = z.string().safeParse(data.paid_at);
  return { amountMinor: amount.data ?? null, paidAt: paidAt.data ?? null };
}

function statedIn(type: string, data: Record<string, unknown>): unknown {
  if (type === eventTypes.paid) return data.amount_minor;
  // Beside what was taken stands the quote.
  return type === eventTypes.reviewAmountMismatch ? (data.paid_minor ?? data.amount_minor) : undefined;
}

/** An event that cannot be read is listed all the same: that may be why it was set aside. */
function dataOf(body: string): Record<string, unknown> {
  try {
    return eventEnvelope.parse(JSON.parse(body)).data;
  } catch {
    return {};
  }
}
