import { and, eq, lt, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, insertRow, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { collection, deletedTurn, hasJob, inbox, turn } from '../database/schema.ts';
import { digestTurn } from '../ledger/chain.ts';
import { moveHorizon } from './last-backup-store.ts';

const { placeholder } = sql;

/** A collection with work left (open, or an unconfirmed payment), or one in review. */
const isUnresolved = sql`(${hasJob} OR ${collection.review} IS NOT NULL)`;

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

const isOfDialogues = sql`${turn.dialogueId} IN (SELECT value FROM json_each(${placeholder('ids')}))`;

const turnsQuery = prepareQuery(build.select().from(turn).where(isOfDialogues));

const deleteTurns = prepareWrite<{ ids: string }>(build.delete(turn).where(isOfDialogues));

/** The digests of the answers stay in the first facts of the collections. */
const deleteAnswers = prepareWrite<{ ids: string }>(
  build
    .update(collection)
    .set({ answers: null })
    .where(
      sql`${collection.dialogueId} IN (SELECT value FROM json_each(${placeholder('ids')})) AND ${collection.answers} IS NOT NULL`,
    ),
);

const emptyBody = prepareWrite<{ merchantId: string; eventId: string }>(
  build
    .update(inbox)
    .set({ body: '' })
    .where(and(eq(inbox.merchantId, placeholder('merchantId')), eq(inbox.eventId, placeholder('eventId')))),
);

/**
 * Returns the deletions of retention. Triggers of the database reject the deletion of rows that are younger than the
 * horizon or belong to an unresolved collection.
 */
export function retentionStore(store: Store) {
  return {
    /** Deletes up to `limit` dialogues whose last turn is before `before`, and the answers of their collections. Returns the number. */
    async deleteDialogues(before: EpochMs, limit: number): Promise<number> {
      const dialogues = await oldDialogues.all(store, { before, limit });
      if (dialogues.length === 0) return 0;
      const ids = JSON.stringify(dialogues.map(({ id }) => id));
      const digests = (await turnsQuery.all(store, { ids })).map(digestTurn);
      const isDeleted = await store.apply([
        moveHorizon({ name: 'dialogues', at: before }),
        ...digests.map(keepDigest),
        { ...deleteTurns({ ids }), rows: digests.length },
        deleteAnswers({ ids }),
      ]);
      return isDeleted ? dialogues.length : 0;
    },
    /** Empties up to `limit` bodies of handled events received before `before`. The rows stay. Returns their number. */
    async emptyBodies(before: EpochMs, limit: number): Promise<number> {
      const events = await oldBodies.all(store, { before, limit });
      if (events.length === 0) return 0;
      await store.apply([moveHorizon({ name: 'inbox', at: before }), ...events.map(emptyBody)]);
      return events.length;
    },
  };
}
