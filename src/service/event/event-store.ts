import { and, asc, desc, eq, gt, isNotNull, lt, lte, ne, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { filled, insertRow, maybe, newestOf, unindexed } from '../row-store.ts';
import { event, type Livemode } from '../schema.ts';
import type { Owner } from '../session/session-store.ts';
import type { EndpointKey } from '../webhook/endpoint-store.ts';

export type Event = typeof event.$inferSelect;

export type AttemptOutcome = Pick<Event, 'state' | 'nextAt' | 'lastStatus' | 'lastError'>;

/** An event's attempt: its number in all, and its place in the plan. */
type AttemptNumber = { id: string; attempts: number; tries: number };

export type EventFilter = {
  type?: Event['type'] | undefined;
  sessionId?: string | undefined;
  platformId?: string | undefined;
  state?: Event['state'] | undefined;
};

export type EventStore = ReturnType<typeof eventStore>;

export function eventStore({ read }: Store) {
  const { placeholder } = sql;

  // The index is walked from one place to the next, so that this costs by the number of places and not by how many
  // events wait.
  const firstOfEach = sql`WITH RECURSIVE head(id) AS (
    SELECT (SELECT id FROM event WHERE next_at IS NOT NULL ORDER BY platform_id, livemode, next_at LIMIT 1)
    UNION ALL
    SELECT coalesce(
      (SELECT n.id FROM event n WHERE n.next_at IS NOT NULL AND n.platform_id = c.platform_id
         AND n.livemode > c.livemode ORDER BY n.livemode, n.next_at LIMIT 1),
      (SELECT n.id FROM event n WHERE n.next_at IS NOT NULL AND n.platform_id > c.platform_id
         ORDER BY n.platform_id, n.livemode, n.next_at LIMIT 1))
    FROM head JOIN event c ON c.id = head.id)
    SELECT id FROM head`;
  const placesDue = read
    .select({ platformId: event.platformId, livemode: event.livemode })
    .from(event)
    .where(and(sql`${event.id} IN (${firstOfEach})`, lte(event.nextAt, placeholder('now'))))
    .orderBy(asc(event.nextAt))
    .prepare();
  const due = read
    .select()
    .from(event)
    .where(
      and(
        eq(event.platformId, placeholder('platformId')),
        eq(event.livemode, placeholder('livemode')),
        isNotNull(event.nextAt),
        lte(event.nextAt, placeholder('now')),
      ),
    )
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

  const any = read
    .select()
    .from(event)
    .where(eq(event.id, placeholder('id')))
    .prepare();
  const asideAt = read
    .select({ id: event.id })
    .from(event)
    .where(
      and(
        eq(event.platformId, placeholder('platformId')),
        eq(event.livemode, placeholder('livemode')),
        eq(event.state, 'endpoint_disabled'),
        gt(event.id, placeholder('after')),
      ),
    )
    .orderBy(asc(event.id))
    .limit(placeholder('limit'))
    .prepare();

  const insert = insertRow(event);
  const thisAttempt = and(
    eq(event.id, placeholder('id')),
    eq(event.state, 'waiting'),
    eq(event.attempts, placeholder('attempts')),
  );
  const theseTries = eq(event.tries, placeholder('tries'));
  const claim = prepareWrite<AttemptNumber & { now: EpochMs; leaseUntil: EpochMs }>(
    build
      .update(event)
      .set({
        attempts: sql`${event.attempts} + 1`,
        tries: sql`${event.tries} + 1`,
        lastAttemptAt: filled('now'),
        nextAt: filled('leaseUntil'),
      })
      .where(and(thisAttempt, theseTries)),
    1,
  );
  const finish = prepareWrite<AttemptNumber & AttemptOutcome>(
    build
      .update(event)
      .set({
        state: filled('state'),
        nextAt: filled('nextAt'),
        lastStatus: filled('lastStatus'),
        lastError: filled('lastError'),
      })
      .where(and(thisAttempt, theseTries)),
    1,
  );
  const resend = prepareWrite<{ id: string; now: EpochMs }>(
    build
      .update(event)
      .set({ state: 'waiting', nextAt: filled('now'), tries: 0 })
      .where(eq(event.id, placeholder('id'))),
    1,
  );

  return {
    /** The places that have something to be sent now, the longest due first. */
    endpointsDue: (now: EpochMs): Promise<EndpointKey[]> => placesDue.all({ now }),
    /** A place's events to be sent now, the longest due first. */
    due: (place: EndpointKey, now: EpochMs, limit: number): Promise<Event[]> =>
      due.all({ ...place, now, limit }),
    nextDue: async (after: EpochMs): Promise<EpochMs | undefined> =>
      (await nextDue.get({ after }))?.at ?? undefined,
    oldestClosed: async (): Promise<EpochMs | undefined> => (await oldestClosed.get())?.at,
    /** The owner's event; another merchant's or another mode's is not there. */
    find: async (owner: Owner, id: string): Promise<Event | undefined> => {
      const found = await any.get({ id });
      return found?.merchantId === owner.merchantId && found.livemode === owner.livemode ? found : undefined;
    },
    /** Any event, for the back office. */
    findAny: (id: string): Promise<Event | undefined> => any.get({ id }),
    /** Newest first, those before `before` if it is given. */
    async list(owner: Owner, of: EventFilter, limit: number, before: string | undefined): Promise<Event[]> {
      const { type, sessionId, platformId } = of;
      const isNarrower = sessionId !== undefined || platformId !== undefined;
      // The index of a platform's events has the state before the id.
      const states = platformId !== undefined && of.state === undefined ? event.state.enumValues : [of.state];
      const page = (state: Event['state'] | undefined) =>
        read
          .select()
          .from(event)
          .where(
            and(
              maybe(isNarrower ? unindexed(event.merchantId) : event.merchantId, owner.merchantId),
              eq(event.livemode, owner.livemode),
              maybe(event.type, type),
              maybe(event.sessionId, sessionId),
              maybe(event.platformId, platformId),
              maybe(event.state, state),
              before === undefined ? undefined : lt(event.id, before),
            ),
          )
          .orderBy(desc(event.id))
          .limit(limit);
      return newestOf(await Promise.all(states.map(page)), limit);
    },
    insert: (row: Event): Write => insert(row),
    /** Counts an attempt before it is made, and keeps the event from being due while it runs. */
    claim,
    /** Writes down how the attempt of that number ended; loses to a `resend` that came while it ran. */
    finish,
    /** Begins the plan of retries anew, from whatever state. */
    resend: (id: string, now: EpochMs): Write => resend({ id, now }),
    /** Takes an event out of the plan, unsent; loses when its place has an endpoint to send to after all. */
    markUndeliverable: (one: {
      id: string;
      attempts: number;
      platformId: string;
      livemode: Livemode;
      state: 'no_endpoint' | 'endpoint_disabled';
    }): Write => ({
      sql: `UPDATE event SET state = ?, next_at = NULL WHERE id = ? AND state = 'waiting' AND attempts = ?
              AND NOT EXISTS (SELECT 1 FROM endpoint WHERE platform_id = ? AND livemode = ? AND disabled_at IS NULL)`,
      args: [one.state, one.id, one.attempts, one.platformId, one.livemode],
      rows: 1,
    }),
    /** Events put aside because their endpoint was disabled, in the order of their ids, those after `after`. */
    undeliverableAt: async (place: EndpointKey, after: string, limit: number): Promise<string[]> =>
      (await asideAt.all({ ...place, after, limit })).map(({ id }) => id),
    /** Lets events that were put aside be sent again. */
    requeue: (ids: readonly string[], now: EpochMs): Write => ({
      sql: `UPDATE event SET state = 'waiting', next_at = ?, tries = 0
              WHERE state = 'endpoint_disabled' AND id IN (SELECT value FROM json_each(?))`,
      args: [now, JSON.stringify(ids)],
    }),
    /** Removes old events that are no longer sent, and the log of their deliveries. */
    prune: (before: EpochMs, limit: number): Write[] =>
      [
        `DELETE FROM delivery_attempt WHERE event_id IN (${outlived})`,
        `DELETE FROM event WHERE id IN (${outlived})`,
      ].map((sql) => ({ sql, args: [before, limit] })),
  };
}

const outlived = `SELECT id FROM event WHERE created_at <= ? AND state <> 'waiting' ORDER BY created_at, id LIMIT ?`;
