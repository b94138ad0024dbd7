import { knownStatus } from '../../../contract/service/reading.ts';
import type { SessionStatus } from '../../../contract/service/session.ts';
import { unreachable } from '../../../shared/errors.ts';
import { awaitsService, type Collection, getStage, isOpen, isUnconfirmed } from '../collection.ts';
import type { EvidenceOf } from '../evidence.ts';
import { evolve, type Fact } from '../fact.ts';
import { flagSecondCharge } from './charges.ts';
import {
  confirmedPrompt,
  decideWithPrompt,
  isPromptUncertain,
  neverPrompted,
  requestPrompt,
} from './deadline.ts';
import {
  abandon,
  bookPaid,
  type CaseContext,
  type DecideContext,
  type Decision,
  endUnpaid,
  flag,
  maxRequestDelayMs,
  openReview,
  quotedAmounts,
  record,
} from './decision.ts';
import { reviewReported } from './event.ts';
import { polledInReview } from './review.ts';
import {
  contradictAmounts,
  isOfOtherCurrency,
  isReturned,
  otherCurrencyReported,
  suspendForReview,
  suspendUnproven,
} from './suspend.ts';

type Polled = EvidenceOf<'polled'>;

/** Decides after the answer to a poll. */
export function polled(collection: Collection, evidence: Polled, context: CaseContext): Decision {
  const fact: Fact = {
    kind: 'polled',
    data: {
      status: evidence.status,
      terminal: evidence.terminal,
      ...(evidence.retryAfterSeconds === null ? {} : { retryAfterSeconds: evidence.retryAfterSeconds }),
      ...(evidence.review ? { reviewMinor: evidence.review.amountMinor ?? 0 } : {}),
      ms: evidence.ms,
    },
  };
  const status = knownStatus(evidence.status);
  if (isUnconfirmed(collection) && evidence.terminal && status !== 'paid')
    return contradictPaid(collection, status, fact);
  const { currency } = evidence;
  if (currency !== undefined && ((status === 'paid' && evidence.terminal) || evidence.review)) {
    const amountMinor = evidence.paidMinor ?? evidence.review?.amountMinor ?? null;
    return otherCurrencyReported(collection, { currency, amountMinor, isPoll: true }, fact);
  }
  if (awaitsService(collection)) {
    const decision = polledInReview(collection, evidence, fact);
    return addSecondCharge(collection, { decision, evidence, fact }, context);
  }
  // A review that ended the session as paid is in the amount that the poll states.
  if (evidence.review && status !== 'paid')
    return reviewReported(collection, evidence.review, { source: 'poll', fact }, context);
  switch (status) {
    // Rule R4: only a status that the service reports as final ends a collection.
    case 'paid':
      return evidence.terminal ? paidByPoll(collection, evidence, context, fact) : record(fact);
    case 'failed':
    case 'expired':
      return evidence.terminal
        ? endUnpaid(collection, { status, reason: evidence.reason }, fact)
        : record(fact);
    case 'initiated':
      if (isPromptUncertain(collection)) return record(fact, ...confirmedPrompt(collection));
      if (collection.status !== 'initiating') return record(fact);
      return record(fact, { kind: 'initiated', data: {} });
    case 'created':
      return notInitiated(collection, evidence, context, fact);
    case undefined:
      if (!evidence.terminal || !isOpen(collection.status)) return record(fact);
      return openReview('unknown_final_status', [fact]);
    default:
      return unreachable(status);
  }
}

/**
 * Adds the second charge that the poll of a decision reports. While the collection was in review, its event was only
 * recorded, and the decision ends that review: the second charge needs one of its own.
 */
function addSecondCharge(
  collection: Collection,
  { decision, evidence, fact }: { decision: Decision; evidence: Polled; fact: Fact },
  context: CaseContext,
): Decision {
  const isDecided = decision.facts.some(({ kind }) => kind === 'decided');
  if (!isDecided || evidence.review?.secondCharge !== true) return decision;
  const decided = decision.facts.reduce((one, next) => evolve(one, next, context.now), collection);
  const report = { source: 'poll', fact } as const;
  const { facts, bookings, ...further } = reviewReported(decided, evidence.review, report, context);
  return {
    ...further,
    facts: [...decision.facts, ...facts.filter((one) => one !== fact)],
    bookings: [...decision.bookings, ...bookings],
  };
}

