import { and, asc, eq, gt, isNotNull, lte, ne, sql } from 'drizzle-orm';
import { eventTypes } from '../../contract/service/event.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { sessionLock } from '../collection/store/collection-store.ts';
import { type MovedMerchants, noneMoved } from '../database/moved-merchants-query.ts';
import { collection, inbox, unplacedPayment } from '../database/schema.ts';

export type InboxRow = typeof inbox.$inferSelect;
export type InboxKey = { merchantId: string; eventId: string };

/** A session as it was read at a merchant of the account: no collection, and this number of charges. */
export type SessionSeen = { sessionId: string; ownerId: string; charges: number };

const { placeholder } = sql;
const isKey = equals(inbox, 'merchantId', 'eventId');

const insertEvent = insertRow(inbox);

const claimEvent = prepareWrite<InboxKey & { attempts: number; leaseUntil: EpochMs; now: EpochMs }>(
  build
    .update(inbox)
    .set({
      // As for a collection: if the worker stops, the event is due again when the lease expires.
      nextAt: parameter('leaseUntil'),
      leaseUntil: parameter('leaseUntil'),
      attempts: sql`${inbox.attempts} + 1`,
    })
    .where(
      and(
        isKey,
        eq(inbox.state, 'waiting'),
        equals(inbox, 'attempts'),
        lte(inbox.leaseUntil, placeholder('now')),
      ),
    ),
  1,
);

/** Applies only to the row as it was read: a stale event that was promoted meanwhile is handled again. */
const finishEvent = prepareWrite<InboxKey & { state: InboxRow['state']; stale: number }>(
  build
    .update(inbox)
    .set({ state: parameter('state'), nextAt: null, leaseUntil: 0 })
    .where(and(isKey, eq(inbox.state, 'waiting'), equals(inbox, 'stale'))),
  1,
);

/** Applies only to the row as it was read, like `finishEvent`: a promoted stale event may report money. */
const parkEvent = prepareWrite<InboxKey & { sessionId: string; stale: number }>(
  build
    .update(inbox)
    .set({ state: 'parked', nextAt: null, leaseUntil: 0 })
    .where(
      and(
        isKey,
        eq(inbox.state, 'waiting'),
        equals(inbox, 'stale'),
        sql`NOT EXISTS (SELECT 1 FROM ${collection} WHERE ${collection.sessionId} = ${placeholder('sessionId')}
            AND ${collection.merchantId} = ${placeholder('merchantId')} AND ${collection.livemode} = ${inbox.livemode})`,
      ),
    ),
  1,
);

/** Applies only while what a merchant of the account has of the session is as it was read. */
const guardSession = prepareWrite<InboxKey & SessionSeen>(
  build
    .update(inbox)
    .set({ attempts: sql`${inbox.attempts}` })
    .where(
      and(
        isKey,
        sql`NOT EXISTS (SELECT 1 FROM ${collection} WHERE ${collection.sessionId} = ${placeholder('sessionId')}
            AND ${collection.merchantId} = ${placeholder('ownerId')} AND ${collection.livemode} = ${inbox.livemode})`,
        sql`(SELECT count(*) FROM ${unplacedPayment} WHERE ${unplacedPayment.sessionId} = ${placeholder('sessionId')}
            AND ${unplacedPayment.merchantId} = ${placeholder('ownerId')}
            AND ${unplacedPayment.livemode} = ${inbox.livemode}) = ${placeholder('charges')}`,
      ),
    ),
  1,
);

/** Applies only while no event that reports a failure of the session is parked. */
const guardNoFailure = prepareWrite<InboxKey & { sessionId: string }>(
  build
    .update(inbox)
    .set({ attempts: sql`${inbox.attempts}` })
    .where(
      and(
        isKey,
        sql`NOT EXISTS (SELECT 1 FROM ${inbox} AS parked WHERE parked.session_id = ${placeholder('sessionId')}
      AND parked.merchant_id = ${placeholder('merchantId')} AND parked.livemode = ${inbox.livemode}
      AND parked.type = ${eventTypes.failed} AND parked.state = 'parked' AND parked.stale = 0)`,
      ),
    ),
  1,
);

const promoteStaleEvent = prepareWrite<InboxKey & { now: EpochMs }>(
  build
    .update(inbox)
    .set({ state: 'waiting', nextAt: parameter('now'), leaseUntil: 0, stale: 0 })
    .where(and(isKey, eq(inbox.stale, 1), ne(inbox.state, 'handled'))),
  1,
);

const postponeEvent = prepareWrite<InboxKey & { nextAt: EpochMs }>(
  build
    .update(inbox)
    .set({ nextAt: parameter('nextAt'), leaseUntil: 0 })
    .where(and(isKey, eq(inbox.state, 'waiting'))),
);

export type InboxStore = ReturnType<typeof inboxStore>;

/** The gateway of the merchant's database handles them. */
const isServedHere = sql`${inbox.merchantId} NOT IN (SELECT value FROM json_each(${placeholder('moved')}))`;

const findByKey = prepareQuery(build.select().from(inbox).where(isKey));

const due = prepareQuery(
  build
    .select()
    .from(inbox)
    .where(
      and(
        lte(inbox.nextAt, placeholder('now')),
        lte(inbox.leaseUntil, placeholder('now')),
        equals(inbox, 'livemode'),
        isServedHere,
      ),
    )
    .orderBy(asc(inbox.nextAt))
    .limit(placeholder('limit')),
);

