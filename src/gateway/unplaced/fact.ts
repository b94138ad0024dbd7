import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import type { ChainedFact } from '../ledger/chain.ts';
import { type Booking, book } from '../ledger/posting.ts';
import {
  ownChannel,
  type StatedPayment,
  type UnplacedNote,
  type UnplacedPayment,
  type UnplacedReason,
} from './unplaced.ts';

/** The people of a decision, and the version that they saw. */
export type UnplacedGrounds = { by: string; approvedBy: string; evidence: string; versionSeen: number };

/** An event in the history of an unplaced payment. Facts are append-only, and the row is their fold. */
export type UnplacedFact =
  | {
      kind: 'reported';
      data: {
        id: string;
        merchantId: string;
        livemode: number;
        sessionId: string | null;
        charge: number;
        reason: UnplacedReason;
        stated: StatedPayment;
        /** The id of an earlier event that reports a failure of the payment session. */
        failedBefore?: string;
      };
    }
  /**
   * Another event or poll of the same charge. It books nothing twice. With the reason `second_charge`, a collection has the
   * session, so that the charge is not money of another channel.
   */
  | { kind: 'reported_again'; data: { stated: StatedPayment; reason?: 'second_charge' } }
  /** A collection has the money: it learned the session, or two people matched it. */
  | { kind: 'placed'; data: { collectionId: string } & Partial<UnplacedGrounds> }
  | { kind: 'returned'; data: UnplacedGrounds & { reference: string } }
  /** The service's operator has returned the money to the payer. */
  | { kind: 'refunded'; data: { amountMinor: number; reference: string; by: string } }
  | { kind: 'declared_foreign'; data: UnplacedGrounds };

export type RecordedUnplacedFact = UnplacedFact & { at: EpochMs };

/** @throws SyntaxError when the data of the fact is not JSON. */
export function readUnplacedFact({
  kind,
  data,
  at,
}: Pick<ChainedFact, 'kind' | 'data' | 'at'>): RecordedUnplacedFact {
  return { kind, data: JSON.parse(data), at } as RecordedUnplacedFact;
}

/** Returns the unplaced payment after one more fact. Pure: the audit compares each row with the replay of its facts. */
function evolveUnplaced(
  before: UnplacedPayment | undefined,
  fact: UnplacedFact,
  at: EpochMs,
): UnplacedPayment {
  if (fact.kind === 'reported') return reported(fact.data, at);
  if (!before) throw new Error(`the first fact of an unplaced payment must be reported, found ${fact.kind}`);
  const next = { ...before, version: before.version + 1, updatedAt: at };
  const closed = { ...next, suspendedMinor: 0, closedAt: at };
  switch (fact.kind) {
    case 'reported_again':
      return reportedAgain(reopened(next, fact.data), fact.data.stated);
    case 'placed':
      return { ...closed, state: 'placed', collectionId: fact.data.collectionId };
    case 'returned':
    case 'refunded':
      return { ...closed, state: 'returned' };
    case 'declared_foreign':
      return { ...closed, state: 'foreign', reason: 'declared_foreign' };
    default:
      return unreachable(fact);
  }
}

function reported(
  { stated, failedBefore, ...key }: Extract<UnplacedFact, { kind: 'reported' }>['data'],
  at: EpochMs,
): UnplacedPayment {
  const { chargedMinor, reports: _reports, other: _other, ...rest } = stated;
  const isOpen = key.reason !== 'other_channels' && key.reason !== 'stated_channel';
  return {
    ...key,
    ...rest,
    state: isOpen ? 'open' : 'foreign',
    version: 1,
    amountMinor: chargedMinor,
    suspendedMinor: isOpen ? (chargedMinor ?? 0) : 0,
    note: failedBefore === undefined ? findNote({ amountMinor: chargedMinor }, stated) : 'failure_reported',
    collectionId: null,
    receivedAt: at,
    closedAt: null,
    updatedAt: at,
  };
}

/**
 * Returns the payment as money of the gateway's own channel, if a rule has made it foreign and the report shows that it is not. A
 * decision of people stays.
 */
function reopened(
  payment: UnplacedPayment,
  { reason, stated }: Extract<UnplacedFact, { kind: 'reported_again' }>['data'],
): UnplacedPayment {
  if (payment.state !== 'foreign' || payment.reason === 'declared_foreign') return payment;
  if (payment.reason === 'other_channels' && reason) return { ...payment, state: 'open', reason };
  if (stated.channel !== ownChannel) return payment;
  return { ...payment, state: 'open', reason: 'unknown_session', channel: ownChannel };
}

