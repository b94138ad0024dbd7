import { and, asc, desc, eq, gt, isNotNull, lt, ne, sql } from 'drizzle-orm';
import { build, prepareWrite } from '../../db/statement.ts';
import type { Store, Write } from '../../db/store.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { filled, insertRow } from '../row-store.ts';
import { event } from '../schema.ts';
import type { Owner } from '../session/session-store.ts';

export type Event = typeof event.$inferSelect;

export type AttemptOutcome = Pick<Event, 'state' | 'nextAt' | 'lastStatus' | 'lastError'>;

export type EventStore = ReturnType<typeof eventStore>;

export function eventStore({ read }: Store) {
  const { placeholder } = sql;

  // No platform may fill the list with a dead endpoint: each has its own few places.
  const rank = sql<number>`row_number() OVER (
    PARTITION BY ${event.platformId}, ${event.livemode} ORDER BY ${event.nextAt})`.as('place');
  const ranked = read
    .select({ id: event.id, place: rank })
    .from(event)
    .where(sql`${event.nextAt} <= ${placeholder('now')}`)
    .as('ranked');
  const due = read
    .select({ event })
    .from(event)
    .innerJoin(ranked, eq(ranked.id, event.id))
    .where(sql`${ranked.place} <= ${placeholder('each')}`)
    .orderBy(asc(event.nextAt))
    .limit(placeholder('limit'))
    .prepare();
  const nextDue = read
    .select({ at: event.nextAt })
    .from(event)
    .where(and(isNotNull(event.nextAt), gt(event.nextAt, placeholder('after'))))
    .orderBy(asc(event.nextAt))
    .limit(1)
    .prepare();
  const oldestClosed = read
    .select({ at: event.createdAt })
    .from(event)
    .where(ne(event.state, 'waiting'))
    .orderBy(asc(event.createdAt))
    .limit(1)
    .prepare();

  const insert = insertRow(event);
  const thisAttempt = and(
    eq(event.id, placeholder('id')),
    eq(event.state, 'waiting'),
    eq(event.attempts, placeholder('attempts')),
  );
  const claim = prepareWrite<{ id: string; attempts: number; now: EpochMs; leaseUntil: EpochMs }>(
    build
      .update(event)
      .set({
        attempts: sql`${event.attempts} + 1`,
        tries: sql`${event.tries} + 1`,
        lastAttemptAt: filled('now'),
        nextAt: filled('leaseUntil'),
      })
      .where(thisAttempt),
    1,
  );
  const finish = prepareWrite<{ id: string; attempts: number } & AttemptOutcome>(
    build
      .update(event)
      .set({
        state: filled('state'),
        nextAt: filled('nextAt'),
        lastStatus: filled('lastStatus'),
        lastError: filled('lastError'),
      })
      .where(thisAttempt),
    1,
  );

  return {
    /** Events to be sent now, at most `each` of one merchant in one mode. */
    due: async (now: EpochMs, limit: number, each: number): Promise<Event[]> =>
      (await due.all({ now, limit, each })).map((row) => row.event),
    nextDue: async (after: EpochMs): Promise<EpochMs | undefined> =>
      (await nextDue.get({ after }))?.at ?? undefined,
    oldestClosed: async (): Promise<EpochMs | undefined> => (await oldestClosed.get())?.at,
    /** Newest first, those before `before` if it is given. */
    list: (owner: Owner, limit: number, before: string | undefined): Promise<Event[]> =>
      read
        .select()
        .from(event)
        .where(
          and(
            eq(event.merchantId, owner.merchantId),
            eq(event.livemode, owner.livemode),
            before === undefined ? undefined : lt(event.id, before),
          ),
        )
        .orderBy(desc(event.id))
        .limit(limit),
    insert: (row: Event): Write => insert(row),
    /** Counts an attempt before it is made, and keeps the event from being due while it runs. */
    claim,
    /** Writes down how the attempt of that number ended. */
    finish,
    prune: (before: EpochMs, limit: number): Write => ({
      sql: `DELETE FROM event WHERE id IN (SELECT id FROM event WHERE created_at <= ? AND state <> 'waiting'
              ORDER BY created_at LIMIT ?)`,
      args: [before, limit],
    }),
  };
}
