import { knownStatus, type OfflineSession } from '../../contract/session.ts';
import { unreachable } from '../../shared/errors.ts';
import { decisionBooking } from './booking.ts';
import { type Collection, isOpen } from './collection.ts';
import {
  amountsContradict,
  bookPaid,
  called,
  type DecideContext,
  type Decision,
  endUnpaid,
  eventFact,
  flag,
  holdForReview,
  isOverdue,
  lostRequestMs,
  note,
  nothing,
  openReview,
  quotedAmounts,
  watchMs,
} from './decision.ts';
import type { Evidence } from './evidence.ts';
import { type Fact, staleEvent } from './fact.ts';
import { quoteFault } from './quote/quote-fault.ts';
import { afterFound, dueRestored, isLost, neverPrompted, prompted } from './restored.ts';

/**
 * The transition table. Total: every status has an answer to every evidence, and the answer depends on nothing
 * but its arguments.
 *
 * Rules R2-R4, R6-R8 of docs/reliability.md live here: one pinned session, initiate at most once unless the
 * status still says `created`, unknown is never failed, a result is written once, paid wins through review.
 */
export function decide(collection: Collection, evidence: Evidence, context: DecideContext): Decision {
  return heedClaim(collection, decideOn(collection, evidence, context));
}

/** Money was told of, by news that could not be believed: what would end without it is for a person. */
function heedClaim(collection: Collection, decision: Decision): Decision {
  if (collection.review === null || !isOpen(collection.status)) return decision;
  const facts = decision.facts.filter(
    ({ kind }) => kind !== 'failed' && kind !== 'expired' && kind !== 'abandoned',
  );
  return facts.length === decision.facts.length ? decision : openReview(collection.review, facts);
}

function decideOn(collection: Collection, evidence: Evidence, context: DecideContext): Decision {
  switch (evidence.kind) {
    case 'call_unknown':
      return note(called(evidence.call, evidence.outcome, evidence));
    case 'call_rejected':
      return callRejected(collection, evidence);
    case 'create_answered':
      return createAnswered(collection, evidence);
    case 'initiate_answered':
      return initiateAnswered(collection, evidence);
    case 'polled':
      return polled(collection, evidence, context);
    case 'event_paid':
      return eventPaid(collection, evidence, context);
    case 'event_failed':
      return eventFailed(collection, evidence);
    case 'event_review':
      return eventReview(collection, evidence);
    case 'event_other':
      return note(eventFact(evidence));
    case 'event_stale':
      return eventStale(collection, evidence);
    case 'due':
      return due(collection, { ...context, now: Math.min(context.now, evidence.asOf ?? context.now) });
    case 'clock_corrected':
      return clockCorrected(collection, context);
    case 'decision':
      return decided(collection, evidence);
    default:
      return unreachable(evidence);
  }
}

type Of<K extends Evidence['kind']> = Extract<Evidence, { kind: K }>;

/** Refusals that are about the merchant's key or its approval, and would meet every other payment of it too. */
const keyRefusals: readonly string[] = [
  'invalid_api_key',
  'live_mode_off',
  'scope_required',
  'offline_scope_required',
  'offline_mode_not_enabled',
];

function callRejected(collection: Collection, evidence: Of<'call_rejected'>): Decision {
  const { call, code, httpStatus } = evidence;
  const ofKey = httpStatus === 401 || (httpStatus === 403 && keyRefusals.includes(code));
  if (!ofKey) return refused(collection, evidence);
  // No news of a payment that may have been prompted before the restore: with a key that is good it can be asked for.
  const decision =
    collection.restoredAt === null ? refused(collection, evidence) : note(called(call, 'rejected', evidence));
  return { ...decision, alarm: 'key_rejected' };
}

