import { and, desc, gte, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { collection } from '../database/schema.ts';
import type { Scope } from './scope.ts';
import { isInScope } from './scope-query.ts';

/** The newest collections: those that were opened at `from` or later, and the number of the older ones. */
export type Newest = { from: EpochMs; older: number };

/** Returns since when the newest `count` collections were opened, so that the cost of a search does not grow with the ledger. */
export async function findNewest(store: Store, count: number): Promise<Newest> {
  const [first] = await store.read
    .select({ at: collection.openedAt })
    .from(collection)
    .orderBy(desc(collection.openedAt))
    .limit(1)
    .offset(count - 1);
  return { from: first?.at ?? 0, older: await countOlder(store, count) };
}

/** No collection is ever deleted, so the highest row id is their number: counting would read an index of all of them. */
async function countOlder({ read }: Store, count: number): Promise<number> {
  const [newest] = await read.select({ row: sql<number | null>`max(${collection}.rowid)` }).from(collection);
  return Math.max(0, (newest?.row ?? 0) - count);
}

/** A range of opening times: `from` is included, `before` is not. */
export type OpenedRange = { from?: EpochMs | undefined; before?: EpochMs | undefined };

/**
 * Returns since when the newest `count` collections of a scope and a range were opened, and how many older ones of both there
 * are. The number is counted in an index, so that it says nothing about collections outside of the scope.
 */
export async function findNewestInScope(
  { read }: Store,
  count: number,
  scope: Scope,
  { from = 0, before }: OpenedRange = {},
): Promise<Newest> {
  const isInRange = (start: EpochMs, end: EpochMs | undefined) =>
    and(
      isInScope(scope, { isTested: false }),
      gte(collection.openedAt, start),
      end === undefined ? undefined : lt(collection.openedAt, end),
    );
  const [first] = await read
    .select({ at: collection.openedAt })
    .from(collection)
    .where(isInRange(from, before))
    .orderBy(desc(collection.openedAt))
    .limit(1)
    .offset(count - 1);
  if (!first) return { from, older: 0 };
  const [all] = await read
    .select({ older: sql<number>`count(*)` })
    .from(collection)
    .where(isInRange(from, first.at));
  return { from: first.at, older: all?.older ?? 0 };
}