const parkedFailure = prepareQuery(
  build
    .select({ eventId: inbox.eventId })
    .from(inbox)
    .where(
      and(
        equals(inbox, 'sessionId', 'merchantId', 'livemode'),
        eq(inbox.type, eventTypes.failed),
        eq(inbox.state, 'parked'),
        eq(inbox.stale, 0),
      ),
    )
    .orderBy(asc(inbox.receivedAt))
    .limit(1),
);

const waitingQuery = prepareQuery(
  build
    .select({ eventId: inbox.eventId })
    .from(inbox)
    .where(and(equals(inbox, 'sessionId'), eq(inbox.state, 'waiting')))
    .limit(1),
);

const earliest = prepareQuery(
  build
    .select({ at: inbox.nextAt })
    .from(inbox)
    .where(and(isNotNull(inbox.nextAt), equals(inbox, 'livemode'), isServedHere))
    .orderBy(asc(inbox.nextAt))
    .limit(1),
);

/** Returns the reads and guarded writes of stored events. The event id identifies duplicates and is never deleted. */
export function inboxStore(store: Store, moved: MovedMerchants = noneMoved) {
  const listMoved = () => JSON.stringify([...moved.keys()]);
  return {
    find: (key: InboxKey): Promise<InboxRow | undefined> => findByKey.get(store, key),
    /** Returns whether an event of a session is stored and not handled yet. */
    hasWaiting: async (sessionId: string): Promise<boolean> =>
      (await waitingQuery.get(store, { sessionId })) !== undefined,
    listDue: (key: { now: EpochMs; livemode: 0 | 1; limit: number }): Promise<InboxRow[]> =>
      due.all(store, { ...key, moved: listMoved() }),
    /** Returns the id of the first parked event that reports a failure of a payment session; null without one. */
    async findParkedFailure(key: Pick<InboxRow, 'merchantId' | 'livemode'> & { sessionId: string }) {
      return (await parkedFailure.get(store, key))?.eventId ?? null;
    },
    async nextDueAt(livemode: 0 | 1): Promise<EpochMs | null> {
      return (await earliest.get(store, { livemode, moved: listMoved() }))?.at ?? null;
    },
    claim: ({ merchantId, eventId, attempts }: InboxRow, now: EpochMs, leaseUntil: EpochMs) =>
      store.apply([claimEvent({ merchantId, eventId, attempts, leaseUntil, now })]),
    apply: (...writes: Write[]) => store.apply(writes),
  };
}

const releaseEvents = prepareWrite<{ now: EpochMs }>(
  build
    .update(inbox)
    .set({ nextAt: parameter('now'), leaseUntil: 0 })
    .where(and(eq(inbox.state, 'waiting'), gt(inbox.leaseUntil, placeholder('now')))),
);

const releaseEvent = prepareWrite<InboxKey & { leaseUntil: EpochMs }>(
  build
    .update(inbox)
    .set({ nextAt: sql`${inbox.receivedAt}`, leaseUntil: 0 })
    .where(and(isKey, eq(inbox.state, 'waiting'), equals(inbox, 'leaseUntil'))),
);

const limitEventDelays = prepareWrite<{ now: EpochMs; latest: EpochMs }>(
  build
    .update(inbox)
    .set({ nextAt: parameter('now') })
    .where(gt(inbox.nextAt, placeholder('latest'))),
);

/** Maximum delay before a failed event is retried, in milliseconds. */
export const maxRetryDelayMs = 10 * 60_000;

export const inboxWrites = {
  /** Makes events due whose delay exceeds the maximum: a clock that was far ahead has set it. */
  limitDelays: (now: EpochMs): Write => limitEventDelays({ now, latest: now + maxRetryDelayMs }),
  /** Releases the leases of a process that ended. */
  releaseLeases: (now: EpochMs): Write => releaseEvents({ now }),
  /** Ends the lease under which an event was stored, unless another process has claimed it since. */
  release: ({ merchantId, eventId, leaseUntil }: InboxRow): Write =>
    releaseEvent({ merchantId, eventId, leaseUntil }),
  insert: (row: InboxRow): Write => insertEvent(row),
  /** Makes a stale event a current one, after a delivery with a current signature. */
  promote: (key: InboxKey, now: EpochMs): Write => promoteStaleEvent({ ...key, now }),
  finish: (
    { merchantId, eventId, stale }: InboxKey & Pick<InboxRow, 'stale'>,
    state: 'handled' | 'hint' | 'dead',
  ): Write => finishEvent({ merchantId, eventId, stale, state }),
  /** Parks an event, unless a collection with its payment session exists meanwhile. */
  park: ({ merchantId, eventId, stale }: InboxKey & Pick<InboxRow, 'stale'>, sessionId: string): Write => ({
    ...parkEvent({ merchantId, eventId, stale, sessionId }),
    locks: [sessionLock(sessionId)],
  }),
  /** Guards the batch of an event against what a merchant of the account learns of its session meanwhile. */
  expectSession: ({ merchantId, eventId }: InboxKey, seen: SessionSeen): Write => ({
    ...guardSession({ merchantId, eventId, ...seen }),
    locks: [sessionLock(seen.sessionId)],
  }),
  /** Guards the batch of an event against a failure of its session that is parked meanwhile. */
  expectNoFailure: ({ merchantId, eventId }: InboxKey, sessionId: string): Write => ({
    ...guardNoFailure({ merchantId, eventId, sessionId }),
    locks: [sessionLock(sessionId)],
  }),
  postpone: ({ merchantId, eventId }: InboxKey, nextAt: EpochMs): Write =>
    postponeEvent({ merchantId, eventId, nextAt }),
};
