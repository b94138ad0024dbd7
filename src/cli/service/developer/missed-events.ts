import { eventPage } from '../../../contract/event.ts';
import { UserError } from '../../../shared/errors.ts';
import type { Cursor } from './cursor-file.ts';
import type { MerchantApi } from './merchant-api.ts';

export type EventHead = { id: string; type: string; sessionId: string; createdAt: number };

const pageSize = '100';
const maxPages = 100;

/** Returns the newest event's identifier; an empty text if there is none. */
export async function newestEvent(api: MerchantApi): Promise<string> {
  const { data } = await api.get('/v1/events', eventPage, { limit: '1' });
  return data[0]?.id ?? '';
}

/**
 * Returns the events that were not forwarded yet, oldest first.
 *
 * @throws UserError if they are more than 10,000.
 */
export async function missedEvents(api: MerchantApi, { after, recent }: Cursor): Promise<EventHead[]> {
  const forwarded = new Set(recent.map(({ id }) => id));
  const missed: EventHead[] = [];
  let next: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await api.get('/v1/events', eventPage, { limit: pageSize, cursor: next });
    for (const { id, type, created_at, data } of page.data) {
      if (id <= after) return missed.reverse();
      if (forwarded.has(id)) continue;
      missed.push({ id, type, sessionId: data.id, createdAt: Date.parse(created_at ?? '') || 0 });
    }
    if (!page.next_cursor) return missed.reverse();
    next = page.next_cursor;
  }
  throw new UserError(
    'more than 10,000 events were missed. Remove the cursor file to forward the events from now on.',
  );
}
