import { and, eq, sql } from 'drizzle-orm';
import type { EpochMs } from '../../../shared/clock.ts';
import { build, filled, prepareWrite, rowOf } from '../../../sqlite/statement.ts';
import type { Write } from '../../../sqlite/store.ts';
import type { FactRow, PostingRow } from '../../ledger/chain.ts';
import { collection, fact, inbox, posting } from '../../schema.ts';
import type { CollectionRow } from '../collection.ts';
import type { Decision } from '../decide/decision.ts';
import type { Fact } from '../fact.ts';

const { placeholder } = sql;

/** Guarded by the version that was read and by the lease: a worker that lost either writes nothing. */
const updateCollection = prepareWrite<CollectionRow & { versionRead: number; fenceRead: number }>(
  build
    .update(collection)
    .set({
      status: filled('status'),
      version: filled('version'),
      amountMinor: filled('amountMinor'),
      feeMinor: filled('feeMinor'),
      netMinor: filled('netMinor'),
      booked: filled('booked'),
      amountSource: filled('amountSource'),
      sessionId: filled('sessionId'),
      promptNotBefore: filled('promptNotBefore'),
      promptDeadline: filled('promptDeadline'),
      initiateSentAt: filled('initiateSentAt'),
      initiateSends: filled('initiateSends'),
      initiateRejection: filled('initiateRejection'),
      initiatedAt: filled('initiatedAt'),
      paidAt: filled('paidAt'),
      closedAt: filled('closedAt'),
      late: filled('late'),
      lapsedAt: filled('lapsedAt'),
      restoredAt: filled('restoredAt'),
      reason: filled('reason'),
      review: filled('review'),
      nextAt: filled('nextAt'),
      leaseUntil: filled('leaseUntil'),
      attempts: filled('attempts'),
      updatedAt: filled('updatedAt'),
    })
    .where(
      and(
        eq(collection.id, placeholder('id')),
        eq(collection.version, placeholder('versionRead')),
        eq(collection.fence, placeholder('fenceRead')),
      ),
    ),
  1,
);

const insertFact = prepareWrite<Omit<FactRow, 'seq'>>(build.insert(fact).values(rowOf(fact, 'seq')), 1);

const insertPosting = prepareWrite<Omit<PostingRow, 'seq'>>(
  build.insert(posting).values(rowOf(posting, 'seq')),
  1,
);

const wakeParked = prepareWrite<{ merchantId: string; sessionId: string; now: EpochMs }>(
  build
    .update(inbox)
    .set({ state: 'waiting', nextAt: filled('now') })
    .where(
      and(
        eq(inbox.merchantId, placeholder('merchantId')),
        eq(inbox.sessionId, placeholder('sessionId')),
        eq(inbox.state, 'parked'),
      ),
    ),
);

/**
 * Returns the writes of a transition: the guarded update of the row, its facts and its bookings. When the transition
 * learns the session, events that are parked for it become due.
 */
export function transitionWrites(
  before: CollectionRow,
  after: CollectionRow,
  { facts, bookings }: Pick<Decision, 'facts' | 'bookings'>,
): Write[] {
  const { merchantId, livemode, id: collectionId } = before;
  const at = after.updatedAt;
  const writes = [updateCollection({ ...after, versionRead: before.version, fenceRead: before.fence })];
  for (const [index, one] of facts.entries()) {
    writes.push(factWrite(before, before.version + index + 1, one, at));
  }
  for (const { kind: booking, postings } of bookings) {
    for (const side of postings)
      writes.push(insertPosting({ collectionId, merchantId, livemode, booking, ...side, at }));
  }
  if (before.sessionId === null && after.sessionId !== null) {
    writes.push(wakeParked({ merchantId, sessionId: after.sessionId, now: at }));
  }
  return writes;
}

export function factWrite(
  row: { id: string; merchantId: string },
  version: number,
  { kind, data }: Fact,
  at: EpochMs,
): Write {
  return insertFact({
    collectionId: row.id,
    merchantId: row.merchantId,
    version,
    kind,
    data: JSON.stringify(data),
    at,
  });
}
