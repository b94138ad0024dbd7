import { desc, sql } from 'drizzle-orm';
import type { EpochMs } from '../shared/clock.ts';
import type { Store } from '../sqlite/store.ts';
import { fact, inbox, seal, staffAction, turn } from './schema.ts';

/** Returns the time of the latest row of each append-only table. Empty tables have no entry. */
export async function latestWriteTimes({ read }: Store): Promise<EpochMs[]> {
  const latest = await Promise.all([
    read.select({ at: fact.at }).from(fact).orderBy(desc(fact.seq)).limit(1),
    read.select({ at: seal.at }).from(seal).orderBy(desc(seal.number)).limit(1),
    read.select({ at: turn.at }).from(turn).orderBy(desc(turn.seq)).limit(1),
    read.select({ at: staffAction.at }).from(staffAction).orderBy(desc(staffAction.seq)).limit(1),
    read.select({ at: inbox.receivedAt }).from(inbox).orderBy(desc(sql`rowid`)).limit(1),
  ]);
  return latest.flat().map(({ at }) => at);
}
