import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { build, prepareWrite, rowOf } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection, openStatuses, turn } from '../schema.ts';

export type TurnRow = typeof turn.$inferSelect;

/** What a session has come to, as one look at the database found it. */
export type SessionHistory = {
  last: TurnRow | undefined;
  /** The turn of the same dialogue that stood at the asked position, when it is not the last. */
  earlier: TurnRow | undefined;
  /** The collection that is open for whoever would pay as the last turn has it. */
  open: CollectionRow | undefined;
};

/** Turns that an answered request may lie back: more than any dialogue has, and a bound on what is read. */
const maxBack = 64;

const { placeholder } = sql;

const insertTurn = prepareWrite<TurnRow>(build.insert(turn).values(rowOf(turn)), 1);

export type TurnStore = ReturnType<typeof turnStore>;

/** Turns of dialogues. The key (channel, session, sequence) settles repeats and races. */
export function turnStore(store: Store) {
  const ofSession = and(eq(turn.channel, placeholder('channel')), eq(turn.session, placeholder('session')));
  const newest = store.read
    .select({ sequence: sql<number>`max(${turn.sequence})` })
    .from(turn)
    .where(ofSession);
  const history = store.read
    .select({ turn, open: collection })
    .from(turn)
    .leftJoin(
      collection,
      and(
        eq(collection.merchantId, placeholder('merchantId')),
        eq(collection.payer, sql`coalesce(${turn.payer}, ${turn.dialler})`),
        eq(collection.livemode, placeholder('livemode')),
        sql`${collection.status} IN ${openStatuses}`,
        isNull(collection.lapsedAt),
      ),
    )
    .where(
      and(
        ofSession,
        gt(turn.sequence, sql`(${newest}) - ${sql.raw(String(maxBack))}`),
        or(eq(turn.sequence, sql`(${newest})`), eq(turn.position, placeholder('position'))),
      ),
    )
    .orderBy(desc(turn.sequence))
    .limit(2)
    .prepare();
  const lastOf = store.read
    .select()
    .from(turn)
    .where(and(eq(turn.dialler, placeholder('dialler')), eq(turn.merchantId, placeholder('merchantId'))))
    .orderBy(desc(turn.at), desc(turn.sequence))
    .limit(1)
    .prepare();
  return {
    /** The dialler's last turn at a merchant, in whatever session. */
    lastOf: (key: { merchantId: string; dialler: string }): Promise<TurnRow | undefined> => lastOf.get(key),
    /** One round trip: the last turn, an earlier one at `position`, and what is open for its payer. */
    async history(key: {
      channel: string;
      session: string;
      position: string | null;
      merchantId: string;
      livemode: 0 | 1;
    }): Promise<SessionHistory> {
      const [last, earlier] = await history.all(key);
      const sameDialogue = earlier && earlier.turn.dialogueId === last?.turn.dialogueId;
      return {
        last: last?.turn,
        earlier: sameDialogue ? earlier.turn : undefined,
        open: (last?.open ?? undefined) as CollectionRow | undefined,
      };
    },
    apply: store.apply,
  };
}

export function turnWrite(row: TurnRow): Write {
  return insertTurn(row);
}