function reportedAgain(next: UnplacedPayment, stated: StatedPayment): UnplacedPayment {
  // Any other amount corrects the one that an earlier event stated.
  const isStated = stated.reports === 'payment' || stated.reports === 'second_charge';
  const amountMinor = isStated && stated.chargedMinor ? stated.chargedMinor : next.amountMinor;
  return {
    ...next,
    eventType: stated.eventType,
    amountMinor,
    suspendedMinor: next.state === 'open' ? (amountMinor ?? 0) : 0,
    goodsMinor: next.goodsMinor ?? stated.goodsMinor,
    feeMinor: next.feeMinor ?? stated.feeMinor,
    netMinor: next.netMinor ?? stated.netMinor,
    payer: next.payer ?? stated.payer,
    reference: next.reference ?? stated.reference,
    clientTransId: next.clientTransId ?? stated.clientTransId,
    channel: next.channel ?? stated.channel,
    paidAt: next.paidAt ?? stated.paidAt,
    note: next.note ?? findNote(next, stated),
  };
}

/** Returns what an event contradicts, given the amount that is known. */
export function findNote(
  { amountMinor }: Pick<UnplacedPayment, 'amountMinor'>,
  stated: StatedPayment,
): UnplacedNote | null {
  if (stated.reports === 'failure') return 'failure_reported';
  if (stated.reports === 'refund') return 'refund_reported';
  if (stated.other && amountMinor !== null) return 'other_currency';
  const isOther = stated.chargedMinor !== null && amountMinor !== null && stated.chargedMinor !== amountMinor;
  return isOther ? 'amount_mismatch' : null;
}

/** Returns the booking of a fact, given the payment before and after it; undefined when no money moves. */
function findBooking(
  before: UnplacedPayment | undefined,
  { kind }: UnplacedFact,
  after: UnplacedPayment,
): Booking | undefined {
  const suspendedMinor = before?.suspendedMinor ?? 0;
  switch (kind) {
    case 'reported':
    case 'reported_again': {
      const arrivedMinor = after.suspendedMinor - suspendedMinor;
      if (arrivedMinor === 0) return undefined;
      const kind = suspendedMinor === 0 ? 'suspense' : 'correction';
      return book({ kind, suspendedMinor: arrivedMinor });
    }
    case 'placed':
      return suspendedMinor === 0 ? undefined : book({ kind: 'placement', suspendedMinor });
    case 'returned':
    case 'refunded':
      return suspendedMinor === 0 ? undefined : book({ kind: 'return', suspendedMinor });
    case 'declared_foreign':
      return suspendedMinor === 0 ? undefined : book({ kind: 'foreign', suspendedMinor });
    default:
      return unreachable(kind);
  }
}

/** Folds facts after a payment, with the bookings that they require. */
export function applyFacts(
  before: UnplacedPayment | undefined,
  facts: readonly RecordedUnplacedFact[],
): { after: UnplacedPayment | undefined; bookings: Booking[] } {
  const bookings: Booking[] = [];
  let after = before;
  for (const fact of facts) {
    const next = evolveUnplaced(after, fact, fact.at);
    const booking = findBooking(after, fact, next);
    if (booking) bookings.push(booking);
    after = next;
  }
  return { after, bookings };
}

/** New facts of an unplaced payment: the payment before and after them, and the bookings that they require. */
export type UnplacedChange = {
  before: UnplacedPayment | undefined;
  after: UnplacedPayment;
  facts: readonly RecordedUnplacedFact[];
  bookings: readonly Booking[];
};

/** Returns the change by one or more facts. Stored times never decrease. A payment without a row begins with `reported`. */
export function changeUnplaced(
  before: UnplacedPayment | undefined,
  facts: readonly [UnplacedFact, ...UnplacedFact[]],
  now: EpochMs,
): UnplacedChange {
  const at = Math.max(now, before?.updatedAt ?? 0);
  const recorded = facts.map((fact) => ({ ...fact, at }));
  const { after, bookings } = applyFacts(before, recorded);
  if (!after) throw new Error('an unplaced payment has no fact');
  return { before, after, facts: recorded, bookings };
}
