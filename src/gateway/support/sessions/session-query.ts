import { and, asc, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import type { Store } from '../../../sqlite/store.ts';
import { collection, turn } from '../../database/schema.ts';
import type { TurnRow } from '../collection-query.ts';
import type { PageRequest, UnknownCursor } from '../page.ts';
import { getSessionEnd, type SessionEnd } from './session-end.ts';

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

export type FoundSessions = {
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
export async function findSessions(
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
export async function openedBy(
  { read }: Store,
  dialogueIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await read
    .select({ id: collection.id, dialogueId: collection.dialogueId })
    .from(collection)
    .where(and(inArray(collection.dialogueId, [...dialogueIds])));
  return new Map(rows.map(({ id, dialogueId }) => [dialogueId, id]));
}

/** Summarizes one dialogue. @param turns in their order; none is no dialogue. */
export function toSummary(
  turns: readonly NumberedTurn[],
  opened: ReadonlyMap<string, string>,
): SessionSummary[] {
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
