import { desc, sql } from 'drizzle-orm';
import type { EpochMs } from '../shared/clock.ts';
import type { Store } from '../sqlite/store.ts';
import { fact, inbox, seal, turn } from './schema.ts';

/** The times of what a gateway's file had written last, of each kind, in UTC milliseconds; none when it holds nothing. */
export async function latestWriteTimes({ read }: Store): Promise<EpochMs[]> {
  const lasts = await Promise.all([
    read.select({ at: fact.at }).from(fact).orderBy(desc(fact.seq)).limit(1),
    read.select({ at: seal.at }).from(seal).orderBy(desc(seal.number)).limit(1),
    read.select({ at: turn.at }).from(turn).orderBy(desc(sql`rowid`)).limit(1),
    read.select({ at: inbox.receivedAt }).from(inbox).orderBy(desc(sql`rowid`)).limit(1),
  ]);
  return lasts.flat().map(({ at }) => at);
}
