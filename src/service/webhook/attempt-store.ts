import { desc, eq } from 'drizzle-orm';
import { insertRow } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { deliveryAttempt } from '../schema.ts';

export type Attempt = typeof deliveryAttempt.$inferSelect;

export type AttemptStore = ReturnType<typeof attemptStore>;

/** The log of delivery attempts. An attempt that a crash or a stop interrupted is counted but has no row. */
export function attemptStore({ read }: Store) {
  const insert = insertRow(deliveryAttempt);
  return {
    insert: (row: Attempt): Write => insert(row),
    /** The last attempts of an event, oldest first. */
    async list(eventId: string, limit: number): Promise<Attempt[]> {
      const last = await read
        .select()
        .from(deliveryAttempt)
        .where(eq(deliveryAttempt.eventId, eventId))
        .orderBy(desc(deliveryAttempt.number))
        .limit(limit);
      return last.reverse();
    },
  };
}
