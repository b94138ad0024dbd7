import { and, eq, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { build, equals, parameter, prepareQuery, prepareWrite } from '../../../sqlite/statement.ts';
import type { Store, Write } from '../../../sqlite/store.ts';
import { type MovedMerchants, noneMoved } from '../../database/moved-merchants-query.ts';
import { collection, inbox, job, openStatusesText, requestKinds } from '../../database/schema.ts';
import { bookingWrites, factWrite } from '../../ledger/entry-store.ts';
import { unplacedWrites } from '../../unplaced/unplaced-store.ts';
import type { CollectionRow, CollectionWithJob } from '../collection.ts';
import type { Transition } from '../decide/decision.ts';
import { rejectionQuery } from '../opening/opening-store.ts';
import { getUrgency } from '../schedule.ts';
import { claimStore, selectWithJob } from './claim-store.ts';
import { recentQuery } from './recent-query.ts';

const { placeholder } = sql;

/** Guarded by the version that was read. */
const updateCollection = prepareWrite<CollectionRow & { versionRead: number }>(
  build
    .update(collection)
    .set({
      status: parameter('status'),
      version: parameter('version'),
      amountMinor: parameter('amountMinor'),
      feeMinor: parameter('feeMinor'),
      netMinor: parameter('netMinor'),
      booked: parameter('booked'),
      amountSource: parameter('amountSource'),
      unplacedId: parameter('unplacedId'),
      sessionId: parameter('sessionId'),
      promptNotBefore: parameter('promptNotBefore'),
      promptDeadline: parameter('promptDeadline'),
      initiateSentAt: parameter('initiateSentAt'),
      initiateSends: parameter('initiateSends'),
      initiateRejection: parameter('initiateRejection'),
      initiatedAt: parameter('initiatedAt'),
      paidAt: parameter('paidAt'),
      closedAt: parameter('closedAt'),
      confirmedAt: parameter('confirmedAt'),
      reportedFailure: parameter('reportedFailure'),
      late: parameter('late'),
      lapsedAt: parameter('lapsedAt'),
      restoredAt: parameter('restoredAt'),
      reason: parameter('reason'),
      review: parameter('review'),
      awaitsServiceSince: parameter('awaitsServiceSince'),
      updatedAt: parameter('updatedAt'),
    })
    .where(and(equals(collection, 'id'), eq(collection.version, placeholder('versionRead')))),
  1,
);

const wakeParked = prepareWrite<{ merchantId: string; sessionId: string; now: EpochMs }>(
  build
    .update(inbox)
    .set({ state: 'waiting', nextAt: parameter('now') })
    .where(and(equals(inbox, 'merchantId', 'sessionId'), eq(inbox.state, 'parked'))),
);

/**
 * The lock of a payment session: an event is parked because no collection has it, and a collection that learns it wakes
 * its events. One of the two must see the other.
 */
export function sessionLock(sessionId: string): string {
  return `session ${sessionId}`;
}

const updateJob = prepareWrite<
  Pick<typeof job.$inferSelect, 'collectionId' | 'nextAt' | 'leaseUntil' | 'attempts' | 'urgency' | 'fence'>
>(
  build
    .update(job)
    .set({
      nextAt: parameter('nextAt'),
      leaseUntil: parameter('leaseUntil'),
      attempts: parameter('attempts'),
      urgency: parameter('urgency'),
    })
    .where(equals(job, 'collectionId', 'fence')),
  1,
);

const deleteJob = prepareWrite<{ collectionId: string; fence: number }>(
  build.delete(job).where(equals(job, 'collectionId', 'fence')),
  1,
);

/**
 * Returns the write that changes the job of a collection, or deletes it when no work is left; none without a job. Guarded by the fence:
 * a worker that lost its lease writes nothing. Must follow the write of the collection: a trigger keeps a job while work is left.
 *
 * @throws Error when work would begin again: a collection has one job in its life.
 */
function jobWrites(before: CollectionWithJob, after: CollectionWithJob): Write[] {
  const { id: collectionId, nextAt, leaseUntil, attempts } = after;
  if (before.nextAt === null) {
    if (nextAt !== null) throw new Error(`collection ${collectionId} has no job that could be due`);
    return [];
  }
  const { fence } = before;
  if (nextAt === null) return [deleteJob({ collectionId, fence })];
  return [
    updateJob({ collectionId, fence, nextAt, leaseUntil, attempts, urgency: getUrgency(after.status) }),
  ];
}

/**
 * Returns the writes of a transition: the guarded writes of the collection and of its job, its facts and bookings, and those of
 * unplaced payments. When the transition learns the session, events that are parked for it become due.
 *
 * @param account the merchants that the events of the session can have reached.
 */
export function transitionWrites(
  before: CollectionWithJob,
  { facts, bookings, charges, next: after }: Transition,
  account: readonly string[],
): Write[] {
  const { version, updatedAt: at } = after;
  const update = updateCollection({ ...after, versionRead: before.version });
  const learned = before.sessionId === null ? after.sessionId : null;
  const writes: Write[] = [learned === null ? update : { ...update, locks: [sessionLock(learned)] }];
  for (const [index, one] of facts.entries()) {
    writes.push(factWrite(before, before.version + index + 1, one, at));
  }
  writes.push(...jobWrites(before, after));
  writes.push(...bookingWrites({ ...before, version }, bookings, at));
  if (learned !== null)
    for (const merchantId of account) writes.push(wakeParked({ merchantId, sessionId: learned, now: at }));
  writes.push(...charges.flatMap(unplacedWrites));
  return writes;
}

type Scope = { merchantId: string; livemode: 0 | 1 };

export type CollectionStore = ReturnType<typeof collectionStore>;

const byId = prepareQuery(selectWithJob(equals(collection, 'id')));

const bySession = prepareQuery(selectWithJob(equals(collection, 'sessionId', 'merchantId', 'livemode')));

const otherOfSession = prepareQuery(
  build
    .select({ id: collection.id })
    .from(collection)
    .where(and(equals(collection, 'sessionId'), ne(collection.id, placeholder('id')))),
);

const byShortReference = prepareQuery(
  build
    .select()
    .from(collection)
    .where(equals(collection, 'shortReference', 'merchantId', 'livemode')),
);

const openOfPayer = prepareQuery(
  build
    .select()
    .from(collection)
    .where(
      and(
        equals(collection, 'merchantId', 'payer', 'livemode'),
        // Selects the index of open collections. That of diallers holds every collection an attendant has ever requested.
        sql`${collection.requestedBy} IN ${requestKinds}`,
        sql`coalesce(${collection.dialler}, '') = ${placeholder('dialler')}`,
        sql`${collection.status} IN ${openStatusesText}`,
        isNull(collection.lapsedAt),
      ),
    ),
);

/** Reads collections, claims due ones, and applies guarded writes. */
export function collectionStore(store: Store, home: string | null = null, moved: MovedMerchants = noneMoved) {
  return {
    ...claimStore(store, home, moved),
    ...recentQuery(store),
    findRejection: rejectionQuery(store),
    async find(id: string): Promise<CollectionWithJob | undefined> {
      return await byId.get(store, { id });
    },
    async findBySession(key: Scope & { sessionId: string }): Promise<CollectionWithJob | undefined> {
      return await bySession.get(store, key);
    },
    /** Returns whether another collection, of any merchant, has pinned the session. */
    async isSessionOfOther(sessionId: string, id: string): Promise<boolean> {
      return (await otherOfSession.get(store, { sessionId, id })) !== undefined;
    },
    async findByShortReference(key: Scope & { shortReference: string }): Promise<CollectionRow | undefined> {
      return await byShortReference.get(store, key);
    },
    /** Returns the dialler's collection from this payer that keeps the dialler from opening another one. */
    async findOpen(key: Scope & { payer: Msisdn; dialler: Msisdn }): Promise<CollectionRow | undefined> {
      return await openOfPayer.get(store, key);
    },
    apply: store.apply,
  };
}

/** Returns the condition that at least one of the conditions holds. Each condition uses its own index. */
export function inRows(conditions: readonly SQL[]): SQL {
  const parts = conditions.map((condition) => sql`SELECT rowid FROM ${collection} WHERE ${condition}`);
  return sql`${collection}.rowid IN (${sql.join(parts, sql` UNION ALL `)})`;
}
