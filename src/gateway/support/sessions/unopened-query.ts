import { asc, desc, inArray, lt, sql } from 'drizzle-orm';
import type { Store } from '../../../sqlite/store.ts';
import { turn } from '../../database/schema.ts';
import type { SessionEnd } from './session-end.ts';
import { type NumberedTurn, openedBy, type SessionSummary, toSummary } from './session-query.ts';

/** Which dialogues without a payment to list. A property that is not set selects every one. */
export type UnopenedFilter = { merchantId?: string | undefined; end?: SessionEnd | undefined };

export type UnopenedPage = {
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
const maxTurns = 2_000;
/** Dialogues whose turns are read at once, and their turns. */
const maxRead = 100;
const maxReadTurns = 5_000;

/** Lists the dialogues in which no payment was confirmed, those with the newest turn first. A page searches a bounded part of the turns. */
export async function listUnopenedSessions(
  store: Store,
  filter: UnopenedFilter,
  { limit, before = Number.MAX_SAFE_INTEGER }: UnopenedPage,
): Promise<UnopenedSessions> {
  const window = await store.read
    .select({ seq: turn.seq, dialogueId: turn.dialogueId })
    .from(turn)
    .where(lt(turn.seq, before))
    .orderBy(desc(turn.seq))
    .limit(maxTurns);
  const ids = [...new Set(window.map(({ dialogueId }) => dialogueId))];
  const data: SessionSummary[] = [];
  let searched = 0;
  for (let start = 0; start < ids.length; start += maxRead) {
    for (const { last, summary } of await readDialogues(store, ids.slice(start, start + maxRead))) {
      // A newer turn of the dialogue is on an earlier page.
      if (last >= before) continue;
      searched += 1;
      if (!summary || !isWanted(summary, filter)) continue;
      data.push(summary);
      if (data.length === limit) return { data, next: last, searched };
    }
  }
  return { data, next: window.length === maxTurns ? (window.at(-1)?.seq ?? null) : null, searched };
}

/** A dialogue with the number of its last turn, and its summary unless it opened a payment. */
type Dialogue = { last: number; summary: SessionSummary | undefined };

/** Reads dialogues, in the order of their ids. Most opened a payment: an index says which, and their turns are not read. */
async function readDialogues(store: Store, dialogueIds: readonly string[]): Promise<Dialogue[]> {
  const opened = await openedBy(store, dialogueIds);
  const lasts = await store.read
    .select({ id: turn.dialogueId, last: sql<number>`max(${turn.seq})` })
    .from(turn)
    .where(inArray(turn.dialogueId, [...dialogueIds]))
    .groupBy(turn.dialogueId);
  const lastById = new Map(lasts.map(({ id, last }) => [id, last]));
  const turns = await store.read
    .select()
    .from(turn)
    .where(
      inArray(
        turn.dialogueId,
        dialogueIds.filter((id) => !opened.has(id)),
      ),
    )
    .orderBy(asc(turn.seq))
    .limit(maxReadTurns);
  const byDialogue = new Map<string, NumberedTurn[]>();
  for (const one of turns) byDialogue.set(one.dialogueId, [...(byDialogue.get(one.dialogueId) ?? []), one]);
  return dialogueIds.flatMap((id) => {
    const last = lastById.get(id);
    const [summary] = toSummary(byDialogue.get(id) ?? [], opened);
    return last === undefined ? [] : [{ last, summary }];
  });
}

function isWanted(summary: SessionSummary, { merchantId, end }: UnopenedFilter): boolean {
  return (
    (merchantId === undefined || summary.merchantId === merchantId) &&
    (end === undefined || summary.end === end)
  );
}
