import { and, desc, eq, sql } from 'drizzle-orm';
import { build, insertRow, parameter, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { deliveryAttempt } from '../schema.ts';

export type Attempt = typeof deliveryAttempt.$inferSelect;

export type AttemptStore = ReturnType<typeof attemptStore>;

const { placeholder } = sql;

const insert = insertRow(deliveryAttempt);

const setResponseBody = prepareWrite<{ eventId: string; number: number; text: string }>(
  build
    .update(deliveryAttempt)
    .set({ responseBody: parameter('text') })
    .where(
      and(
        eq(deliveryAttempt.eventId, placeholder('eventId')),
        eq(deliveryAttempt.number, placeholder('number')),
      ),
    ),
);

/** The log of delivery attempts. An attempt that a crash or a stop interrupted is counted but has no row. */
export function attemptStore({ read }: Store) {
  return {
    insert: (row: Attempt): Write => insert(row),
    /** Adds the beginning of the response's body to the row of an attempt. */
    setResponseBody,
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
