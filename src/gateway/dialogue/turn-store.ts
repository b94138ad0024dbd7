import { and, desc, eq, getTableColumns, gt, or, sql } from 'drizzle-orm';
import { build, prepareQuery, prepareWrite, rowParameters } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { turn } from '../schema.ts';

/** A turn without its number, which the database assigns. */
export type TurnRow = Omit<typeof turn.$inferSelect, 'seq'>;

export type SessionKey = {
  channel: string;
  session: string;
  /** The position of the request; null when it has none. */
  position: string | null;
};

/** The turns of a session that one request needs. */
export type SessionHistory = {
  last: TurnRow | undefined;
  /** The turn of the same dialogue at the requested position, when it is not the last one. */
  earlier: TurnRow | undefined;
};

/** The part of a dialler's last turn that the start of a dialogue needs. */
export type LastTurn = Pick<TurnRow, 'state' | 'reply' | 'ending' | 'at'>;

/** How many turns back a repeat is recognised; more turns than a dialogue has. Bounds the rows that are read. */
const maxTurnsBack = 64;

const { placeholder } = sql;

const insertTurn = prepareWrite<TurnRow>(build.insert(turn).values(rowParameters(turn, 'seq')), 1);

export type TurnStore = ReturnType<typeof turnStore>;

const ofSession = and(eq(turn.channel, placeholder('channel')), eq(turn.session, placeholder('session')));

const newest = build
  .select({ sequence: sql<number>`max(${turn.sequence})`.as('newest_sequence') })
  .from(turn)
  .where(ofSession)
  .as('newest');

const history = prepareQuery(
  build
    .select(getTableColumns(turn))
    .from(newest)
    .innerJoin(
      turn,
      and(
        ofSession,
        gt(turn.sequence, sql`${newest.sequence} - ${sql.raw(String(maxTurnsBack))}`),
        or(eq(turn.sequence, newest.sequence), eq(turn.position, placeholder('position'))),
      ),
    )
    .orderBy(desc(turn.sequence))
    .limit(2),
);

const lastOf = prepareQuery(
  build
    .select({ state: turn.state, reply: turn.reply, ending: turn.ending, at: turn.at })
    .from(turn)
    .where(and(eq(turn.dialler, placeholder('dialler')), eq(turn.merchantId, placeholder('merchantId'))))
    .orderBy(desc(turn.at), desc(turn.sequence))
    .limit(1),
);

const lastAnywhere = prepareQuery(
  build
    .select({ reply: turn.reply, at: turn.at, channel: turn.channel })
    .from(turn)
    .where(eq(turn.dialler, placeholder('dialler')))
    .orderBy(desc(turn.at), desc(turn.seq))
    .limit(1),
);

/** The turns of dialogues. The unique index (channel, session, sequence) decides races. */
export function turnStore(store: Store) {
  return {
    /** The dialler's last turn at any merchant. It never leaves the gateway: it only shows whether a session is open. */
    lastAnywhere: (dialler: string) => lastAnywhere.get(store, { dialler }),
    /** The dialler's last turn at a merchant, in any session. */
    lastOf: (key: { merchantId: string; dialler: string }): Promise<LastTurn | undefined> =>
      lastOf.get(store, key),
    /** Reads, in one query, the last turn and an earlier one at `position`. */
    async history(key: SessionKey): Promise<SessionHistory> {
      const [last, earlier] = await history.all(store, key);
      const isSameDialogue = earlier && earlier.dialogueId === last?.dialogueId;
      return { last, earlier: isSameDialogue ? earlier : undefined };
    },
    apply: store.apply,
  };
}

export function turnWrite(row: TurnRow): Write {
  return insertTurn(row);
}
