import { unreachable } from '../../../shared/errors.ts';
import { type Collection, getStage } from '../collection.ts';
import type { EvidenceOf } from '../evidence.ts';
import { type Fact, staleEvent } from '../fact.ts';
import { flagSecondCharge } from './charges.ts';
import {
  type CaseContext,
  claimPayment,
  type Decision,
  eventFact,
  flag,
  openReview,
  quotedAmounts,
  record,
} from './decision.ts';
import { eventRefund, eventUnreadable, hasSameAmounts } from './event.ts';
import { otherCurrencyReported } from './suspend.ts';

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
  const stage = getStage(collection);
  switch (stage) {
    case 'prompted':
    case 'paid':
      return staleWhilePolled(collection, event, context, fact);
    case 'unprompted':
      // A restored collection may have been prompted, so it is polled.
      if (collection.restoredAt !== null) return staleWhilePolled(collection, event, context, fact);
      return openReview(staleEvent, [fact]);
    case 'unpaid':
      return openReview(staleEvent, [fact]);
    case 'review':
      return record(fact);
    default:
      return unreachable(stage);
  }
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
