import type { EpochMs } from '../../../shared/clock.ts';
import { unreachable } from '../../../shared/errors.ts';
import { type Booking, book } from '../../ledger/posting.ts';
import { isGivenAway } from '../../unplaced/decide.ts';
import type { UnplacedChange } from '../../unplaced/fact.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import {
  type AbandonReason,
  type AmountSource,
  type Amounts,
  type Collection,
  type CollectionWithJob,
  type DecisionRefusal,
  getStage,
  type ReviewReason,
  type UnstatedEnd,
} from '../collection.ts';
import { type CallName, type Fact, isProvisional, unstatedReason } from '../fact.ts';
import type { FeeCap } from '../opening/create-call.ts';

/*
 * The types of `decide`, and one constructor for each way to record evidence, end a collection or open a review.
 */

/** The subject of a decision: a collection, and the unplaced payments of its session as far as the evidence uses them. */
export type Case = { row: CollectionWithJob; charges: readonly UnplacedPayment[] };

/** The times and limits of the configuration. */
export type DecideRules = {
  /** Time after a lost initiate answer before initiate may be sent again. */
  resendGraceMs: number;
  /** Time after the initiate call from which the payer may retry. */
  retryAllowedAfterMs: number;
  /** Time after which an unconfirmed payment raises an alarm. */
  unconfirmedAlarmAfterMs: number;
  /** Limits on a fee that the confirm screen did not show. */
  feeCap: FeeCap;
};

export type DecideContext = DecideRules & {
  now: EpochMs;
  /** In [0, 1): spreads retries and polls. */
  random: number;
  /** The lease of the worker that brings the evidence; `lost` when another worker has claimed the collection since. */
  lease: 'held' | 'lost' | 'none';
  /** False unless the worker holds the lease and may call the service. Only then a prompt may be requested. */
  maySend: boolean;
  /** The id of an unplaced payment that the evidence adds; empty when it can add none (`reportsCharge`). */
  unplacedId: string;
};

/** The context of the parts of a decision. */
export type CaseContext = DecideContext & Pick<Case, 'charges'>;

/** The effect of evidence on everything that it can change: what one batch writes. */
export type Transition = {
  /** The facts of the collection, in their order. */
  facts: readonly Fact[];
  /** The bookings that these facts require. */
  bookings: readonly Booking[];
  /** The facts and bookings of unplaced payments of the same session. */
  charges: readonly UnplacedChange[];
  /** The collection after its facts, with the time of its next step. */
  next: CollectionWithJob;
  /** Asks the caller to send initiate, the only call that moves money, once the facts are durable. */
  send?: 'initiate';
  /** The code of a condition that a person must act on. */
  alarm?: string;
  /** Why a decision of people changes nothing. Nothing of its batch is written. */
  refused?: DecisionRefusal;
};

/** The effect of evidence on the collection alone. */
export type Decision = {
  facts: readonly Fact[];
  bookings: readonly Booking[];
  send?: 'initiate';
  alarm?: string;
  refused?: DecisionRefusal;
};

/** Money that arrived, as the service reports it. */
export type ArrivedPayment<A> = { amounts: A; source: AmountSource; paidAt: string | null };

/** The longest time that a sent request can stay in the network: after it, a lost request can no longer arrive. */
export const maxRequestDelayMs = 120_000;

/**
 * How long a prompt without a result, or an unconfirmed payment, is polled: seven days, the longest settlement time seen
 * on a rail.
 */
export const watchMs = 7 * 24 * 60 * 60 * 1000;

export const noChange: Decision = { facts: [], bookings: [] };

/** Records facts and books nothing. */
export function record(...facts: Fact[]): Decision {
  return { facts, bookings: [] };
}

/** Returns the fact of a call that was answered. */
export function callFact(
  call: CallName,
  outcome: string,
  answer: { httpStatus?: number; code?: string; detail?: string; retryAfterMs?: number; ms: number },
): Fact {
  const { httpStatus, code, detail, retryAfterMs, ms } = answer;
  return {
    kind: 'called',
    data: {
      call,
      outcome,
      ...(httpStatus === undefined ? {} : { httpStatus }),
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ms,
    },
  };
}

/** Ends a collection that was provably never prompted. */
export function abandon(reason: AbandonReason, ...before: Fact[]): Decision {
  return record(...before, { kind: 'abandoned', data: { reason } });
}

