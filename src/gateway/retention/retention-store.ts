import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, insertRow, prepareQuery } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { digestTurn } from '../ledger/chain.ts';
import { collection, deletedTurn, type horizon, inbox, turn } from '../schema.ts';

const { placeholder } = sql;

/** A collection with work left (open, or an unconfirmed payment), or one in review. */
const isUnresolved = sql`(${collection.nextAt} IS NOT NULL OR ${collection.review} IS NOT NULL)`;

/** The blocks that sealed a deleted turn stay verifiable. */
const keepDigest = insertRow(deletedTurn);

export type RetentionStore = ReturnType<typeof retentionStore>;

const belongsToUnresolved = sql`EXISTS (SELECT 1 FROM ${turn} AS one JOIN ${collection}
  ON ${collection.dialogueId} = one.dialogue_id OR ${collection.id} = one.collection_id
  WHERE one.dialogue_id = ${turn.dialogueId} AND ${isUnresolved})`;

const hasYoungerTurn = sql`EXISTS (SELECT 1 FROM ${turn} AS one
  WHERE one.dialogue_id = ${turn.dialogueId} AND one.at >= ${placeholder('before')})`;

const oldDialogues = prepareQuery(
  build
    // The plus keeps SQLite from using the index on dialogues, which would read every turn to avoid a sort.
    .selectDistinct({ id: sql<string>`+${turn.dialogueId}` })
    .from(turn)
    .where(
      and(lt(turn.at, placeholder('before')), sql`NOT ${belongsToUnresolved}`, sql`NOT ${hasYoungerTurn}`),
    )
    .limit(placeholder('limit')),
);

const oldBodies = prepareQuery(
  build
    .select({ merchantId: inbox.merchantId, eventId: inbox.eventId })
    .from(inbox)
    .where(
      and(
        // Must match the condition of the partial index.
        sql`${inbox.body} <> '' AND ${inbox.state} IN ('handled', 'hint')`,
        lt(inbox.receivedAt, placeholder('before')),
        sql`NOT EXISTS (SELECT 1 FROM ${collection} WHERE ${eq(collection.sessionId, inbox.sessionId)} AND ${isUnresolved})`,
      ),
    )
    .limit(placeholder('limit')),
);

/**
 * Returns the deletions of retention. Triggers of the database reject the deletion of rows that are younger than the
 * horizon or belong to an unresolved collection.
 */
export function retentionStore(store: Store) {
  return {
    /** Deletes up to `limit` dialogues whose last turn is before `before`. Returns their number. */
    async deleteDialogues(before: EpochMs, limit: number): Promise<number> {
      const ids = (await oldDialogues.all(store, { before, limit })).map(({ id }) => id);
      if (ids.length === 0) return 0;
      const isOld = inArray(turn.dialogueId, ids);
      const digests = (await store.read.select().from(turn).where(isOld)).map(digestTurn);
      const { sql: text, params } = store.read.delete(turn).where(isOld).toSQL();
      const deletion = { sql: text, args: params as string[], rows: digests.length };
      const isDeleted = await store.apply([
        moveHorizon('dialogues', before),
        ...digests.map(keepDigest),
        deletion,
      ]);
      return isDeleted ? ids.length : 0;
    },
    /** Empties up to `limit` bodies of handled events received before `before`. The rows stay. Returns their number. */
    async emptyBodies(before: EpochMs, limit: number): Promise<number> {
      const events = await oldBodies.all(store, { before, limit });
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

/** Advances the horizon. It never moves back. */
function moveHorizon(name: (typeof horizon.$inferSelect)['name'], at: EpochMs): Write {
  return {
    sql: 'INSERT INTO horizon (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = max(horizon.at, excluded.at)',
    args: [name, at],
  };
}
