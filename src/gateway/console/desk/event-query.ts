import { and, eq } from 'drizzle-orm';
import type { Store } from '../../../sqlite/store.ts';
import { inbox } from '../../database/schema.ts';
import type { EventRow } from '../../support/collection-query.ts';

export type EventKey = Pick<EventRow, 'merchantId' | 'eventId'> & { livemode: 0 | 1 };

/** Finds an event that could not be handled, by its key. Other events are not found. */
export async function findDeadEvent(
  { read }: Store,
  { merchantId, eventId, livemode }: EventKey,
): Promise<EventRow | undefined> {
  const [row] = await read
    .select()
    .from(inbox)
    .where(and(eq(inbox.merchantId, merchantId), eq(inbox.eventId, eventId)));
  return row?.state === 'dead' && row.livemode === livemode ? row : undefined;
}
