import { unreachable } from '../../../shared/errors.ts';
import { isLastRefund } from '../../unplaced/decide.ts';
import { type AmountSource, awaitsService, type Collection, getStage, isOpen } from '../collection.ts';
import type { EvidenceOf, ReportedReview } from '../evidence.ts';
import { type Fact, staleEvent, unreadableEvent, unstatedReason } from '../fact.ts';
import { flagSecondCharge } from './charges.ts';
import { decideWithPrompt, isPromptUncertain } from './deadline.ts';
import {
  bookPaid,
  type CaseContext,
  claimOrReview,
  claimPayment,
  type Decision,
  eventFact,
  flag,
  openReview,
  quotedAmounts,
  record,
} from './decision.ts';
import { paidInReview } from './review.ts';
import { contradictAmounts, isReturned, otherCurrencyReported, suspendForReview } from './suspend.ts';

/** Returns whether a paid event states the amounts of the quote, and that no other amount was paid. */
function hasSameAmounts(
  collection: Collection,
  {
    amounts: stated,
    paidMinor = stated.amountMinor,
  }: Pick<EvidenceOf<'event_paid'>, 'amounts' | 'paidMinor'>,
): boolean {
  return (
    paidMinor === collection.amountMinor &&
    stated.goodsMinor === collection.goodsMinor &&
    stated.amountMinor === collection.amountMinor &&
    stated.feeMinor === collection.feeMinor &&
    stated.netMinor === collection.netMinor
  );
}

/** Books a reported payment at its quote, or suspends money that does not fit. */
export function eventPaid(
  collection: Collection,
  evidence: EvidenceOf<'event_paid'>,
  context: CaseContext,
): Decision {
  if (isPromptUncertain(collection)) {
    return decideWithPrompt(collection, context, (one) => eventPaid(one, evidence, context));
  }
  const fact = eventFact(evidence);
  const { goodsMinor: _goods, ...stated } = evidence.amounts;
  const amounts = { ...stated, amountMinor: evidence.paidMinor ?? stated.amountMinor };
  const payment = { amounts, source: 'webhook', paidAt: evidence.paidAt } as const;
  const isAsQuoted = hasSameAmounts(collection, evidence);
  const stage = getStage(collection);
  switch (stage) {
    case 'prompted':
      if (isAsQuoted) return bookPaid(collection, payment, context, fact);
      return suspendForReview(collection, payment, context, fact, 'amount_mismatch');
    case 'paid':
      if (collection.unplacedId !== null) return flag(collection, 'second_charge', fact);
      if (isDecidedAmount(collection, amounts.amountMinor)) return record(fact);
      if (!isAsQuoted)
        return contradictAmounts(
          collection,
          { amountMinor: amounts.amountMinor, source: 'webhook', paidAt: evidence.paidAt },
          fact,
        );
      if (collection.amountSource === 'webhook') return record(fact);
      return record(fact, { kind: 'amounts_confirmed', data: { eventId: evidence.eventId } });
    case 'unprompted':
    case 'unpaid':
      if (isReturned(collection, amounts.amountMinor, evidence.paidAt)) return record(fact);
      return suspendForReview(collection, payment, context, fact);
    case 'review':
      if (awaitsService(collection)) return paidInReview(collection, payment, fact);
      return suspendForReview(collection, payment, context, fact);
    default:
      return unreachable(stage);
  }
}

/** Returns whether evidence repeats the amount that a decision has released or returned. */
function isDecidedAmount({ booked, amountMinor }: Collection, statedMinor: number | null): boolean {
  return (booked === 'released' || booked === 'returned') && amountMinor === statedMinor;
}

/**
 * Handles an event that reports a payment without readable amounts. It books nothing: a poll follows at once, and a person
 * decides only if no poll will follow or the poll does not agree.
 */
export function eventUnreadable(collection: Collection, evidence: EvidenceOf<'event_unreadable'>): Decision {
  const fact = eventFact(evidence);
  const claim = () => claimPayment(collection, unreadableEvent, fact);
  return claimOrReview(collection, unreadableEvent, fact, claim);
}

/**
 * Records a reported failure, which ends nothing: the prompt may still be on the handset, and its payer could be prompted
 * and charged again. A poll follows at once, and a final status of a poll ends the collection.
 */
export function eventFailed(collection: Collection, evidence: EvidenceOf<'event_failed'>): Decision {
  const { status } = collection;
  const fact = eventFact(evidence);
  if (status === 'paid') return flag(collection, `${evidence.status}_after_paid`, fact);
  // An unprompted collection is not polled: the initiate call shows whether its session is still open.
  const isPolled = getStage(collection) === 'prompted' || isPromptUncertain(collection);
  const reason = evidence.reason ?? unstatedReason;
  if (!isPolled || reason === collection.reportedFailure) return record(fact);
  return record(fact, { kind: 'failure_reported', data: { reason } });
}

/** Decides after an event that opens a review at the service. */
export function eventReview(
  collection: Collection,
  evidence: EvidenceOf<'event_review'>,
  context: CaseContext,
): Decision {
  return reviewReported(collection, evidence, { source: 'webhook', fact: eventFact(evidence) }, context);
}

