import type { Store } from '../../sqlite/store.ts';
import { readAssignees } from '../support/action-query.ts';
import { searchUnplaced, type UnplacedRequest } from '../support/unplaced-search-query.ts';

/** Reads a page of unplaced money, and who has taken it. */
async function readUnplaced(store: Store, request: UnplacedRequest) {
  const found = await searchUnplaced(store, request);
  if (found === 'unknown_cursor') return found;
  return {
    ...found,
    takenBy: await readAssignees(
      store,
      found.data.map(({ id }) => id),
    ),
  };
}

/** Reads who has taken one piece of unplaced money; null for no one. */
async function readUnplacedTaker(store: Store, id: string): Promise<string | null> {
  return (await readAssignees(store, [id]))[id] ?? null;
}

/** Lists money that no payment explains, or searches it. */
export const unplacedReads = { unplaced: readUnplaced, unplacedTaker: readUnplacedTaker };
