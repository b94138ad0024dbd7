import { desc, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { fact, inbox, seal, staffAction, turn } from '../database/schema.ts';

/** The conditions of the indexes that order events by their time. Only old events whose body is erased have none. */
const eventsOfIndexes = [
  sql`${inbox.body} <> '' AND ${inbox.state} IN ('handled', 'hint')`,
  sql`${inbox.state} IN ('parked', 'dead')`,
  sql`${inbox.nextAt} IS NOT NULL`,
];

/** Returns the time of the latest row of each append-only table. Empty tables have no entry. */
export async function latestWriteTimes({ read }: Store): Promise<EpochMs[]> {
  const latest = await Promise.all([
    read.select({ at: fact.at }).from(fact).orderBy(desc(fact.seq)).limit(1),
    read.select({ at: seal.at }).from(seal).orderBy(desc(seal.number)).limit(1),
    read.select({ at: turn.at }).from(turn).orderBy(desc(turn.seq)).limit(1),
    read.select({ at: staffAction.at }).from(staffAction).orderBy(desc(staffAction.seq)).limit(1),
    ...eventsOfIndexes.map((isOfIndex) =>
      read
        .select({ at: inbox.receivedAt })
        .from(inbox)
        .where(isOfIndex)
        .orderBy(desc(inbox.receivedAt))
        .limit(1),
    ),
  ]);
  return latest.flat().map(({ at }) => at);
}
