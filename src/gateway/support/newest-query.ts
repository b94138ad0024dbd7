import { desc, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { collection } from '../schema.ts';

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
