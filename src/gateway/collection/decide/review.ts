import { knownStatus } from '../../../contract/service/reading.ts';
import { unreachable } from '../../../shared/errors.ts';
import { type Booking, book } from '../../ledger/posting.ts';
import {
  type Amounts,
  awaitsService,
  type Collection,
  type DecisionOutcome,
  type DecisionRefusal,
  isOpen,
  isUnconfirmed,
} from '../collection.ts';
import type { EvidenceOf, MatchedPayment } from '../evidence.ts';
import type { Fact } from '../fact.ts';
import {
  type ArrivedPayment,
  type CaseContext,
  type DecideContext,
  type Decision,
  isMoneyGivenAway,
  noChange,
  quotedAmounts,
  record,
  watchMs,
} from './decision.ts';
import { correctSuspense } from './suspend.ts';

/*
 * Decisions: of the service about a review, which a poll shows, and of people here about a review or an unplaced payment.
 */

/** Applies the decision of people. It is refused, and changes nothing, unless it fits the collection as they saw it. */
export function decisionMade(
  collection: Collection,
  evidence: EvidenceOf<'decision'>,
  context: Pick<CaseContext, 'charges'>,
): Decision {
  const { outcome, versionSeen, grounds } = evidence;
  const refused = findRefusal(collection, evidence);
  const booking = decisionBooking(collection, outcome);
  if (refused !== undefined || booking === 'impossible')
    return { ...noChange, refused: refused ?? 'impossible' };
  // Only this booking takes money of the session that no account has.
  if (booking?.kind === 'paid' && isMoneyGivenAway(collection, context))
    return { ...noChange, refused: 'given_away' };
  return {
    facts: [{ kind: 'decided', data: { outcome, source: 'staff', ...grounds, versionSeen } }],
    bookings: booking ? [booking] : [],
  };
}

function findRefusal(
  collection: Collection,
  { versionSeen }: EvidenceOf<'decision'>,
): DecisionRefusal | undefined {
  if (collection.version !== versionSeen) return 'changed';
  // Polls may still prove what happened, and a prompt may be on the handset.
  if (isOpen(collection.status) || isUnconfirmed(collection)) return 'still_polled';
  // Goods that people release before would be lost when the service rejects the payment.
  if (awaitsService(collection)) return 'service_decides';
  return collection.review === null ? 'no_review' : undefined;
}

/**
 * Returns the booking of a decision, `undefined` when no money moves, or `'impossible'` when the decision does not fit the
 * recorded money: nothing arrived that could be accepted or returned, or it did although the decision is `paid`. Money is
 * returned or released at most once.
 */
export function decisionBooking(
  collection: Collection,
  outcome: DecisionOutcome,
): Booking | undefined | 'impossible' {
  switch (outcome) {
    case 'accept':
      return acceptBooking(collection);
    case 'returned':
      return isHere(collection) ? returnBooking(collection) : 'impossible';
    case 'not_paid':
      return isHere(collection) ? returnBooking(collection) : undefined;
    case 'paid':
      return quotedBooking(collection);
    default:
      return unreachable(outcome);
  }
}

/** Returns whether money of the collection is in an account of the merchant or in suspense. */
function isHere({ booked }: Collection): boolean {
  return booked === 'suspense' || booked === 'paid' || booked === 'released';
}

function acceptBooking(collection: Collection): Booking | undefined | 'impossible' {
  const { merchantId, booked, amountMinor } = collection;
  if (booked !== 'suspense') return isHere(collection) ? undefined : 'impossible';
  const suspendedMinor = amountMinor ?? 0;
  const feeMinor = Math.min(collection.feeMinor ?? 0, suspendedMinor);
  return book({ kind: 'release', merchantId, suspendedMinor, feeMinor });
}

function returnBooking({ merchantId, booked, ...amounts }: Collection): Booking {
  const amountMinor = amounts.amountMinor ?? 0;
  if (booked === 'suspense') return book({ kind: 'return', suspendedMinor: amountMinor });
  const feeMinor = Math.min(amounts.feeMinor ?? 0, amountMinor);
  return book({ kind: 'reversal', merchantId, amountMinor, feeMinor, netMinor: amountMinor - feeMinor });
}

/** People assert that a payment was made, and no amount is recorded: the quote is what the payer was charged. */
function quotedBooking(collection: Collection): Booking | 'impossible' {
  const quote = quotedAmounts(collection);
  // A wrong quote, which was never prompted, states no amount that could have been charged.
  if (collection.booked !== null || !quote || !isBalanced(quote)) return 'impossible';
  return book({ kind: 'paid', merchantId: collection.merchantId, ...quote });
}

