import { and, asc, desc, eq, gt, isNotNull, lt, lte, ne, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import {
  build,
  equals,
  findRow,
  insertRow,
  parameter,
  prepareQuery,
  prepareWrite,
} from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { equalsIfSet, mergeNewest, unindexed } from '../list-query.ts';
import { event, type Livemode } from '../schema.ts';
import type { SessionOwner } from '../session/session-store.ts';
import type { EndpointKey } from '../webhook/webhook-store.ts';

export type Event = typeof event.$inferSelect;

export type AttemptOutcome = Pick<Event, 'state' | 'nextAt' | 'lastStatus' | 'lastError' | 'repeats'>;

/** A delivery attempt: its number since the event was created, and its number in the present retry schedule. */
type AttemptNumber = { id: string; attempts: number; tries: number };

export type EventFilter = {
  type?: Event['type'] | undefined;
  sessionId?: string | undefined;
  platformId?: string | undefined;
  state?: Event['state'] | undefined;
};

export type EventStore = ReturnType<typeof eventStore>;

const { placeholder } = sql;

// Reads the first event of each endpoint by index, so that the cost grows with the endpoints and not with the events.
const firstPerEndpoint = sql`WITH RECURSIVE head(id) AS (
  SELECT (SELECT id FROM event WHERE next_at IS NOT NULL ORDER BY platform_id, livemode, next_at LIMIT 1)
  UNION ALL
  SELECT coalesce(
    (SELECT n.id FROM event n WHERE n.next_at IS NOT NULL AND n.platform_id = c.platform_id
       AND n.livemode > c.livemode ORDER BY n.livemode, n.next_at LIMIT 1),
    (SELECT n.id FROM event n WHERE n.next_at IS NOT NULL AND n.platform_id > c.platform_id
       ORDER BY n.platform_id, n.livemode, n.next_at LIMIT 1))
  FROM head JOIN event c ON c.id = head.id)
  SELECT id FROM head`;

const endpointsDue = prepareQuery(
  build
    .select({ platformId: event.platformId, livemode: event.livemode })
    .from(event)
    .where(and(sql`${event.id} IN (${firstPerEndpoint})`, lte(event.nextAt, placeholder('now'))))
    .orderBy(asc(event.nextAt)),
);

const due = prepareQuery(
  build
    .select()
    .from(event)
    .where(
      and(
        equals(event, 'platformId', 'livemode'),
        isNotNull(event.nextAt),
        lte(event.nextAt, placeholder('now')),
      ),
    )
    .orderBy(asc(event.nextAt))
    .limit(placeholder('limit')),
);

// The first later time of each endpoint, by the same index.
const nextOfEndpoint = sql`(SELECT n.next_at FROM event n WHERE n.next_at > ${placeholder('after')}
  AND n.platform_id = ${event.platformId} AND n.livemode = ${event.livemode} ORDER BY n.next_at LIMIT 1)`;

const nextDue = prepareQuery(
  build
    .select({ at: sql<EpochMs | null>`min(${nextOfEndpoint})` })
    .from(event)
    .where(sql`${event.id} IN (${firstPerEndpoint})`),
);

const oldestClosed = prepareQuery(
  build
    .select({ at: event.createdAt })
    .from(event)
    .where(ne(event.state, 'waiting'))
    .orderBy(asc(event.createdAt))
    .limit(1),
);

const findAny = findRow(event, 'id');

const undeliverableAt = prepareQuery(
  build
    .select({ id: event.id })
    .from(event)
    .where(
      and(
        equals(event, 'platformId', 'livemode'),
        eq(event.state, 'endpoint_disabled'),
        gt(event.id, placeholder('after')),
      ),
    )
    .orderBy(asc(event.id))
    .limit(placeholder('limit')),
);

const thisAttempt = and(equals(event, 'id'), eq(event.state, 'waiting'), equals(event, 'attempts'));

const thisTry = equals(event, 'tries');

const claim = prepareWrite<AttemptNumber & { now: EpochMs; leaseUntil: EpochMs }>(
  build
    .update(event)
    .set({
      attempts: sql`${event.attempts} + 1`,
      tries: sql`${event.tries} + 1`,
      lastAttemptAt: parameter('now'),
      nextAt: parameter('leaseUntil'),
    })
    .where(and(thisAttempt, thisTry)),
  1,
);

const finish = prepareWrite<AttemptNumber & AttemptOutcome>(
  build
    .update(event)
    .set({
      state: parameter('state'),
      nextAt: parameter('nextAt'),
      lastStatus: parameter('lastStatus'),
      lastError: parameter('lastError'),
      repeats: parameter('repeats'),
    })
    .where(and(thisAttempt, thisTry)),
  1,
);

const resend = prepareWrite<{ id: string; now: EpochMs }>(
  build
    .update(event)
    .set({ state: 'waiting', nextAt: parameter('now'), tries: 0 })
    .where(equals(event, 'id')),
  1,
);

export function eventStore(store: Store) {
  return {
    /** The endpoints with events that are due, the longest overdue first. */
    endpointsDue: (now: EpochMs): Promise<EndpointKey[]> => endpointsDue.all(store, { now }),
    /** The due events of an endpoint, the longest overdue first. */
    due: (endpoint: EndpointKey, now: EpochMs, limit: number): Promise<Event[]> =>
      due.all(store, { ...endpoint, now, limit }),
    nextDue: async (after: EpochMs): Promise<EpochMs | undefined> =>
      (await nextDue.get(store, { after }))?.at ?? undefined,
    oldestClosed: async (): Promise<EpochMs | undefined> => (await oldestClosed.get(store))?.at,
    /** Finds an event of the owner. Events of another merchant or mode are not found. */
    find: async (owner: SessionOwner, id: string): Promise<Event | undefined> => {
      const found = await findAny.get(store, { id });
      return found?.merchantId === owner.merchantId && found.livemode === owner.livemode ? found : undefined;
    },
    /** Finds an event of any merchant, for the admin API. */
    findAny: (id: string): Promise<Event | undefined> => findAny.get(store, { id }),
    /** The owner's events, newest first. `before` is the last identifier of the page before. */
    async list(
      owner: SessionOwner,
      filter: EventFilter,
      limit: number,
      before: string | undefined,
    ): Promise<Event[]> {
      const { type, sessionId, platformId } = filter;
      const isNarrower = sessionId !== undefined || platformId !== undefined;
      // The index of a platform's events has the state before the identifier, and the index of a merchant's events the
      // type. Without that filter, each value is read on its own.
      const states =
        platformId !== undefined && filter.state === undefined ? event.state.enumValues : [filter.state];
      const types =
        isNarrower || type !== undefined || filter.state !== undefined ? [type] : event.type.enumValues;
      const page = (ofType: Event['type'] | undefined, state: Event['state'] | undefined) =>
        store.read
          .select()
          .from(event)
          .where(
            and(
              equalsIfSet(isNarrower ? unindexed(event.merchantId) : event.merchantId, owner.merchantId),
              eq(event.livemode, owner.livemode),
              equalsIfSet(event.type, ofType),
              equalsIfSet(event.sessionId, sessionId),
              equalsIfSet(event.platformId, platformId),
              equalsIfSet(event.state, state),
              before === undefined ? undefined : lt(event.id, before),
            ),
          )
          .orderBy(desc(event.id))
          .limit(limit);
      const parts = types.flatMap((one) => states.map((state) => page(one, state)));
      return mergeNewest(await Promise.all(parts), limit);
    },
    insert: insertRow(event),
    /** Counts an attempt before it is made, and leases the event until `leaseUntil`. */
    claim,
    /** Stores the outcome of an attempt. The guard loses to a `resend` during the attempt. */
    finish,
    /** Makes an event due and restarts its retry schedule, in any state. */
    resend: (id: string, now: EpochMs): Write => resend({ id, now }),
    /** Ends the schedule of an event without sending it. The guard loses when its endpoint is enabled in the meantime. */
    markUndeliverable: (event: {
      id: string;
      attempts: number;
      platformId: string;
      livemode: Livemode;
      state: 'no_endpoint' | 'endpoint_disabled';
    }): Write => ({
      sql: `UPDATE event SET state = ?, next_at = NULL WHERE id = ? AND state = 'waiting' AND attempts = ?
              AND NOT EXISTS (SELECT 1 FROM endpoint WHERE platform_id = ? AND livemode = ? AND disabled_at IS NULL)`,
      args: [event.state, event.id, event.attempts, event.platformId, event.livemode],
      rows: 1,
    }),
    /** The events that were not sent because their endpoint was disabled, by identifier, after `after`. */
    undeliverableAt: async (endpoint: EndpointKey, after: string, limit: number): Promise<string[]> =>
      (await undeliverableAt.all(store, { ...endpoint, after, limit })).map(({ id }) => id),
    /** Makes events due that were not sent because their endpoint was disabled. */
    requeue: (ids: readonly string[], now: EpochMs): Write => ({
      sql: `UPDATE event SET state = 'waiting', next_at = ?, tries = 0
              WHERE state = 'endpoint_disabled' AND id IN (SELECT value FROM json_each(?))`,
      args: [now, JSON.stringify(ids)],
    }),
    /** Deletes old events that are not scheduled any more, and the log of their attempts. */
    prune: (before: EpochMs, limit: number): Write[] =>
      [
        `DELETE FROM delivery_attempt WHERE event_id IN (${expiredEvents})`,
        `DELETE FROM event WHERE id IN (${expiredEvents})`,
      ].map((sql) => ({ sql, args: [before, limit] })),
  };
}

const expiredEvents = `SELECT id FROM event WHERE created_at <= ? AND state <> 'waiting' ORDER BY created_at, id LIMIT ?`;
