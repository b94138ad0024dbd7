import { knownStatus, type OfflineSession } from '../contract/session.ts';
import { unreachable } from '../shared/errors.ts';
import { decisionBooking } from './booking.ts';
import { type Collection, isOpen } from './collection.ts';
import {
  amountsContradict,
  bookPaid,
  type DecideContext,
  type Decision,
  endUnpaid,
  flag,
  holdForReview,
  isOverdue,
  note,
  nothing,
  openReview,
  quotedAmounts,
} from './decision.ts';
import type { Evidence } from './evidence.ts';
import type { Fact } from './fact.ts';
import { quoteFault } from './quote-fault.ts';

/** A request that was lost may still arrive; this much later it will not. */
const lostRequestMs = 120_000;

/** How long an unanswered prompt is watched: seven days, as long as rails have been seen to settle. */
export const watchMs = 7 * 24 * 60 * 60 * 1000;

/**
 * The transition table. Total: every status has an answer to every evidence, and the answer depends on nothing
 * but its arguments.
 *
 * Rules R2-R4, R6-R8 of docs/reliability.md live here: one pinned session, initiate at most once unless the
 * status still says `created`, unknown is never failed, a result is written once, paid wins through review.
 */
export function decide(collection: Collection, evidence: Evidence, context: DecideContext): Decision {
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
    case 'due':
      return due(collection, context);
    case 'decision':
      return decided(collection, evidence);
    default:
      return unreachable(evidence);
  }
}

type Of<K extends Evidence['kind']> = Extract<Evidence, { kind: K }>;

function called(
  call: 'create' | 'initiate' | 'status',
  outcome: string,
  answer: { httpStatus?: number; code?: string; detail?: string; ms: number },
): Fact {
  const { httpStatus, code, detail, ms } = answer;
  return {
    kind: 'called',
    data: {
      call,
      outcome,
      ...(httpStatus === undefined ? {} : { httpStatus }),
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail }),
      ms,
    },
  };
}

function eventFact(evidence: { eventId: string; type: string }): Fact {
  return { kind: 'event', data: { eventId: evidence.eventId, type: evidence.type } };
}

function callRejected(collection: Collection, evidence: Of<'call_rejected'>): Decision {
  const fact = called(evidence.call, 'rejected', evidence);
  if (evidence.call !== 'create' || collection.status !== 'accepted') return note(fact);
  const abandoned = note(fact, { kind: 'abandoned', data: { reason: evidence.code } });
  // Our own fault, and no other caller's: these keys are used once, with stored bytes.
  return evidence.code === 'idempotency_key_reused' ? { ...abandoned, alarm: evidence.code } : abandoned;
}

/** The payer agreed to a total that was on the screen, and to no other. */
function agreementFault({ agreedMinor }: Collection, session: OfflineSession): string | undefined {
  return agreedMinor === null || agreedMinor === session.amount_minor ? undefined : 'quote_agreed';
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
  if (fault) {
    return {
      ...note(created, { kind: 'abandoned', data: { reason: fault } }),
      alarm: `wrong quote: ${fault}`,
    };
  }
  // Somebody drove this session before us (a restored copy of the database): never push it again, ask a person.
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
  if (status !== 'initiating' || initiateSentAt === null) return note(fact);
  // Refused, and the service has nothing out: a refusal alone may be of a copy of a request that was accepted.
  if (collection.refusal !== null && collection.initiateSends === 1) {
    return note(fact, { kind: 'abandoned', data: { reason: collection.refusal } });
  }
  if (context.now < promptDeadline) {
    const graceOver = evidence.askedAt >= initiateSentAt + context.resendGraceMs;
    return graceOver && context.maySend ? requestPrompt(collection, fact) : note(fact);
  }
  const provablyUnsent = evidence.askedAt >= Math.max(promptDeadline, initiateSentAt + lostRequestMs);
  return provablyUnsent ? note(fact, { kind: 'abandoned', data: { reason: 'never_prompted' } }) : note(fact);
}

function paidAtQuote(
  collection: Collection,
  evidence: Of<'polled'>,
  context: DecideContext,
  fact: Fact,
): Decision {
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
  const fact = eventFact(evidence);
  const { goodsMinor: _goods, ...amounts } = evidence.amounts;
  const agrees = sameAmounts(collection, evidence.amounts);
  switch (collection.status) {
    case 'initiating':
    case 'initiated':
      if (agrees) return bookPaid(collection, amounts, 'event', evidence.paidAt, context, fact);
      return holdForReview(
        collection,
        amounts.amountMinor,
        'event',
        evidence.paidAt,
        fact,
        'amount_mismatch',
      );
    case 'paid':
      if (!agrees) return amountsContradict(collection, fact);
      if (collection.amountSource === 'event') return note(fact);
      return note(fact, { kind: 'amounts_confirmed', data: { eventId: evidence.eventId } });
    case 'accepted':
    case 'created':
    case 'failed':
    case 'expired':
    case 'abandoned':
    case 'review':
      return holdForReview(collection, amounts.amountMinor, 'event', evidence.paidAt, fact);
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
  return holdForReview(collection, evidence.amountMinor ?? 0, 'event', null, fact, 'amount_mismatch');
}

function decided(collection: Collection, evidence: Of<'decision'>): Decision {
  const { outcome, by, because } = evidence;
  if (collection.review === null) return nothing;
  const booking = decisionBooking(collection, outcome);
  if (booking === 'impossible') return nothing;
  return {
    facts: [{ kind: 'decided', data: { outcome, by, because } }],
    bookings: booking ? [booking] : [],
  };
}
