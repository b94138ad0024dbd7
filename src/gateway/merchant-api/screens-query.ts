import { asc, eq, sql } from 'drizzle-orm';
import { build, prepareQuery } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import { turn } from '../database/schema.ts';

/** More than any dialogue has. */
const maxTurns = 200;

const turnsQuery = prepareQuery(
  build
    .select({ at: turn.at, input: turn.input, screen: turn.screen, reply: turn.reply, ending: turn.ending })
    .from(turn)
    .where(eq(turn.dialogueId, sql.placeholder('dialogueId')))
    .orderBy(asc(turn.at), asc(turn.sequence))
    .limit(maxTurns),
);

/** One screen that a payer has seen, and the input before it; null at the start. Times in milliseconds. */
export type SeenScreen = { at: number; input: string | null; text: string; ends: boolean };

/** Returns the screens of a dialogue, oldest first, at most 200. The end of a session by the network is none. */
export async function readScreens(store: Pick<Store, 'query'>, dialogueId: string): Promise<SeenScreen[]> {
  const rows = await turnsQuery.all(store, { dialogueId });
  return rows
    .filter(({ ending }) => ending === null)
    .map(({ at, input, screen, reply }) => ({ at, input, text: screen, ends: reply === 'end' }));
}
