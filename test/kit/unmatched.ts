import { listUnmatched, type UnmatchedEvent } from '../../src/gateway/support/unmatched-query.ts';
import type { Store } from '../../src/sqlite/store.ts';

/** Returns the newest events that no collection explains. */
export async function unmatchedIn(store: Store): Promise<UnmatchedEvent[]> {
  const page = await listUnmatched(store, { limit: 100 });
  if (page === 'unknown_cursor') throw new Error('the first page has no cursor');
  return page.data;
}