function refused(collection: Collection, evidence: Of<'call_rejected'>): Decision {
  const fact = called(evidence.call, 'rejected', evidence);
  if (evidence.call !== 'create' || collection.status !== 'accepted') return note(fact);
  if (collection.restoredAt !== null) return openReview('restored_unknown', [fact]);
  const abandoned = note(fact, { kind: 'abandoned', data: { reason: evidence.code } });
  // Our own fault, and no other caller's: these keys are used once, with stored bytes.
  return evidence.code === 'idempotency_key_reused' ? { ...abandoned, alarm: evidence.code } : abandoned;
}

/** The payer agreed to a total that was on the screen, and to no other. */
function agreementFault({ shownTotalMinor }: Collection, session: OfflineSession): string | undefined {
  return shownTotalMinor === null || shownTotalMinor === session.amount_minor
    ? undefined
    : 'quote_shown_total';
}

function createAnswered(collection: Collection, { session, ms }: Of<'create_answered'>): Decision {
  if (collection.status !== 'accepted') {
    if (collection.sessionId === session.id) return nothing;
    return note({ kind: 'orphaned', data: { sessionId: session.id } });
  }
  const created: Fact = {
    kind: 'created',
    data: {
      sessionId: session.id,
      goodsMinor: session.goods_minor,
      amountMinor: session.amount_minor,
      feeMinor: session.expected_fee_minor,
      netMinor: session.expected_net_minor,
      ms,
    },
  };
  const fault = quoteFault(collection, session) ?? agreementFault(collection, session);
  // Asked anew after a restore: the answer creates nothing, or tells which session there is. A poll tells the rest.
  if (collection.restoredAt !== null) return fault ? openReview(fault, [created]) : note(created);
  if (fault) {
    return {
      ...note(created, { kind: 'abandoned', data: { reason: fault } }),
      alarm: fault,
    };
  }
  // Somebody else drove this session before us: never push it again, ask a person.
  if (session.status !== 'created') return openReview('session_already_driven', [created]);
  return note(created);
}

function initiateAnswered(collection: Collection, { initiatedAt, ms }: Of<'initiate_answered'>): Decision {
  if (collection.status !== 'initiating') return note(called('initiate', 'ok', { ms }));
  return note({ kind: 'initiated', data: { ...(initiatedAt === undefined ? {} : { at: initiatedAt }), ms } });
}

function due(collection: Collection, context: DecideContext): Decision {
  const { now, maySend } = context;
  const { status, initiateSentAt } = collection;
  if (status === 'accepted' || status === 'created') {
    if (collection.restoredAt !== null) return dueRestored(collection, collection.restoredAt, context);
    if (now >= collection.promptDeadline)
      return note({ kind: 'abandoned', data: { reason: 'prompt_deadline' } });
    if (status === 'accepted' || now < collection.promptNotBefore || !maySend) return nothing;
    return requestPrompt(collection);
  }
  if ((status !== 'initiating' && status !== 'initiated') || initiateSentAt === null) return nothing;
  if (now >= initiateSentAt + watchMs) return openReview('no_outcome');
  if (collection.lapsedAt === null && isOverdue(collection, context))
    return note({ kind: 'lapsed', data: {} });
  return nothing;
}

/**
 * Its times would come long after its payer has left. What was agreed to and never asked for ends; for the rest, time
 * counts from now on.
 */
function clockCorrected(collection: Collection, { now }: DecideContext): Decision {
  const { status, openedAt, promptNotBefore, initiateSentAt, restoredAt } = collection;
  if (!isOpen(status)) return nothing;
  const isAgreedAhead = openedAt > now && promptNotBefore > now;
  if ((status === 'accepted' || status === 'created') && restoredAt === null) {
    return isAgreedAhead ? note({ kind: 'abandoned', data: { reason: 'clock_ahead' } }) : nothing;
  }
  const isAhead = isAgreedAhead || Math.max(initiateSentAt ?? 0, restoredAt ?? 0) > now;
  return isAhead ? note({ kind: 'clock_corrected', data: { now } }) : nothing;
}

function requestPrompt(collection: Collection, ...before: Fact[]): Decision {
  const request: Fact = { kind: 'prompt_requested', data: { send: collection.initiateSends + 1 } };
  return { ...note(...before, request), send: 'initiate' };
}

