import { and, eq, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { bookingWrites, factWrite } from '../ledger/entry-store.ts';
import { unplacedPayment } from '../schema.ts';
import { applyFacts, type UnplacedFact } from './fact.ts';
import type { UnplacedPayment } from './unplaced.ts';

const { placeholder } = sql;

const insertUnplaced = insertRow(unplacedPayment);

/** Guarded by the version that was read. */
const updateUnplaced = prepareWrite<UnplacedPayment & { versionRead: number }>(
  build
    .update(unplacedPayment)
    .set({
      eventType: parameter('eventType'),
      state: parameter('state'),
      version: parameter('version'),
      amountMinor: parameter('amountMinor'),
      suspendedMinor: parameter('suspendedMinor'),
      goodsMinor: parameter('goodsMinor'),
      feeMinor: parameter('feeMinor'),
      netMinor: parameter('netMinor'),
      payer: parameter('payer'),
      reference: parameter('reference'),
      clientTransId: parameter('clientTransId'),
      channel: parameter('channel'),
      paidAt: parameter('paidAt'),
      reason: parameter('reason'),
      note: parameter('note'),
      collectionId: parameter('collectionId'),
      closedAt: parameter('closedAt'),
      updatedAt: parameter('updatedAt'),
    })
    .where(
      and(eq(unplacedPayment.id, placeholder('id')), eq(unplacedPayment.version, placeholder('versionRead'))),
    ),
  1,
);

export type SessionKey = { merchantId: string; livemode: number; sessionId: string };

const byId = prepareQuery(
  build
    .select()
    .from(unplacedPayment)
    .where(eq(unplacedPayment.id, placeholder('id'))),
);

const bySession = prepareQuery(
  build
    .select()
    .from(unplacedPayment)
    .where(
      and(
        eq(unplacedPayment.sessionId, placeholder('sessionId')),
        eq(unplacedPayment.merchantId, placeholder('merchantId')),
        eq(unplacedPayment.livemode, placeholder('livemode')),
      ),
    ),
);

export type UnplacedStore = ReturnType<typeof unplacedStore>;

/** Reads unplaced payments by their id and by their payment session. */
export function unplacedStore(store: Store) {
  return {
    async find(id: string): Promise<UnplacedPayment | undefined> {
      return (await byId.get(store, { id })) as UnplacedPayment | undefined;
    },
    async findBySession(key: SessionKey): Promise<UnplacedPayment | undefined> {
      return (await bySession.get(store, key)) as UnplacedPayment | undefined;
    },
  };
}

/**
 * Returns the writes of one fact: the row, guarded by the version that was read, the fact and its postings. A new payment
 * loses when its payment session has one.
 */
export function unplacedWrites(
  before: UnplacedPayment | undefined,
  fact: UnplacedFact,
  now: EpochMs,
): Write[] {
  const at = Math.max(now, before?.updatedAt ?? 0);
  const { after, bookings } = applyFacts(before, [{ ...fact, at }]);
  if (!after) return [];
  const row = before ? updateUnplaced({ ...after, versionRead: before.version }) : insertUnplaced(after);
  return [row, factWrite(after, after.version, fact, at), ...bookingWrites(after, bookings, at)];
}
