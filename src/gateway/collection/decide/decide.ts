import { unreachable } from '../../../shared/errors.ts';
import { type Booking, book } from '../../ledger/posting.ts';
import { type Collection, type CollectionWithJob, isFailureReported, isOpen } from '../collection.ts';
import type { Evidence } from '../evidence.ts';
import { acceptedCollection, evolve, type RecordedFact } from '../fact.ts';
import { nextDue } from '../schedule.ts';
import { callRejected, callUnknown, createAnswered, initiateAnswered } from './call.ts';
import { changeCharges } from './charges.ts';
import { clockCorrected, due } from './deadline.ts';
import {
  type Case,
  type CaseContext,
  type DecideContext,
  type Decision,
  eventFact,
  record,
  type Transition,
} from './decision.ts';
import { eventFailed, eventPaid, eventRefund, eventReview, eventStale, eventUnreadable } from './event.ts';
import { polled } from './poll.ts';
import { decisionBooking, decisionMade, paymentMatched } from './review.ts';
import { correctionBooking, otherCurrencyReported, reclassify, suspenseBooking } from './suspend.ts';

/**
 * Returns everything that a piece of evidence does: the facts and bookings of the collection and of the unplaced payments of
 * its session, and the next step. Pure and total: every pair of status and evidence has a result, and nothing corrects it.
 *
 * Implements rules R2-R4 and R6-R8 of docs/reliability.md: one pinned session; initiate is sent again only while the
 * status is still `created`; unknown is never failed; a result is written once; paid after failed opens a review.
 */
export function decide({ row, charges }: Case, evidence: Evidence, given: DecideContext): Transition {
  const context = { ...given, charges };
  const { facts, bookings, send, alarm, refused } = keepClaim(row, decideOn(row, evidence, context));
  if (refused) return { facts, bookings, charges: [], next: row, refused };
  const next = rowAfter(row, { evidence, facts, send }, context);
  const { changes, isUnclear } = changeCharges({ row, charges }, { evidence, after: next }, context);
  const raised = isUnclear ? 'refund_unclear' : alarm;
  return {
    ...{ facts, bookings, charges: changes, next },
    ...(send === undefined ? {} : { send }),
    ...(raised === undefined ? {} : { alarm: raised }),
  };
}

/** The next step of a collection without work left. */
const noJob = { nextAt: null, leaseUntil: 0, fence: 0, home: null, attempts: 0 };

/** Returns the row after the facts: the collection, when it is due next, and its lease. */
function rowAfter(
  row: CollectionWithJob,
  { evidence, facts, send }: Pick<Decision, 'facts'> & { evidence: Evidence; send: Decision['send'] },
  { now, random, lease }: DecideContext,
): CollectionWithJob {
  // Decisions use the current time. Stored times never decrease, even after the clock was corrected.
  const updatedAt = Math.max(now, row.updatedAt);
  const { leaseUntil, fence, home, attempts } = row;
  const after = facts.reduce<Collection>((one, fact) => evolve(one, fact, updatedAt), row);
  // The worker that has the lease now plans the next poll. A lost call of an earlier one says nothing about it.
  const isLate = lease === 'lost' && evidence.kind === 'call_unknown' && after.status === row.status;
  const nextAt = isLate ? row.nextAt : nextDue(row, after, evidence, { now, random });
  if (nextAt === null) return { ...after, ...noJob, updatedAt };
  return {
    ...after,
    nextAt,
    // A worker that is about to send keeps its lease, so that no other worker claims the collection meanwhile.
    leaseUntil: lease === 'held' && send === undefined ? 0 : leaseUntil,
    fence,
    home,
    attempts: startsCount(row, after) ? 0 : attempts,
    updatedAt,
  };
}

/** Returns whether the claims are counted from 0: after a change of status, or when an event first reports a failure. */
function startsCount(before: CollectionWithJob, after: Collection): boolean {
  if (isFailureReported(after)) return !isFailureReported(before);
  return after.status !== before.status;
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

function decideOn(collection: Collection, evidence: Evidence, context: CaseContext): Decision {
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
      return eventReview(collection, evidence, context);
    case 'event_refund':
      return eventRefund(collection, evidence, context);
    case 'event_other':
      return record(eventFact(evidence));
    case 'event_stale':
      return eventStale(collection, evidence, context);
    case 'due':
      return due(collection, { ...context, now: Math.min(context.now, evidence.asOf ?? context.now) });
    case 'clock_corrected':
      return clockCorrected(collection, context);
    case 'decision':
      return decisionMade(collection, evidence, context);
    case 'payment_matched':
      return paymentMatched(collection, evidence);
    default:
      return unreachable(evidence);
  }
}

/** Returns the booking that a fact requires, given the collection before it. Most facts move no money. */
function findBooking(before: Collection, fact: RecordedFact): Booking | undefined {
  switch (fact.kind) {
    case 'paid':
    case 'matched': {
      const { amountMinor, feeMinor, netMinor } = fact.data;
      return book({ kind: 'paid', merchantId: before.merchantId, amountMinor, feeMinor, netMinor });
    }
    case 'suspended':
      if (before.booked === 'paid') return reclassify(before);
      return suspenseBooking(before, fact.data.amountMinor);
    case 'suspense_corrected':
      return correctionBooking(before, fact.data.amountMinor);
    case 'decided': {
      const booking = decisionBooking(before, fact.data.outcome);
      return booking === 'impossible' ? undefined : booking;
    }
  }
  return undefined;
}

/** Returns every booking that a collection's facts require, in order. The journal must hold exactly these. */
export function listBookings(facts: readonly RecordedFact[]): Booking[] {
  const [first, ...rest] = facts;
  if (first?.kind !== 'accepted') return [];
  let state = acceptedCollection(first.data);
  return rest.flatMap((fact) => {
    const booking = findBooking(state, fact);
    state = evolve(state, fact, fact.at);
    return booking ? [booking] : [];
  });
}