function polled(collection: Collection, evidence: Of<'polled'>, context: DecideContext): Decision {
  const fact: Fact = {
    kind: 'polled',
    data: {
      status: evidence.status,
      terminal: evidence.terminal,
      ...(evidence.retryAfterSeconds === null ? {} : { retryAfterSeconds: evidence.retryAfterSeconds }),
      ms: evidence.ms,
    },
  };
  const status = knownStatus(evidence.status);
  switch (status) {
    // Rule R4: what the service does not call final ends nothing, whatever it is called.
    case 'paid':
      return evidence.terminal ? paidAtQuote(collection, evidence, context, fact) : note(fact);
    case 'failed':
    case 'expired':
      return evidence.terminal ? endUnpaid(collection, status, `service_${status}`, fact) : note(fact);
    case 'initiated':
      if (isLost(collection)) return note(fact, ...prompted(collection));
      if (collection.status !== 'initiating') return note(fact);
      return note(fact, { kind: 'initiated', data: {} });
    case 'created':
      return stillCreated(collection, evidence, context, fact);
    case undefined:
      if (!evidence.terminal || !isOpen(collection.status)) return note(fact);
      return openReview('unknown_final_status', [fact]);
    default:
      return unreachable(status);
  }
}

/** The prompt was asked for, and the service says that it never was: the one case in which initiate goes out again. */
function stillCreated(
  collection: Collection,
  evidence: Of<'polled'>,
  context: DecideContext,
  fact: Fact,
): Decision {
  const { status, initiateSentAt, promptDeadline } = collection;
  if (isLost(collection) && status !== 'initiated') return neverPrompted(collection, evidence.askedAt, fact);
  if (status !== 'initiating' || initiateSentAt === null) return note(fact);
  // A refusal alone may be of a copy of a request that was accepted, and a copy that comes late may be accepted after it.
  const refusal = collection.initiateSends === 1 ? collection.initiateRejection : null;
  if (refusal === null && context.now < promptDeadline) {
    const graceOver = evidence.askedAt >= initiateSentAt + context.resendGraceMs;
    return graceOver && context.maySend ? requestPrompt(collection, fact) : note(fact);
  }
  const unsentAt = Math.max(refusal === null ? promptDeadline : 0, initiateSentAt + lostRequestMs);
  if (evidence.askedAt < unsentAt) return note(fact);
  return note(fact, { kind: 'abandoned', data: { reason: refusal ?? 'never_prompted' } });
}

function paidAtQuote(
  collection: Collection,
  evidence: Of<'polled'>,
  context: DecideContext,
  fact: Fact,
): Decision {
  if (isLost(collection))
    return afterFound(collection, context, (one) => paidAtQuote(one, evidence, context, fact));
  const quote = quotedAmounts(collection);
  if (collection.status === 'paid' || !quote) return note(fact);
  if (collection.status === 'initiating' || collection.status === 'initiated') {
    return bookPaid(collection, quote, 'quote', evidence.paidAt, context, fact);
  }
  return holdForReview(collection, quote.amountMinor, 'quote', evidence.paidAt, fact);
}

function sameAmounts(collection: Collection, stated: Of<'event_paid'>['amounts']): boolean {
  return (
    stated.goodsMinor === collection.goodsMinor &&
    stated.amountMinor === collection.amountMinor &&
    stated.feeMinor === collection.feeMinor &&
    stated.netMinor === collection.netMinor
  );
}

