import { and, asc, eq, sql } from 'drizzle-orm';
import { build, equals, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { collection, unplacedPayment } from '../database/schema.ts';
import { bookingWrites, factWrite } from '../ledger/entry-store.ts';
import type { SessionKey } from './decide.ts';
import type { UnplacedChange } from './fact.ts';
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
    .where(and(equals(unplacedPayment, 'id'), eq(unplacedPayment.version, placeholder('versionRead')))),
  1,
);

const byId = prepareQuery(build.select().from(unplacedPayment).where(equals(unplacedPayment, 'id')));

const bySession = prepareQuery(
  build
    .select()
    .from(unplacedPayment)
    .where(equals(unplacedPayment, 'sessionId', 'merchantId', 'livemode'))
    .orderBy(asc(unplacedPayment.charge)),
);

const collectionOfSession = prepareQuery(
  build
    .select({ id: collection.id })
    .from(collection)
    .where(equals(collection, 'sessionId', 'merchantId', 'livemode')),
);

/** Returns the merchants that share the account of a merchant at the service, the merchant included. */
export type AccountOf = (merchantId: string) => readonly string[];

export type UnplacedStore = ReturnType<typeof unplacedStore>;

/**
 * Reads unplaced payments by their id and by their payment session.
 *
 * @param accountOf returns the merchants that share a merchant's account at the service, and so its sessions.
 */
export function unplacedStore(store: Store, accountOf: AccountOf = (merchantId) => [merchantId]) {
  return {
    async find(id: string): Promise<UnplacedPayment | undefined> {
      return (await byId.get(store, { id })) as UnplacedPayment | undefined;
    },
    /** Returns the id of the collection that has the payment session; null without one. */
    async findCollection({
      sessionId,
      merchantId,
      livemode,
    }: Pick<UnplacedPayment, 'sessionId' | 'merchantId' | 'livemode'>): Promise<string | null> {
      if (sessionId === null) return null;
      return (await collectionOfSession.get(store, { sessionId, merchantId, livemode }))?.id ?? null;
    },
    /**
     * Lists the charges of a payment session that are, or were, unplaced, by their number. The events of the session can have
     * reached each merchant of its account.
     */
    async listBySession(key: SessionKey): Promise<UnplacedPayment[]> {
      const account = accountOf(key.merchantId);
      const found = await Promise.all(
        account.map((merchantId) => bySession.all(store, { ...key, merchantId })),
      );
      return (found.flat() as UnplacedPayment[]).toSorted((one, other) => one.charge - other.charge);
    },
  };
}

/**
 * Returns the writes of a change: the row, guarded by the version that was read, the facts and their postings. A new payment
 * loses when its payment session has one of the same charge.
 */
export function unplacedWrites({ before, after, facts, bookings }: UnplacedChange): Write[] {
  const { updatedAt: at } = after;
  const row = before ? updateUnplaced({ ...after, versionRead: before.version }) : insertUnplaced(after);
  const factWrites = facts.map((fact, index) =>
    factWrite(after, (before?.version ?? 0) + index + 1, fact, at),
  );
  return [row, ...factWrites, ...bookingWrites(after, bookings, at)];
}
