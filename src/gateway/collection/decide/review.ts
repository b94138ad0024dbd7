import { knownStatus } from '../../../contract/reading.ts';
import { decisionBooking } from '../booking.ts';
import { type Collection, isOpen, isUnconfirmed } from '../collection.ts';
import type { EvidenceOf } from '../evidence.ts';
import type { Fact } from '../fact.ts';
import type { DecisionRefusal } from '../reason.ts';
import { type DecideContext, type Decision, noChange, record, watchMs } from './decision.ts';

/*
 * Reviews end by a decision: of the service, which a poll shows, or of people here.
 */

/** Applies the decision of people. It is refused, and changes nothing, unless it fits the collection as they saw it. */
export function decisionMade(collection: Collection, evidence: EvidenceOf<'decision'>): Decision {
  const { outcome, versionSeen, grounds } = evidence;
  const refused = refusalOf(collection, evidence);
  const booking = decisionBooking(collection, outcome);
  if (refused !== undefined || booking === 'impossible')
    return { ...noChange, refused: refused ?? 'impossible' };
  return {
    facts: [{ kind: 'decided', data: { outcome, source: 'staff', ...grounds, versionSeen } }],
    bookings: booking ? [booking] : [],
  };
}

function refusalOf(
  collection: Collection,
  { versionSeen }: EvidenceOf<'decision'>,
): DecisionRefusal | undefined {
  if (collection.version !== versionSeen) return 'changed';
  // Polls may still prove what happened, and a prompt may be on the handset.
  if (isOpen(collection.status) || isUnconfirmed(collection)) return 'still_polled';
  return collection.review === null ? 'no_review' : undefined;
}

/** Handles a poll while a person at the service decides. Only its final status is a decision. */
export function polledInReview(
  collection: Collection,
  { status: reported, terminal, paidMinor }: EvidenceOf<'polled'>,
  fact: Fact,
): Decision {
  if (!terminal) return record(fact);
  const status = knownStatus(reported);
  const isKnown = status === 'paid' || status === 'failed';
  const outcome = status === 'paid' ? 'accept' : 'returned';
  const isOtherAmount = paidMinor !== undefined && paidMinor !== collection.amountMinor;
  const booking = isKnown && !isOtherAmount ? decisionBooking(collection, outcome) : 'impossible';
  if (booking === 'impossible') return contradictsReview(fact);
  return {
    facts: [fact, { kind: 'decided', data: { outcome, source: 'service' } }],
    bookings: booking ? [booking] : [],
  };
}

/** Handles the paid event of a decision. The poll that follows at once shows it, too, unless the amounts differ. */
export function paidInReview({ amountMinor }: Collection, paidMinor: number, fact: Fact): Decision {
  return paidMinor === amountMinor ? record(fact) : contradictsReview(fact);
}

/** People here decide when the service has not decided in time. */
export function dueInReview({ awaitsServiceSince }: Collection, { now }: DecideContext): Decision {
  if (awaitsServiceSince === null || now < awaitsServiceSince + watchMs) return noChange;
  const undecided: Fact = { kind: 'service_undecided', data: { reason: 'no_outcome' } };
  return { ...record(undecided), alarm: 'no_outcome' };
}

function contradictsReview(fact: Fact): Decision {
  const undecided: Fact = { kind: 'service_undecided', data: { reason: 'contradiction' } };
  return { ...record(fact, undecided), alarm: 'amount_mismatch' };
}
