import { listUnplacedEvents, type UnplacedEvent } from '../../src/gateway/support/unplaced-events-query.ts';
import type { Store } from '../../src/sqlite/store.ts';

/** Returns the newest events that no collection explains. */
export async function unplacedEventsIn(store: Store): Promise<UnplacedEvent[]> {
  const page = await listUnplacedEvents(store, { limit: 100 });
  if (page === 'unknown_cursor') throw new Error('the first page has no cursor');
  return page.data;
}
