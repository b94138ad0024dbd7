import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { collection, type horizon, inbox, openStatuses, turn } from '../schema.ts';

const { placeholder } = sql;

/** Somebody may still need what belongs to such a collection. */
const isNeeded = sql`(${collection.status} IN ${openStatuses} OR ${collection.review} IS NOT NULL)`;

export type RetentionStore = ReturnType<typeof retentionStore>;

/** What is old enough to go. The database itself refuses whatever lies beyond the horizon or is still needed. */
export function retentionStore(store: Store) {
  const isOfNeeded = sql`EXISTS (SELECT 1 FROM ${turn} AS one JOIN ${collection}
    ON ${collection.dialogueId} = one.dialogue_id OR ${collection.id} = one.collection_id
    WHERE one.dialogue_id = ${turn.dialogueId} AND ${isNeeded})`;
  const goesOn = sql`EXISTS (SELECT 1 FROM ${turn} AS one
    WHERE one.dialogue_id = ${turn.dialogueId} AND one.at >= ${placeholder('before')})`;
  const oldDialogues = store.read
    // Behind a plus: an index in the order of dialogues would spare the sorting, and read every turn there is.
    .selectDistinct({ id: sql<string>`+${turn.dialogueId}` })
    .from(turn)
    .where(and(lt(turn.at, placeholder('before')), sql`NOT ${isOfNeeded}`, sql`NOT ${goesOn}`))
    .limit(placeholder('limit'))
    .prepare();
  const oldBodies = store.read
    .select({ merchantId: inbox.merchantId, eventId: inbox.eventId })
    .from(inbox)
    .where(
      and(
        // As the partial index has it.
        sql`${inbox.body} <> '' AND ${inbox.state} IN ('handled', 'hint')`,
        lt(inbox.receivedAt, placeholder('before')),
        sql`NOT EXISTS (SELECT 1 FROM ${collection} WHERE ${eq(collection.sessionId, inbox.sessionId)} AND ${isNeeded})`,
      ),
    )
    .limit(placeholder('limit'))
    .prepare();

  return {
    /** Deletes dialogues whose last turn is older, whole. Returns how many, at most `limit`. */
    async deleteDialogues(before: EpochMs, limit: number): Promise<number> {
      const ids = (await oldDialogues.all({ before, limit })).map(({ id }) => id);
      if (ids.length === 0) return 0;
      const { sql: text, params } = store.read.delete(turn).where(inArray(turn.dialogueId, ids)).toSQL();
      await store.apply([moveHorizon('dialogues', before), { sql: text, args: params as string[] }]);
      return ids.length;
    },
    /** Empties the bodies of events that were handled and are older; the rest of their rows stays for ever. */
    async emptyBodies(before: EpochMs, limit: number): Promise<number> {
      const events = await oldBodies.all({ before, limit });
      if (events.length === 0) return 0;
      const empty = events.map(
        ({ merchantId, eventId }): Write => ({
          sql: `UPDATE inbox SET body = '' WHERE merchant_id = ? AND event_id = ?`,
          args: [merchantId, eventId],
        }),
      );
      await store.apply([moveHorizon('inbox', before), ...empty]);
      return events.length;
    },
  };
}

/** Forward, or not at all. */
function moveHorizon(name: (typeof horizon.$inferSelect)['name'], at: EpochMs): Write {
  return {
    sql: 'INSERT INTO horizon (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = max(at, excluded.at)',
    args: [name, at],
  };
}
