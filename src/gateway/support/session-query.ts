import { asc, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import { endStates } from '../../menu/state/state.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { Ending } from '../../shared/ussd.ts';
import type { Store } from '../../sqlite/store.ts';
import { collection, turn } from '../database/schema.ts';
import { getStoredState } from '../dialogue/stored-state.ts';
import type { TurnRow } from '../dialogue/turn-store.ts';
import type { PageRequest, UnknownCursor } from './page.ts';
import type { SessionEnd } from './session-end.ts';

const ends: Readonly<Record<string, SessionEnd>> = {
  [endStates.cancelled]: 'cancelled',
  [endStates.rejected]: 'rejected',
  [endStates.invalidInputs]: 'invalid_inputs',
  [endStates.lost]: 'lost',
};

/** Returns how a dialogue ended. @param turns in their order; at least one. */
function getSessionEnd(turns: readonly TurnRow[], hasPayment: boolean): SessionEnd {
  if (hasPayment) return 'confirmed';
  const screens = turns.filter(({ ending }) => ending === null);
  const last = screens.at(-1);
  const notice = turns.at(-1)?.ending;
  // After an end screen, the notice of the aggregator states nothing new.
  if (last?.reply === 'end') return ends[getStoredState(last).screen] ?? 'closed';
  return notice == null ? 'unanswered' : `aggregator_${notice as Ending}`;
}

/** One dialogue of a phone. */
export type SessionSummary = {
  dialogueId: string;
  channel: string;
  session: string;
  merchantId: string;
  dialler: string;
  startedAt: EpochMs;
  lastAt: EpochMs;
  screens: number;
  end: SessionEnd;
  /** The last screen that the phone showed. */
  lastScreen: string;
  /** The collection that the dialogue opened; null when it never came to a confirmation. */
  collectionId: string | null;
};

type FoundSessions = {
  data: SessionSummary[];
  /** The number of dialogues; null when the phone has more turns than are read. */
  total: number | null;
  /** The cursor of the next page: the id of the last dialogue; null on the last page. */
  next: string | null;
};

/** A turn with its number, by which `tail` continues. */
export type NumberedTurn = typeof turn.$inferSelect;

/** The newest turns of a phone that are read. An attendant can have many thousands. */
const maxTurns = 2_000;
/** The turns of one dialogue. A menu has far fewer screens. */
const maxDialogueTurns = 500;

/** Lists the dialogues of a phone, newest first, those of its newest 2,000 turns. */
export async function findDialogues(
  store: Store,
  dialler: Msisdn,
  { limit, after }: PageRequest,
): Promise<FoundSessions | UnknownCursor> {
  const rows = await store.read
    .select()
    .from(turn)
    .where(eq(turn.dialler, dialler))
    .orderBy(desc(turn.at), desc(turn.seq))
    .limit(maxTurns);
  const dialogues = new Map<string, NumberedTurn[]>();
  for (const row of rows) dialogues.set(row.dialogueId, [row, ...(dialogues.get(row.dialogueId) ?? [])]);
  const all = [...dialogues.keys()];
  const start = after === undefined ? 0 : all.indexOf(after) + 1;
  if (after !== undefined && start === 0) return 'unknown_cursor';
  const newest = [...dialogues.values()].slice(start, start + limit);
  const opened = await openedBy(
    store,
    newest.flatMap(([first]) => first?.dialogueId ?? []),
  );
  return {
    data: newest.flatMap((turns) => toSummary(turns, opened)),
    total: rows.length === maxTurns ? null : all.length,
    next: all.length > start + limit ? (all[start + limit - 1] ?? null) : null,
  };
}

/** Returns one dialogue with its turns in their order; `undefined` when there is none with this id. */
export async function loadSession(
  store: Store,
  dialogueId: string,
): Promise<{ summary: SessionSummary; turns: TurnRow[] } | undefined> {
  const turns = await store.read
    .select()
    .from(turn)
    .where(eq(turn.dialogueId, dialogueId))
    .orderBy(asc(turn.seq))
    .limit(maxDialogueTurns);
  const [summary] = toSummary(turns, await openedBy(store, [dialogueId]));
  return summary && { summary, turns };
}

/** Returns the number of the newest turn; 0 without turns. */
export async function lastTurnNumber({ read }: Store): Promise<number> {
  const [last] = await read.select({ seq: sql<number | null>`max(${turn.seq})` }).from(turn);
  return last?.seq ?? 0;
}

/** Returns the turns after a number, oldest first. */
export function turnsAfter({ read }: Store, seq: number, limit: number): Promise<NumberedTurn[]> {
  return read.select().from(turn).where(gt(turn.seq, seq)).orderBy(asc(turn.seq)).limit(limit);
}

/** Returns the collections that dialogues opened, by the id of the dialogue. */
async function openedBy({ read }: Store, dialogueIds: readonly string[]): Promise<Map<string, string>> {
  if (dialogueIds.length === 0) return new Map();
  const rows = await read
    .select({ id: collection.id, dialogueId: collection.dialogueId })
    .from(collection)
    .where(inArray(collection.dialogueId, [...dialogueIds]));
  return new Map(rows.map(({ id, dialogueId }) => [dialogueId, id]));
}

/** Summarizes one dialogue. @param turns in their order; none is no dialogue. */
function toSummary(turns: readonly NumberedTurn[], opened: ReadonlyMap<string, string>): SessionSummary[] {
  const [first] = turns;
  const last = turns.at(-1);
  if (!first || !last) return [];
  const screens = turns.filter(({ ending }) => ending === null);
  const collectionId = opened.get(first.dialogueId) ?? null;
  const { dialogueId, channel, session, merchantId, dialler } = first;
  return [
    {
      ...{ dialogueId, channel, session, merchantId, dialler, collectionId },
      startedAt: first.at,
      lastAt: last.at,
      screens: screens.length,
      end: getSessionEnd(turns, collectionId !== null),
      lastScreen: screens.at(-1)?.screen ?? '',
    },
  ];
}

/** Which dialogues without a payment to list. A property that is not set selects every one. */
type UnopenedFilter = { merchantId?: string | undefined; end?: SessionEnd | undefined };

type UnopenedPage = {
  limit: number;
  /** Only dialogues whose last turn has a lower number. */
  before?: number | undefined;
};

export type UnopenedSessions = {
  data: SessionSummary[];
  /** The cursor of older ones; null when every dialogue was searched. */
  next: number | null;
  /** The number of dialogues that were searched, with those that opened a payment. */
  searched: number;
};

/** The newest turns whose dialogues are searched: some ten milliseconds of work. */
const maxSearchedTurns = 2_000;
/** Dialogues whose turns are read at once, and their turns. */
const maxRead = 100;
const maxReadTurns = 5_000;

/** Lists the dialogues in which no payment was confirmed, those with the newest turn first. A page searches a bounded part of the turns. */
export async function listUnopenedSessions(
  store: Store,
  filter: UnopenedFilter,
  { limit, before = Number.MAX_SAFE_INTEGER }: UnopenedPage,
): Promise<UnopenedSessions> {
  const hasPayment = sql`EXISTS (SELECT 1 FROM ${collection} WHERE ${collection.dialogueId} = ${turn.dialogueId})`;
  // A newer turn of the dialogue is on an earlier page.
  const isEarlier = sql`EXISTS (SELECT 1 FROM ${turn} AS "later" WHERE "later"."dialogue_id" = ${turn.dialogueId} AND "later"."seq" >= ${before})`;
  const window = await store.read
    .select({
      last: turn.seq,
      id: turn.dialogueId,
      hasPayment: sql<0 | 1>`CASE WHEN ${hasPayment} THEN 1 ELSE 0 END`,
      isEarlier: sql<0 | 1>`CASE WHEN ${isEarlier} THEN 1 ELSE 0 END`,
    })
    .from(turn)
    .where(lt(turn.seq, before))
    .orderBy(desc(turn.seq))
    .limit(maxSearchedTurns);
  const dialogues = [...Map.groupBy(window, ({ id }) => id).values()]
    .flatMap(([newest]) => newest ?? [])
    .filter(({ isEarlier }) => isEarlier === 0);
  const data: SessionSummary[] = [];
  const unopened = dialogues.filter(({ hasPayment }) => hasPayment === 0);
  for (let start = 0; start < unopened.length; start += maxRead) {
    const part = unopened.slice(start, start + maxRead);
    const summaries = await readUnopened(
      store,
      part.map(({ id }) => id),
    );
    for (const one of part) {
      const summary = summaries.get(one.id);
      if (!summary || !isWanted(summary, filter)) continue;
      data.push(summary);
      if (data.length === limit) return { data, next: one.last, searched: dialogues.indexOf(one) + 1 };
    }
  }
  const next = window.length === maxSearchedTurns ? (window.at(-1)?.last ?? null) : null;
  return { data, next, searched: dialogues.length };
}

/** Reads dialogues that opened no payment. */
async function readUnopened({ read }: Store, ids: readonly string[]): Promise<Map<string, SessionSummary>> {
  const turns = await read
    .select()
    .from(turn)
    .where(inArray(turn.dialogueId, [...ids]))
    .orderBy(asc(turn.seq))
    .limit(maxReadTurns);
  const dialogues = Map.groupBy(turns, ({ dialogueId }) => dialogueId);
  return new Map([...dialogues].flatMap(([id, of]) => toSummary(of, new Map()).map((one) => [id, one])));
}

function isWanted(summary: SessionSummary, { merchantId, end }: UnopenedFilter): boolean {
  return (
    (merchantId === undefined || summary.merchantId === merchantId) &&
    (end === undefined || summary.end === end)
  );
}
