import { and, desc, eq, sql } from 'drizzle-orm';
import { turn } from '../db/schema.ts';
import { build, prepareWrite, rowOf } from '../db/statement.ts';
import type { Store, Write } from '../db/store.ts';

export type TurnRow = typeof turn.$inferSelect;

const { placeholder } = sql;

const insertTurn = prepareWrite<TurnRow>(build.insert(turn).values(rowOf(turn)), 1);

export type TurnStore = ReturnType<typeof turnStore>;

/** Turns of dialogues. The key (channel, session, sequence) settles repeats and races. */
export function turnStore(store: Store) {
  const ofSession = and(eq(turn.channel, placeholder('channel')), eq(turn.session, placeholder('session')));
  const last = store.read
    .select()
    .from(turn)
    .where(ofSession)
    .orderBy(desc(turn.sequence))
    .limit(1)
    .prepare();
  const atPosition = store.read
    .select()
    .from(turn)
    .where(
      and(
        ofSession,
        eq(turn.dialogueId, placeholder('dialogueId')),
        eq(turn.position, placeholder('position')),
      ),
    )
    .prepare();
  return {
    last: (channel: string, session: string): Promise<TurnRow | undefined> => last.get({ channel, session }),
    /** The turn of a dialogue that answered this cumulative text. */
    atPosition: (of: TurnRow, position: string): Promise<TurnRow | undefined> =>
      atPosition.get({ channel: of.channel, session: of.session, dialogueId: of.dialogueId, position }),
    apply: store.apply,
  };
}

export function turnWrite(row: TurnRow): Write {
  return insertTurn(row);
}
