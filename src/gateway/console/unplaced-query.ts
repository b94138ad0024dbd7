import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Store } from '../../sqlite/store.ts';
import { staffAction } from '../database/schema.ts';
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
export async function readUnplacedTaker(store: Store, id: string): Promise<string | null> {
  return (await readAssignees(store, [id]))[id] ?? null;
}

/** Reads the last assignment of each payment, or of each unplaced one. */
export async function readAssignees(
  { read }: Store,
  ids: readonly string[],
): Promise<Record<string, string>> {
  if (ids.length === 0) return {};
  const rows = await read
    .select({ id: staffAction.subjectId, to: sql<string | null>`${staffAction.detail} ->> '$.to'` })
    .from(staffAction)
    .where(
      and(
        inArray(staffAction.subjectId, [...ids]),
        // By the index of the subject: a payment has few actions, and the trail has many assignments.
        sql`+${staffAction.action} = 'assign'`,
        eq(staffAction.result, 'done'),
      ),
    )
    .orderBy(asc(staffAction.seq));
  const last = new Map(rows.map(({ id, to }) => [id, to]));
  return Object.fromEntries([...last].flatMap(([id, to]) => (to === null ? [] : [[id, to]])));
}

/** Lists money that no payment explains, or searches it. */
export const unplacedReads = { unplaced: readUnplaced, unplacedTaker: readUnplacedTaker };