/** Returns the fact of an event. */
export function eventFact(evidence: { eventId: string; type: string }): Fact {
  return { kind: 'event', data: { eventId: evidence.eventId, type: evidence.type } };
}

/** Returns whether the payer may retry, whether or not `lapsed` was recorded. */
export function isRetryAllowed(
  { initiateSentAt }: Collection,
  { now, retryAllowedAfterMs }: DecideContext,
): boolean {
  return initiateSentAt !== null && now >= initiateSentAt + retryAllowedAfterMs;
}

/** Returns the amounts of the quote; undefined without one. */
export function quotedAmounts(collection: Collection): Amounts | undefined {
  const { amountMinor, feeMinor, netMinor } = collection;
  if (amountMinor === null || feeMinor === null || netMinor === null) return undefined;
  return { amountMinor, feeMinor, netMinor };
}

/** Returns whether people have returned the money of the session, or placed it elsewhere, so that it is not booked again. */
export function isMoneyGivenAway({ id }: Collection, { charges }: Pick<Case, 'charges'>): boolean {
  return charges.some((one) => one.charge === 1 && isGivenAway(one, id));
}

/** Books the payment that `fact` proves or reports. An event becomes a part of the fact of the payment. */
export function bookPaid(
  collection: Collection,
  { amounts, source, paidAt }: ArrivedPayment<Amounts>,
  context: CaseContext,
  fact: Fact,
): Decision {
  if (isMoneyGivenAway(collection, context)) return openReview('unplaced_decided', [fact]);
  const late = collection.lapsedAt !== null || isRetryAllowed(collection, context) ? 1 : 0;
  const data = { ...amounts, source, paidAt, late } as const;
  const facts: Fact[] =
    fact.kind === 'event'
      ? [{ kind: 'paid', data: { ...data, eventId: fact.data.eventId } }]
      : [fact, { kind: 'paid', data }];
  return {
    facts,
    bookings: [book({ kind: 'paid', merchantId: collection.merchantId, ...amounts })],
  };
}

/** Decides that a person must decide. */
export function openReview(reason: ReviewReason, before: readonly Fact[] = []): Decision {
  return { ...record(...before, { kind: 'review_opened', data: { reason } }), alarm: reason };
}

/** Flags a collection for review without changing its status. */
export function flag(collection: Collection, reason: ReviewReason, ...before: Fact[]): Decision {
  const { review } = collection;
  if (review !== null && !isProvisional(review)) return record(...before);
  return { ...record(...before, { kind: 'flagged', data: { reason } }), alarm: reason };
}

/** Keeps the claim that money arrived until evidence proves a payment: an unpaid end then needs a person. */
export function claimPayment({ status, review }: Collection, reason: ReviewReason, fact: Fact): Decision {
  const isClaimKept = status === 'paid' || review !== null;
  return isClaimKept ? record(fact) : record(fact, { kind: 'flagged', data: { reason } });
}

/**
 * Handles a report of money that proves no payment: `claim` applies while polls follow, also to a restored collection, which may
 * have been prompted. Otherwise a review is opened, unless one is open.
 */
export function claimOrReview(
  collection: Collection,
  reason: ReviewReason,
  fact: Fact,
  claim: () => Decision,
): Decision {
  const stage = getStage(collection);
  switch (stage) {
    case 'prompted':
    case 'paid':
      return claim();
    case 'unprompted':
    case 'unpaid':
      return stage === 'unprompted' && collection.restoredAt !== null ? claim() : openReview(reason, [fact]);
    case 'review':
      return record(fact);
    default:
      return unreachable(stage);
  }
}

/** Ends an open collection by a final status of a poll. The reason is the poll's, else the one that an event stated. */
export function endUnpaid(
  collection: Collection,
  poll: { status: 'failed' | 'expired'; reason?: string | undefined },
  fact: Fact,
): Decision {
  const { status } = poll;
  const { reportedFailure } = collection;
  const isStated = reportedFailure !== null && reportedFailure !== unstatedReason;
  const unstated: UnstatedEnd = `service_${status}`;
  const reason = poll.reason ?? (isStated ? reportedFailure : unstated);
  switch (collection.status) {
    case 'created':
    case 'initiating':
    case 'initiated':
      return record(fact, { kind: status, data: { reason } });
    case 'paid':
      return flag(collection, `${status}_after_paid`, fact);
    case 'accepted':
    case 'failed':
    case 'expired':
    case 'abandoned':
    case 'review':
      return record(fact);
    default:
      return unreachable(collection.status);
  }
}
