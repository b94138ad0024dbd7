import { existsSync } from 'node:fs';
import { z } from 'zod';
import { eventPage } from '../../../contract/service/event.ts';
import { UserError } from '../../../shared/errors.ts';
import { readPrivately, replacePrivately } from '../../../sqlite/private-file.ts';
import type { MerchantApi } from './merchant-api.ts';

/**
 * How far the events were forwarded, and the secret that signs them. Identifiers ascend with time, but an event can be
 * committed shortly after a later one: those of the last minute are kept one by one.
 */
const cursor = z.object({
  /** Every event up to this identifier was forwarded, or is older than the first start. */
  after: z.string(),
  /** Later events that were forwarded. */
  recent: z.array(z.object({ id: z.string(), createdAt: z.number() })).max(1_000),
  secret: z.string(),
});
export type Cursor = z.infer<typeof cursor>;

const recentMs = 60_000;
const maxRecent = 1_000;

/** @throws UserError if the file is not readable. */
export function readCursor(file: string): Cursor | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return cursor.parse(JSON.parse(readPrivately(file)));
  } catch (cause) {
    throw new UserError(`cannot read ${file}. Remove it to forward the events from now on.`, { cause });
  }
}

export function saveCursor(file: string, value: Cursor): void {
  replacePrivately(file, `${JSON.stringify(value)}\n`);
}

/** Returns the cursor after an event was forwarded. */
export function afterEvent(value: Cursor, event: { id: string; createdAt: number }): Cursor {
  const recent = [...value.recent, event].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const newest = Math.max(...recent.map(({ createdAt }) => createdAt));
  let { after } = value;
  while (recent.length > maxRecent || (recent[0]?.createdAt ?? newest) < newest - recentMs) {
    after = recent.shift()?.id ?? after;
  }
  return { ...value, after, recent };
}

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
