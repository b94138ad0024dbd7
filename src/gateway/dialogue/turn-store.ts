import { and, desc, eq, getTableColumns, gt, gte, or, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { EpochMs } from '../../shared/clock.ts';
import type { Deadline } from '../../shared/deadlines.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import { build, equals, findRow, prepareQuery, prepareWrite, rowParameters } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { phoneLock, turn } from '../database/schema.ts';

/** A turn without its number, which the database assigns. */
export type TurnRow = Omit<typeof turn.$inferSelect, 'seq'>;

export type DialogueKey = { channel: string; session: string; dialler: Msisdn };

/** The request that an earlier turn may have answered. */
export type RequestKey = {
  /** Null when the request has no position. */
  position: string | null;
  /** The input of a request with a mark; null for a cumulative text, which contains its inputs. */
  input: string | null;
};

/** The turns of a session that one request needs. */
export type SessionHistory = {
  last: TurnRow | undefined;
  /** The turn of the same dialogue that answered the request, when it is not the last one. */
  earlier: TurnRow | undefined;
};

/** The part of a dialler's last turn that the start of a dialogue needs. */
export type LastTurn = Pick<TurnRow, 'state' | 'reply' | 'ending' | 'at'>;

/** Turns that are read to find a repeat or the start of a dialogue: more than a dialogue has. */
export const maxTurnsBack = 64;

/** With more numbers, no turn shows which of them used a session id last. Bounds the rows that are read. */
export const maxDiallersOfId = 1_000;

/** Open dialogues whose last turn is remembered. */
const maxRemembered = 10_000;

const { placeholder } = sql;

const insert = prepareWrite<TurnRow>(build.insert(turn).values(rowParameters(turn, 'seq')), 1);

/** A prompt waits for the dialogues of its payer: of the claim that sends it and a turn, one sees the other. */
function insertTurn(row: TurnRow): Write {
  return { ...insert(row), locks: [phoneLock(row.dialler)] };
}

const noRequest: RequestKey = { position: null, input: null };

function getName({ channel, session, dialler }: Pick<TurnRow, 'channel' | 'session' | 'dialler'>): string {
  return `${channel} ${session} ${dialler}`;
}

export type TurnStore = ReturnType<typeof turnStore>;

const ofSession = equals(turn, 'channel', 'session', 'dialler');

const turnAt = findRow(turn, 'channel', 'session', 'dialler', 'sequence');

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
        or(
          eq(turn.sequence, newest.sequence),
          and(
            equals(turn, 'position'),
            sql`coalesce(${turn.input}, '') = coalesce(${placeholder('input')}, ${turn.input}, '')`,
          ),
        ),
      ),
    )
    .orderBy(desc(turn.sequence))
    .limit(2),
);

const ofTurnId = sql`turn.channel = ${placeholder('channel')} AND turn.session = ${placeholder('session')}`;

// Reads the numbers of an id and the last turn of each by index, so that the cost does not grow with the turns of the id.
const diallersOfId = sql`(WITH RECURSIVE phone(dialler, place) AS (
  SELECT (SELECT turn.dialler FROM turn WHERE ${ofTurnId} ORDER BY turn.dialler LIMIT 1), 1
  UNION ALL
  SELECT (SELECT turn.dialler FROM turn WHERE ${ofTurnId} AND turn.dialler > phone.dialler ORDER BY turn.dialler LIMIT 1), place + 1
  FROM phone WHERE phone.dialler IS NOT NULL AND place <= ${sql.raw(String(maxDiallersOfId))})
  SELECT dialler, place, (SELECT turn.seq FROM turn WHERE ${ofTurnId} AND turn.dialler = phone.dialler
    ORDER BY turn.sequence DESC LIMIT 1) AS last
  FROM phone WHERE dialler IS NOT NULL) AS used`;

const lastDialler = prepareQuery(
  build
    .select({
      dialler: sql<Msisdn>`dialler`,
      isCut: sql<number>`max(place) OVER () > ${sql.raw(String(maxDiallersOfId))}`,
    })
    .from(diallersOfId)
    .orderBy(sql`last DESC`)
    .limit(1),
);

const lastQuery = prepareQuery(
  build
    .select({ state: turn.state, reply: turn.reply, ending: turn.ending, at: turn.at })
    .from(turn)
    .where(and(equals(turn, 'dialler'), equals(turn, 'merchantId'), gte(turn.at, placeholder('since'))))
    .orderBy(desc(turn.at), desc(turn.seq))
    .limit(1),
);

const lastAnywhere = prepareQuery(
  build
    .select({
      ...{ seq: turn.seq, dialogueId: turn.dialogueId },
      ...{ reply: turn.reply, at: turn.at, channel: turn.channel },
    })
    .from(turn)
    .where(equals(turn, 'dialler'))
    .orderBy(desc(turn.at), desc(turn.seq))
    .limit(maxTurnsBack),
);

/**
 * The turns of dialogues. The unique index (channel, session, dialler, sequence) decides races.
 *
 * @param isShared returns whether other gateways write turns now. Then no turn is cached, and each request reads its session.
 */
export function turnStore(store: Store, isShared: () => boolean = () => false) {
  const remembered = new LRUCache<string, TurnRow>({ max: maxRemembered });
  return {
    /**
     * Returns the last turn of an open dialogue that this process has written, without a query. Another process may have
     * written a later turn: then the index rejects the turn that follows this one. It is therefore no answer to
     * a repeat.
     */
    remembered(key: DialogueKey): TurnRow | undefined {
      // A turn from before is stale once this gateway is alone again.
      if (isShared() && remembered.size > 0) remembered.clear();
      return remembered.get(getName(key));
    },
    /**
     * Writes a turn with the other writes of its batch.
     *
     * @returns false when nothing was written, because the session has this turn already or a conflict occurred.
     */
    async write(row: TurnRow, others: readonly Write[] = [], signal?: Deadline): Promise<boolean> {
      const session = getName(row);
      remembered.delete(session);
      const isWritten = await store.apply([insertTurn(row), ...others], signal);
      // No input follows the end of a dialogue, so the next request reads the session anyway.
      if (isWritten && row.reply === 'continue' && !isShared()) remembered.set(session, row);
      return isWritten;
    },
    /**
     * Returns the dialler's last turns at any merchant, newest first. They never leave the gateway: they only show whether a session
     * is open.
     */
    lastAnywhere: (dialler: string) => lastAnywhere.all(store, { dialler }),
    /** The dialler's last turn at a merchant since a time, in any session. The time bounds what is read. */
    lastOf: (key: { merchantId: string; dialler: string; since: EpochMs }): Promise<LastTurn | undefined> =>
      lastQuery.get(store, key),
    /** Returns the number that has used a session id last; `undefined` also after more than `maxDiallersOfId` numbers. */
    async lastDialler(key: Omit<DialogueKey, 'dialler'>): Promise<Msisdn | undefined> {
      const found = await lastDialler.get(store, key);
      return found?.isCut ? undefined : found?.dialler;
    },
    /** Returns a turn by its place in its session. */
    at: (key: DialogueKey & Pick<TurnRow, 'sequence'>): Promise<TurnRow | undefined> =>
      turnAt.get(store, key),
    /** Reads, in one query, the last turn and an earlier one that answered `request`. */
    async history(key: DialogueKey, request: RequestKey = noRequest): Promise<SessionHistory> {
      const [last, earlier] = await history.all(store, { ...key, ...request });
      const isSameDialogue = earlier && earlier.dialogueId === last?.dialogueId;
      return { last, earlier: isSameDialogue ? earlier : undefined };
    },
  };
}
