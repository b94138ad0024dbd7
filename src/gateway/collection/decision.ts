import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import { type Booking, book } from '../ledger/posting.ts';
import type { AmountSource, Amounts, Collection } from './collection.ts';
import { type CallName, type Fact, staleEvent } from './fact.ts';

/*
 * The words in which `decide` answers: what each way to end a collection, or to hand it to a person, writes down and
 * books.
 */

export type DecideContext = {
  now: EpochMs;
  /** True for the worker that holds the collection's lease: only it may ask for a prompt. */
  maySend: boolean;
  /** After a lost initiate answer, how long the service may take before the question is put again. */
  resendGraceMs: number;
  /** How long a payer may take before the collection is shown as unanswered. */
  retryAllowedAfterMs: number;
};

/**
 * What evidence does to a collection: facts to append, money to book.
 *
 * `send` asks the caller, once the facts are durable, to send initiate: the only call that moves money.
 * `alarm` names something that should never happen and that a person must hear of.
 */
export type Decision = {
  facts: readonly Fact[];
  bookings: readonly Booking[];
  send?: 'initiate';
  alarm?: string;
};

/** A request that was lost may still arrive; this much later it will not. */
export const lostRequestMs = 120_000;

/** How long an unanswered prompt is watched: seven days, as long as rails have been seen to settle. */
export const watchMs = 7 * 24 * 60 * 60 * 1000;

export const nothing: Decision = { facts: [], bookings: [] };

export function note(...facts: Fact[]): Decision {
  return { facts, bookings: [] };
}

export function called(
  call: CallName,
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

export function eventFact(evidence: { eventId: string; type: string }): Fact {
  return { kind: 'event', data: { eventId: evidence.eventId, type: evidence.type } };
}

/** The payer had long enough, whether or not anybody has looked since. */
export function isOverdue(
  { initiateSentAt }: Collection,
  { now, retryAllowedAfterMs }: DecideContext,
): boolean {
  return initiateSentAt !== null && now >= initiateSentAt + retryAllowedAfterMs;
}

export function quotedAmounts(collection: Collection): Amounts | undefined {
  const { amountMinor, feeMinor, netMinor } = collection;
  if (amountMinor === null || feeMinor === null || netMinor === null) return undefined;
  return { amountMinor, feeMinor, netMinor };
}

export function bookPaid(
  collection: Collection,
  amounts: Amounts,
  source: AmountSource,
  paidAt: string | null,
  context: DecideContext,
  fact: Fact,
): Decision {
  const late = collection.lapsedAt !== null || isOverdue(collection, context) ? 1 : 0;
  return {
    facts: [fact, { kind: 'paid', data: { ...amounts, source, paidAt, late } }],
    bookings: [book({ kind: 'paid', merchantId: collection.merchantId, ...amounts })],
  };
}

/** Money came where none should: it is booked into suspense, once, and a person decides. */
export function holdForReview(
  collection: Collection,
  amountMinor: number,
  source: AmountSource,
  paidAt: string | null,
  fact: Fact,
  reason = `paid_while_${collection.status}`,
): Decision {
  const review: Fact[] = collection.status === 'review' ? [] : [{ kind: 'review_opened', data: { reason } }];
  if (collection.booked !== null || amountMinor === 0) return { ...note(fact, ...review), alarm: reason };
  return {
    facts: [fact, { kind: 'suspended', data: { amountMinor, source, paidAt } }, ...review],
    bookings: [book({ kind: 'suspense', heldMinor: amountMinor })],
    alarm: reason,
  };
}

export function openReview(reason: string, before: readonly Fact[] = []): Decision {
  return { ...note(...before, { kind: 'review_opened', data: { reason } }), alarm: reason };
}

/** What was booked stays booked, and a person must look. A claim that a poll will settle is no reason to look yet. */
export function flag(collection: Collection, reason: string, ...before: Fact[]): Decision {
  if (collection.review !== null && collection.review !== staleEvent) return note(...before);
  return { ...note(...before, { kind: 'flagged', data: { reason } }), alarm: reason };
}

/** A signed amount that differs from what was booked at the quote takes the collection out of `paid`. */
export function amountsContradict(collection: Collection, fact: Fact): Decision {
  if (collection.amountSource === 'webhook') return flag(collection, 'amount_mismatch', fact);
  return openReview('amount_mismatch', [fact]);
}

export function endUnpaid(
  collection: Collection,
  status: 'failed' | 'expired',
  reason: string,
  fact: Fact,
): Decision {
  switch (collection.status) {
    case 'created':
    case 'initiating':
    case 'initiated':
      return note(fact, { kind: status, data: { reason } });
    case 'paid':
      return flag(collection, `${status}_after_paid`, fact);
    case 'accepted':
    case 'failed':
    case 'expired':
    case 'abandoned':
    case 'review':
      return note(fact);
    default:
      return unreachable(collection.status);
  }
}