/** The poll is the authority: a final status other than paid contradicts the event that reported the payment. */
function contradictPaid(
  collection: Collection,
  status: Exclude<SessionStatus, 'paid'> | undefined,
  fact: Fact,
): Decision {
  const reason = status === undefined ? 'unknown_final_status' : (`${status}_after_paid` as const);
  return suspendUnproven(collection, reason, [fact]);
}

/** Handles a poll that reports no initiate call after one was sent: the only case in which initiate is sent again. */
function notInitiated(
  collection: Collection,
  evidence: Polled,
  context: DecideContext,
  fact: Fact,
): Decision {
  const { status, initiateSentAt, promptDeadline } = collection;
  if (isPromptUncertain(collection) && status !== 'initiated') {
    return neverPrompted(collection, evidence.requestedAt, fact);
  }
  if (status !== 'initiating' || initiateSentAt === null) return record(fact);
  // After several sends, a rejection may answer one copy of the request while another copy is accepted later.
  const rejection = collection.initiateSends === 1 ? collection.initiateRejection : null;
  if (rejection === null && context.now < promptDeadline) {
    const isGraceOver = evidence.requestedAt >= initiateSentAt + context.resendGraceMs;
    return isGraceOver && context.maySend ? requestPrompt(collection, fact) : record(fact);
  }
  const provenFrom = Math.max(rejection === null ? promptDeadline : 0, initiateSentAt + maxRequestDelayMs);
  if (evidence.requestedAt < provenFrom) return record(fact);
  if (rejection === null) return abandon('never_prompted', fact);
  return record(fact, { kind: 'abandoned', data: { reason: rejection } });
}

/** Handles a final paid status. A second charge is flagged beside the payment that it follows. */
function paidByPoll(collection: Collection, evidence: Polled, context: CaseContext, fact: Fact): Decision {
  if (isPromptUncertain(collection))
    return decideWithPrompt(collection, context, (one) => paidByPoll(one, evidence, context, fact));
  if (isOfOtherCurrency(collection)) return record(fact);
  // Money of the session comes on top of the payment that people matched.
  if (collection.unplacedId !== null) return flag(collection, 'second_charge', fact);
  const { paidMinor, paidAt } = evidence;
  const quoted = quotedAmounts(collection);
  const statedMinor = paidMinor ?? quoted?.amountMinor;
  if (statedMinor !== undefined && isReturned(collection, statedMinor, paidAt)) return record(fact);
  if (quoted && paidMinor !== undefined && paidMinor !== quoted.amountMinor) {
    if (collection.status === 'paid')
      return contradictAmounts(collection, { amountMinor: paidMinor, source: 'poll', paidAt }, fact);
    const payment = { amounts: { amountMinor: paidMinor }, source: 'poll', paidAt } as const;
    return suspendForReview(collection, payment, context, fact, 'amount_mismatch');
  }
  const decision = paidAtQuote(collection, evidence, context, fact);
  const isPaid = collection.status === 'paid' || decision.facts.some(({ kind }) => kind === 'paid');
  if (!evidence.review?.secondCharge || !isPaid) return decision;
  const flagged = flagSecondCharge(collection, evidence.review, context);
  // Of two alarms, the one of the second charge is raised.
  const { bookings, facts } = decision;
  return { ...decision, ...flagged, bookings, facts: [...facts, ...flagged.facts] };
}

/** A poll proves the payment. Unless it states another amount, the booking uses the quote. */
function paidAtQuote(collection: Collection, evidence: Polled, context: CaseContext, fact: Fact): Decision {
  if (isUnconfirmed(collection)) {
    const confirmed: Fact = { kind: 'confirmed', data: { ms: evidence.ms } };
    // The poll has a fact of its own only when it reports more than the payment.
    return evidence.review ? record(fact, confirmed) : record(confirmed);
  }
  const amounts = quotedAmounts(collection);
  if (collection.status === 'paid' || !amounts) return record(fact);
  const payment = { amounts, source: 'quote', paidAt: evidence.paidAt } as const;
  if (getStage(collection) === 'prompted') {
    return bookPaid(collection, payment, context, fact);
  }
  return suspendForReview(collection, payment, context, fact);
}
