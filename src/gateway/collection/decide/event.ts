import { unreachable } from '../../../shared/errors.ts';
import type { Collection } from '../collection.ts';
import type { EvidenceOf, StatedAmounts } from '../evidence.ts';
import { unreadableEvent, unstatedReason } from '../fact.ts';
import {
  bookPaid,
  claimPayment,
  contradictAmounts,
  type DecideContext,
  type Decision,
  eventFact,
  flag,
  openReview,
  record,
  suspendForReview,
} from './decision.ts';
import { decideWithPrompt, isPromptUncertain } from './restored.ts';

export function hasSameAmounts(collection: Collection, stated: StatedAmounts): boolean {
  return (
    stated.goodsMinor === collection.goodsMinor &&
    stated.amountMinor === collection.amountMinor &&
    stated.feeMinor === collection.feeMinor &&
    stated.netMinor === collection.netMinor
  );
}

export function eventPaid(
  collection: Collection,
  evidence: EvidenceOf<'event_paid'>,
  context: DecideContext,
): Decision {
  if (isPromptUncertain(collection)) {
    return decideWithPrompt(collection, context, (one) => eventPaid(one, evidence, context));
  }
  const fact = eventFact(evidence);
  const { goodsMinor: _goods, ...amounts } = evidence.amounts;
  const payment = { amounts, source: 'webhook', paidAt: evidence.paidAt } as const;
  const isAsQuoted = hasSameAmounts(collection, evidence.amounts);
  switch (collection.status) {
    case 'initiating':
    case 'initiated':
      if (isAsQuoted) return bookPaid(collection, payment, context, fact);
      return suspendForReview(collection, payment, fact, 'amount_mismatch');
    case 'paid':
      if (!isAsQuoted) return contradictAmounts(collection, fact);
      if (collection.amountSource === 'webhook') return record(fact);
      return record(fact, { kind: 'amounts_confirmed', data: { eventId: evidence.eventId } });
    case 'accepted':
    case 'created':
    case 'failed':
    case 'expired':
    case 'abandoned':
    case 'review':
      return suspendForReview(collection, payment, fact);
    default:
      return unreachable(collection.status);
  }
}

/**
 * Handles an event that reports a payment without readable amounts. It books nothing: a poll follows at once, and a person
 * decides only if no poll will follow or the poll does not agree.
 */
export function eventUnreadable(collection: Collection, evidence: EvidenceOf<'event_unreadable'>): Decision {
  const fact = eventFact(evidence);
  switch (collection.status) {
    case 'initiating':
    case 'initiated':
    case 'paid':
      return claimPayment(collection, unreadableEvent, fact);
    case 'accepted':
    case 'created':
      if (collection.restoredAt !== null) return claimPayment(collection, unreadableEvent, fact);
      return openReview(unreadableEvent, [fact]);
    case 'failed':
    case 'expired':
    case 'abandoned':
      return openReview(unreadableEvent, [fact]);
    case 'review':
      return record(fact);
    default:
      return unreachable(collection.status);
  }
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
  const isPolled = status === 'initiating' || status === 'initiated' || isPromptUncertain(collection);
  const reason = evidence.reason ?? unstatedReason;
  if (!isPolled || reason === collection.reportedFailure) return record(fact);
  return record(fact, { kind: 'failure_reported', data: { reason } });
}

export function eventReview(collection: Collection, evidence: EvidenceOf<'event_review'>): Decision {
  const fact = eventFact(evidence);
  if (collection.status === 'paid') {
    // A second charge does not contradict the first payment.
    return evidence.secondCharge
      ? flag(collection, 'second_charge', fact)
      : contradictAmounts(collection, fact);
  }
  const amounts = { amountMinor: evidence.amountMinor ?? 0 };
  return suspendForReview(collection, { amounts, source: 'webhook', paidAt: null }, fact, 'amount_mismatch');
}
