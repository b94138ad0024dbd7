import { desc, sql } from 'drizzle-orm';
import { z } from 'zod';
import { eventTypes } from '../../contract/event.ts';
import { eventEnvelope } from '../../contract/reading.ts';
import type { Store } from '../../sqlite/store.ts';
import { inbox, unmatchedStates } from '../schema.ts';
import type { EventRow } from './collection-query.ts';

/** An event without a collection, and the money that it reports. */
export type UnmatchedEvent = EventRow & {
  /** The amount charged to the payer, in pesewas; null when the event states none. */
  amountMinor: number | null;
  /** The time of the payment as the service wrote it. */
  paidAt: string | null;
};

/** The maximum number of events in a result. */
const maxListed = 100;

/**
 * Returns the events that no collection explains, newest first: parked, because their payment session is unknown, or
 * dead-lettered. A partial index holds only these events.
 */
export async function findUnmatched({ read }: Store): Promise<UnmatchedEvent[]> {
  const rows = await read
    .select()
    .from(inbox)
    .where(sql`${inbox.state} IN ${unmatchedStates}`)
    .orderBy(desc(inbox.receivedAt))
    .limit(maxListed);
  return rows.map((row) => ({ ...row, ...statedMoney(row) }));
}

/** Returns the amount and time that the event states. The gateway has not verified them. */
function statedMoney({ type, body }: EventRow): Pick<UnmatchedEvent, 'amountMinor' | 'paidAt'> {
  const data = dataOf(body);
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
function dataOf(body: string): Record<string, unknown> {
  try {
    return eventEnvelope.parse(JSON.parse(body)).data;
  } catch {
    return {};
  }
}
