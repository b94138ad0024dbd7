import { unreachable } from '../../../shared/errors.ts';
import { type Collection, isOpen } from '../collection.ts';
import type { Evidence } from '../evidence.ts';
import { callRejected, callUnknown, createAnswered, initiateAnswered } from './call.ts';
import { chargeBeside } from './charge-beside.ts';
import { clockCorrected, due } from './deadline.ts';
import { type DecideContext, type Decision, eventFact, record } from './decision.ts';
import { eventFailed, eventPaid, eventRefund, eventReview, eventUnreadable } from './event.ts';
import { paymentMatched } from './match.ts';
import { otherCurrencyReported } from './other-currency.ts';
import { polled } from './poll.ts';
import { decisionMade } from './review.ts';
import { eventStale } from './stale-event.ts';

/**
 * Returns what a piece of evidence does to a collection. Pure and total: every pair of status and evidence has a result.
 *
 * Implements rules R2-R4 and R6-R8 of docs/reliability.md: one pinned session; initiate is sent again only while the
 * status is still `created`; unknown is never failed; a result is written once; paid after failed opens a review.
 */
export function decide(collection: Collection, evidence: Evidence, context: DecideContext): Decision {
  const decision = keepClaim(collection, decideOn(collection, evidence, context));
  const charge = chargeBeside(collection, evidence);
  return charge ? { ...decision, charge } : decision;
}

/**
 * Replaces an unpaid end by a review while a stale event claims a payment: evidence without money does not refute the
 * claim.
 */
function keepClaim(collection: Collection, decision: Decision): Decision {
  if (collection.review === null || !isOpen(collection.status)) return decision;
  const facts = decision.facts.filter(
    ({ kind }) => kind !== 'failed' && kind !== 'expired' && kind !== 'abandoned',
  );
  if (facts.length === decision.facts.length) return decision;
  const reason = collection.review;
  return { ...record(...facts, { kind: 'review_opened', data: { reason } }), alarm: reason };
}

function decideOn(collection: Collection, evidence: Evidence, context: DecideContext): Decision {
  switch (evidence.kind) {
    case 'call_unknown':
      return callUnknown(evidence);
    case 'call_rejected':
      return callRejected(collection, evidence);
    case 'create_answered':
      return createAnswered(collection, evidence, context);
    case 'initiate_answered':
      return initiateAnswered(collection, evidence);
    case 'polled':
      return polled(collection, evidence, context);
    case 'event_paid':
      return eventPaid(collection, evidence, context);
    case 'event_unreadable':
      return eventUnreadable(collection, evidence);
    case 'event_other_currency':
      return otherCurrencyReported(collection, { ...evidence, isPoll: false }, eventFact(evidence));
    case 'event_failed':
      return eventFailed(collection, evidence);
    case 'event_review':
      return eventReview(collection, evidence);
    case 'event_refund':
      return eventRefund(evidence);
    case 'event_other':
      return record(eventFact(evidence));
    case 'event_stale':
      return eventStale(collection, evidence);
    case 'due':
      return due(collection, { ...context, now: Math.min(context.now, evidence.asOf ?? context.now) });
    case 'clock_corrected':
      return clockCorrected(collection, context);
    case 'decision':
      return decisionMade(collection, evidence);
    case 'payment_matched':
      return paymentMatched(collection, evidence);
    default:
      return unreachable(evidence);
  }
}
