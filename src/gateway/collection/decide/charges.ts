import { knownStatus } from '../../../contract/service/reading.ts';
import {
  type ChargeReport,
  isExplained,
  isPlaceable,
  recordCharge,
  recordRefund,
} from '../../unplaced/decide.ts';
import { changeUnplaced, type UnplacedChange } from '../../unplaced/fact.ts';
import type { StatedPayment, UnplacedPayment } from '../../unplaced/unplaced.ts';
import type { Collection, CollectionRow } from '../collection.ts';
import type { Evidence, EvidenceOf } from '../evidence.ts';
import type { Fact } from '../fact.ts';
import { type Case, type CaseContext, type Decision, flag, record } from './decision.ts';

/*
 * The unplaced payments of a payment session: second charges, and money that the collection did not explain when it arrived.
 */

type Charges = Pick<Case, 'charges'>;

/** Returns whether the evidence can move money of the payment session, so that its unplaced payments must be known. */
export function usesCharges({ sessionId, booked, unplacedId }: CollectionRow, evidence: Evidence): boolean {
  if (sessionId === null) return false;
  if (evidence.kind === 'decision') return booked === null;
  if (evidence.kind !== 'polled') return evidence.kind.startsWith('event_');
  const { terminal, review } = evidence;
  const isOpen = booked === null || unplacedId !== null || review?.secondCharge === true;
  return isOpen && (terminal || review !== undefined);
}

/** Returns whether the evidence can add an unplaced payment, which then needs an id. */
export function reportsCharge(row: CollectionRow, evidence: Evidence): boolean {
  return findRefund(evidence) !== undefined || chargeBeside(row, evidence) !== undefined;
}

/** Returns the unplaced payment that has the money of the session's own payment. */
function paymentOfSession({ charges }: Charges): UnplacedPayment | undefined {
  return charges.find(({ charge }) => charge === 1);
}

/** Flags a second charge, unless it is known and no longer in suspense. */
export function flagSecondCharge(
  collection: Collection,
  { amountMinor, paidAt = null }: { amountMinor: number | null; paidAt?: string | null },
  { charges }: Charges,
  ...before: Fact[]
): Decision {
  const isDecided = isExplained(charges, { chargedMinor: amountMinor, paidAt });
  return isDecided ? record(...before) : flag(collection, 'second_charge', ...before);
}

/**
 * Returns the changes of the session's unplaced payments. The money of a payment that the collection now has leaves
 * suspense, a second charge goes into suspense as a payment of its own, and the service's refund of it leaves suspense.
 *
 * @param after the collection after the evidence.
 * @returns the changes; `isUnclear` for a refund that fits no single charge, which changes none.
 */
export function changeCharges(
  { row, charges }: Case,
  { evidence, after }: { evidence: Evidence; after: CollectionRow },
  context: CaseContext,
): { changes: readonly UnplacedChange[]; isUnclear: boolean } {
  const placed = placedPayment(charges, after, evidence);
  const beside = changeBeside({ row, charges }, evidence, context);
  const isUnclear = beside === 'unclear';
  const changes = [placed, isUnclear ? undefined : beside].filter((change) => change !== undefined);
  return { changes, isUnclear };
}

function placedPayment(
  charges: readonly UnplacedPayment[],
  { id: collectionId, booked, unplacedId, updatedAt }: CollectionRow,
  { kind }: Evidence,
): UnplacedChange | undefined {
  const payment = paymentOfSession({ charges });
  // A collection that people matched with other money does not have the money of its own session.
  if (!payment || !isPlaceable(payment) || unplacedId !== null) return undefined;
  const isOfNoAmount = kind.startsWith('event_') && payment.suspendedMinor === 0;
  if (booked === null && !isOfNoAmount) return undefined;
  return changeUnplaced(payment, [{ kind: 'placed', data: { collectionId } }], updatedAt);
}

function changeBeside(
  { row, charges }: Case,
  evidence: Evidence,
  context: CaseContext,
): UnplacedChange | undefined | 'unclear' {
  const at = Math.max(context.now, row.updatedAt);
  const refund = findRefund(evidence);
  if (refund) {
    const { amountMinor, reference, by, paidAt = null } = refund;
    const refunded = { reports: 'second_charge', chargedMinor: amountMinor, paidAt } as const;
    return recordRefund(
      charges,
      toReport(row, evidence, refunded, context),
      { amountMinor, reference, by },
      at,
    );
  }
  const charge = chargeBeside(row, evidence);
  // The payment of the session can be the one that people matched with the collection. A second charge is another payment.
  const isMatched = charge?.reports === 'payment' && paymentOfSession({ charges })?.id === row.unplacedId;
  if (!charge || isMatched) return undefined;
  return recordCharge(charges, toReport(row, evidence, charge, context), at);
}

/** Returns the service's refund of a second charge. A settlement is never out of date. */
function findRefund(evidence: Evidence): EvidenceOf<'event_refund'> | undefined {
  const event = evidence.kind === 'event_stale' ? evidence.event : evidence;
  return event.kind === 'event_refund' && event.secondCharge ? event : undefined;
}

type Charge = Pick<StatedPayment, 'chargedMinor' | 'paidAt'> & { reports: 'payment' | 'second_charge' };

/**
 * Returns the money that evidence states beside the payment of the collection: a second charge, or the payment of the
 * session itself when people matched other money with the collection. A stale event states none.
 */
function chargeBeside(collection: Collection, evidence: Evidence): Charge | undefined {
  const isMatched = collection.unplacedId !== null && collection.status === 'paid';
  switch (evidence.kind) {
    case 'event_review':
      if (evidence.secondCharge) return secondCharge(evidence);
      return isMatched ? ownPayment(evidence.amountMinor, null) : undefined;
    case 'event_paid':
      return isMatched
        ? ownPayment(evidence.paidMinor ?? evidence.amounts.amountMinor, evidence.paidAt)
        : undefined;
    case 'polled': {
      if (evidence.currency !== undefined) return undefined;
      if (evidence.review?.secondCharge) return secondCharge(evidence.review);
      const isPaid = evidence.terminal && knownStatus(evidence.status) === 'paid';
      const chargedMinor = evidence.paidMinor ?? collection.amountMinor;
      return isMatched && isPaid ? ownPayment(chargedMinor, evidence.paidAt) : undefined;
    }
  }
  return undefined;
}

function secondCharge({
  amountMinor,
  paidAt,
}: Pick<EvidenceOf<'event_review'>, 'amountMinor' | 'paidAt'>): Charge {
  return { reports: 'second_charge', chargedMinor: amountMinor, paidAt: paidAt ?? null };
}

function ownPayment(chargedMinor: number | null, paidAt: string | null): Charge {
  return { reports: 'payment', chargedMinor, paidAt };
}

function toReport(
  { merchantId, livemode, sessionId, payer, reference, shortReference }: Collection,
  evidence: Evidence,
  charge: Charge,
  { unplacedId: id }: CaseContext,
): ChargeReport {
  const event = 'eventId' in evidence ? evidence : { eventId: null, type: 'poll' };
  const stated: StatedPayment = {
    ...{ eventId: event.eventId, eventType: event.type, ...charge },
    ...{ goodsMinor: null, feeMinor: null, netMinor: null },
    ...{ payer, reference, clientTransId: shortReference, channel: null },
  };
  return { id, merchantId, livemode, sessionId: sessionId ?? '', reason: 'second_charge', stated };
}