/**
 * Handles money that does not fit its payment session: it is suspended, and a person decides. While the session is open,
 * that is a person at the service, and polls will show the decision.
 */
export function reviewReported(
  collection: Collection,
  reported: ReportedReview,
  { source, fact }: { source: AmountSource; fact: Fact },
  context: CaseContext,
): Decision {
  const { amountMinor, secondCharge, isUndecided } = reported;
  if (secondCharge) return secondChargeReported(collection, reported, { source, fact }, context);
  if (isDecidedAmount(collection, amountMinor)) return record(fact);
  if (collection.status === 'paid') {
    if (collection.unplacedId !== null) return flag(collection, 'second_charge', fact);
    // Of two events, none proves its amount. While a poll shows an undecided review, later polls show its end.
    if (collection.amountSource === 'webhook') return flag(collection, 'amount_mismatch', fact);
    const stated = { amountMinor: source === 'poll' ? null : amountMinor, source, paidAt: collection.paidAt };
    return contradictAmounts(collection, stated, fact);
  }
  const payment = { amounts: { amountMinor: amountMinor ?? 0 }, source, paidAt: null };
  const decision = suspendForReview(collection, payment, context, fact, 'amount_mismatch');
  const isAwaited = isUndecided && isOpen(collection.status) && decision.bookings.length > 0;
  if (!isAwaited || collection.sessionId === null) return decision;
  return { ...decision, facts: [...decision.facts, { kind: 'service_decides', data: {} }] };
}

/**
 * Handles a second charge. Its money is an unplaced payment, and the collection is about the first one: a second charge
 * does not contradict a payment, and it contradicts an unpaid end. While the collection is polled, a poll decides.
 */
function secondChargeReported(
  collection: Collection,
  reported: ReportedReview,
  { source, fact }: { source: AmountSource; fact: Fact },
  context: CaseContext,
): Decision {
  const reason = 'second_charge';
  const stage = getStage(collection);
  if (stage === 'review') return { ...record(fact), alarm: reason };
  if (stage === 'prompted' && source === 'poll') return openReview(reason, [fact]);
  return claimOrReview(collection, reason, fact, () => flagSecondCharge(collection, reported, context, fact));
}

/**
 * Records that the service's operator returned money to the payer. It books nothing: the rejection of that money, which a
 * poll reports, has booked it already. The refund of the last second charge in suspense ends the review about them.
 */
export function eventRefund(
  collection: Collection,
  evidence: EvidenceOf<'event_refund'>,
  { charges }: CaseContext,
): Decision {
  const { eventId, type, amountMinor, reference, by, secondCharge, paidAt = null } = evidence;
  const isAboutCharges = collection.status === 'paid' && collection.review === 'second_charge';
  const endsReview =
    secondCharge && isAboutCharges && isLastRefund(charges, { chargedMinor: amountMinor, paidAt });
  const data = { amountMinor, reference, by, ...(endsReview ? { endsReview } : {}) };
  return record(eventFact({ eventId, type }), { kind: 'refund_reported', data });
}

/**
 * Handles an event with a valid signature and an old timestamp. It books and ends nothing, but it triggers a poll. Where
 * the collection is no longer polled, a stale event that reports money opens a review.
 */
export function eventStale(
  collection: Collection,
  { event, ...envelope }: EvidenceOf<'event_stale'>,
  context: CaseContext,
): Decision {
  if (event.kind === 'event_unreadable') return eventUnreadable(collection, event);
  // A currency is never out of date: neither the event nor a later poll proves an amount.
  if (event.kind === 'event_other_currency')
    return otherCurrencyReported(collection, { ...event, isPoll: false }, eventFact(envelope));
  // A settlement is never out of date.
  if (event.kind === 'event_refund') return eventRefund(collection, event, context);
  const fact = eventFact(envelope);
  if (event.kind !== 'event_paid' && event.kind !== 'event_review') return record(fact);
  return claimOrReview(collection, staleEvent, fact, () =>
    staleWhilePolled(collection, event, context, fact),
  );
}

/** Compares the stated amounts with the request. Before a quote, only the price can be compared. */
function isAsRequested(collection: Collection, event: EvidenceOf<'event_paid'>): boolean {
  return quotedAmounts(collection)
    ? hasSameAmounts(collection, event)
    : event.amounts.goodsMinor === collection.goodsMinor;
}

/**
 * Keeps the claim that money arrived until a poll confirms it, because a poll may return an outdated unpaid status.
 * Other amounts are flagged at once: a poll need not state any.
 */
function staleWhilePolled(
  collection: Collection,
  event: EvidenceOf<'event_paid'> | EvidenceOf<'event_review'>,
  context: CaseContext,
  fact: Fact,
): Decision {
  if (event.kind === 'event_paid' && isAsRequested(collection, event)) {
    return claimPayment(collection, staleEvent, fact);
  }
  if (event.kind === 'event_review' && event.secondCharge)
    return flagSecondCharge(collection, event, context, fact);
  return flag(collection, 'amount_mismatch', fact);
}
