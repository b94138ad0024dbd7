import { eq } from 'drizzle-orm';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection } from '../database/schema.ts';

/** Returns one collection; `undefined` when there is none with this id or payment session. */
export async function findCollection(
  { read }: Store,
  by: { id: string } | { sessionId: string },
): Promise<CollectionRow | undefined> {
  const isWanted = 'id' in by ? eq(collection.id, by.id) : eq(collection.sessionId, by.sessionId);
  const [found] = (await read.select().from(collection).where(isWanted).limit(1)) as CollectionRow[];
  return found;
}