function eventPaid(collection: Collection, evidence: Of<'event_paid'>, context: DecideContext): Decision {
  if (isLost(collection)) return afterFound(collection, context, (one) => eventPaid(one, evidence, context));
  const fact = eventFact(evidence);
  const { goodsMinor: _goods, ...amounts } = evidence.amounts;
  const agrees = sameAmounts(collection, evidence.amounts);
  switch (collection.status) {
    case 'initiating':
    case 'initiated':
      if (agrees) return bookPaid(collection, amounts, 'webhook', evidence.paidAt, context, fact);
      return holdForReview(
        collection,
        amounts.amountMinor,
        'webhook',
        evidence.paidAt,
        fact,
        'amount_mismatch',
      );
    case 'paid':
      if (!agrees) return amountsContradict(collection, fact);
      if (collection.amountSource === 'webhook') return note(fact);
      return note(fact, { kind: 'amounts_confirmed', data: { eventId: evidence.eventId } });
    case 'accepted':
    case 'created':
    case 'failed':
    case 'expired':
    case 'abandoned':
    case 'review':
      return holdForReview(collection, amounts.amountMinor, 'webhook', evidence.paidAt, fact);
    default:
      return unreachable(collection.status);
  }
}

function eventFailed(collection: Collection, evidence: Of<'event_failed'>): Decision {
  const reason = evidence.reason ?? `service_${evidence.status}`;
  return endUnpaid(collection, evidence.status, reason, eventFact(evidence));
}

function eventReview(collection: Collection, evidence: Of<'event_review'>): Decision {
  const fact = eventFact(evidence);
  if (collection.status === 'paid') {
    // Money beside that of the payment says nothing against the payment.
    return evidence.secondCharge
      ? flag(collection, 'second_charge', fact)
      : amountsContradict(collection, fact);
  }
  return holdForReview(collection, evidence.amountMinor ?? 0, 'webhook', null, fact, 'amount_mismatch');
}

/**
 * Nothing is booked for a stale event, and nothing ends by it: the poll that it caused tells what holds. Where no poll
 * would ask any more, or none could tell, a person must look, for the service says that money came.
 */
function eventStale(collection: Collection, { news, ...event }: Of<'event_stale'>): Decision {
  const fact = eventFact(event);
  if (news.kind !== 'event_paid' && news.kind !== 'event_review') return note(fact);
  switch (collection.status) {
    case 'initiating':
    case 'initiated':
    case 'paid':
      return staleWhileAsked(collection, news, fact);
    case 'accepted':
    case 'created':
      // Open in a restored copy, it may have been prompted: the poll tells.
      if (collection.restoredAt !== null) return staleWhileAsked(collection, news, fact);
      return openReview(staleEvent, [fact]);
    case 'failed':
    case 'expired':
    case 'abandoned':
      return openReview(staleEvent, [fact]);
    case 'review':
      return note(fact);
    default:
      return unreachable(collection.status);
  }
}

/** The amounts that were asked for. Before the quote is known, the goods are all that can differ. */
function isAsAsked(collection: Collection, stated: Of<'event_paid'>['amounts']): boolean {
  return quotedAmounts(collection)
    ? sameAmounts(collection, stated)
    : stated.goodsMinor === collection.goodsMinor;
}

/**
 * A poll books, or has booked, at the quote; it cannot tell of other amounts. That money was told of is kept until then:
 * a status that lags behind may still say that there is none.
 */
function staleWhileAsked(
  collection: Collection,
  news: Of<'event_paid'> | Of<'event_review'>,
  fact: Fact,
): Decision {
  if (news.kind === 'event_paid' && isAsAsked(collection, news.amounts)) {
    const isKept = collection.status === 'paid' || collection.review !== null;
    return isKept ? note(fact) : note(fact, { kind: 'flagged', data: { reason: staleEvent } });
  }
  const isSecond = news.kind === 'event_review' && news.secondCharge === true;
  return flag(collection, isSecond ? 'second_charge' : 'amount_mismatch', fact);
}

function decided(collection: Collection, evidence: Of<'decision'>): Decision {
  const { outcome, by, reason } = evidence;
  if (collection.review === null) return nothing;
  const booking = decisionBooking(collection, outcome);
  if (booking === 'impossible') return nothing;
  return {
    facts: [{ kind: 'decided', data: { outcome, by, reason } }],
    bookings: booking ? [booking] : [],
  };
}