/** Books an unplaced payment that people match with the collection. It is refused, and changes nothing, unless it fits. */
export function paymentMatched(collection: Collection, evidence: EvidenceOf<'payment_matched'>): Decision {
  const { payment, versionSeen, grounds } = evidence;
  const refused = matchRefusal(collection, versionSeen);
  if (refused !== undefined) return { ...noChange, refused };
  const amounts = matchedAmounts(collection, payment);
  if (!amounts) return { ...noChange, refused: 'other_amount' };
  const { by, approvedBy, evidence: why } = grounds;
  const { unplacedId, paidAt } = payment;
  const data = { ...amounts, unplacedId, paidAt, by, approvedBy, evidence: why, versionSeen };
  return {
    facts: [{ kind: 'matched', data }],
    bookings: [book({ kind: 'paid', merchantId: collection.merchantId, ...amounts })],
  };
}

function matchRefusal(collection: Collection, versionSeen: number): DecisionRefusal | undefined {
  if (collection.version !== versionSeen) return 'changed';
  if (collection.booked !== null) return 'already_booked';
  // A prompt may be on the handset, and polls may still prove a payment of its own.
  return isOpen(collection.status) || isUnconfirmed(collection) ? 'still_polled' : undefined;
}

/**
 * Returns the amounts to book: the quote when its total was charged, or what the event states when the collection has no
 * valid quote and the event states its price; undefined when another amount was charged.
 */
function matchedAmounts(collection: Collection, payment: MatchedPayment): Amounts | undefined {
  const { chargedMinor, goodsMinor, feeMinor, netMinor } = payment;
  if (goodsMinor !== null && goodsMinor !== collection.goodsMinor) return undefined;
  const quote = quotedAmounts(collection);
  if (quote?.amountMinor === chargedMinor && quote.netMinor === collection.goodsMinor)
    return isBalanced(quote) ? quote : undefined;
  if (goodsMinor === null || feeMinor === null || netMinor === null) return undefined;
  const stated = { amountMinor: chargedMinor, feeMinor, netMinor };
  const mayReplace = quote === undefined || !isBalanced(quote) || quote.netMinor !== collection.goodsMinor;
  return mayReplace && netMinor === collection.goodsMinor && isBalanced(stated) ? stated : undefined;
}

function isBalanced({ amountMinor, feeMinor, netMinor }: Amounts): boolean {
  return amountMinor > 0 && amountMinor === feeMinor + netMinor;
}

/** Handles a poll while a person at the service decides. Only its final status is a decision. */
export function polledInReview(
  collection: Collection,
  { status: reported, terminal, paidMinor, paidAt, review }: EvidenceOf<'polled'>,
  fact: Fact,
): Decision {
  const reviewMinor = review?.secondCharge ? undefined : review?.amountMinor;
  const payment = { amountMinor: paidMinor ?? reviewMinor, source: 'poll', paidAt } as const;
  if (!terminal) return correctHeld(collection, payment, fact);
  const status = knownStatus(reported);
  const isKnown = status === 'paid' || status === 'failed';
  const outcome = status === 'paid' ? 'accept' : 'returned';
  const isOtherAmount = paidMinor !== undefined && paidMinor !== collection.amountMinor;
  const booking = isKnown && !isOtherAmount ? decisionBooking(collection, outcome) : 'impossible';
  if (booking === 'impossible') return contradictsReview(collection, payment, fact);
  return {
    facts: [fact, { kind: 'decided', data: { outcome, source: 'service' } }],
    bookings: booking ? [booking] : [],
  };
}

/** Handles the paid event of a decision. The poll that follows at once shows it, too, unless the amounts differ. */
export function paidInReview(
  collection: Collection,
  { amounts, source, paidAt }: ArrivedPayment<Amounts>,
  fact: Fact,
): Decision {
  const { amountMinor } = amounts;
  if (amountMinor === collection.amountMinor) return record(fact);
  return contradictsReview(collection, { amountMinor, source, paidAt }, fact);
}

/** People here decide when the service has not decided in time. */
export function dueInReview({ awaitsServiceSince }: Collection, { now }: DecideContext): Decision {
  if (awaitsServiceSince === null || now < awaitsServiceSince + watchMs) return noChange;
  const undecided: Fact = { kind: 'service_undecided', data: { reason: 'no_outcome' } };
  return { ...record(undecided), alarm: 'no_outcome' };
}

type StatedPayment = Parameters<typeof correctSuspense>[1];

/** Records a poll while the service decides. The amount that it states replaces the suspended one. */
function correctHeld(collection: Collection, payment: StatedPayment, fact: Fact): Decision {
  const { facts, bookings } = correctSuspense(collection, payment);
  const decision = { facts: [fact, ...facts], bookings };
  return facts.length === 0 ? decision : { ...decision, alarm: 'amount_mismatch' };
}

function contradictsReview(collection: Collection, payment: StatedPayment, fact: Fact): Decision {
  const { facts, bookings } = correctSuspense(collection, payment);
  const undecided: Fact = { kind: 'service_undecided', data: { reason: 'contradiction' } };
  return { facts: [fact, ...facts, undecided], bookings, alarm: 'amount_mismatch' };
}
