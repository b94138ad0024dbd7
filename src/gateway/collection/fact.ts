import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import type {
  AmountSource,
  Amounts,
  Booked,
  Collection,
  CollectionIntent,
  DecidedReason,
  DecisionOutcome,
  ReviewReason,
  Status,
} from './collection.ts';

/** Review reason: a stale event reported money, and no other evidence confirms it. */
export const staleEvent = 'stale_event' satisfies ReviewReason;

/** Review reason: an event reported a payment without readable amounts, and no poll confirms it. */
export const unreadableEvent = 'unreadable_event' satisfies ReviewReason;

/** Review reason: the service reported money in another currency. */
export const otherCurrencyReason = 'other_currency' satisfies ReviewReason;

/** Reviews of a claim that money arrived. A payment that a poll or an event proves ends them. */
const claimReviews: readonly (string | null)[] = [staleEvent, unreadableEvent];

/** Review reason: a payment is unconfirmed for too long. */
export const unconfirmedPaid = 'unconfirmed_paid' satisfies ReviewReason;

/** Returns whether a poll can end the review. Any other reason replaces the reason of such a review. */
export function isProvisional(review: string): boolean {
  return review === unconfirmedPaid || claimReviews.includes(review);
}

/** Reason of a reported failure when the event states none. */
export const unstatedReason = 'unstated';

export type CallName = 'create' | 'initiate' | 'status';

/** An event in the history of a collection. Facts are append-only, and the collection is their fold. */
export type Fact =
  | { kind: 'accepted'; data: CollectionIntent }
  | {
      kind: 'called';
      data: {
        call: CallName;
        outcome: string;
        httpStatus?: number;
        code?: string;
        detail?: string;
        /** The wait that the service requested. */
        retryAfterMs?: number;
        ms: number;
      };
    }
  | { kind: 'created'; data: Amounts & { sessionId: string; goodsMinor: number; ms: number } }
  /** The service answered create with a second session, which is never initiated. */
  | { kind: 'orphaned'; data: { sessionId: string } }
  | { kind: 'prompt_requested'; data: { send: number } }
  | { kind: 'initiated'; data: { at?: string; ms?: number } }
  | {
      kind: 'polled';
      data: {
        status: string;
        terminal: boolean;
        retryAfterSeconds?: number;
        /** Money that does not fit the payment session. */
        reviewMinor?: number;
        ms: number;
      };
    }
  | { kind: 'event'; data: { eventId: string; type: string } }
  | {
      kind: 'paid';
      data: Amounts & {
        source: AmountSource;
        paidAt: string | null;
        late: 0 | 1;
        /** The event that reported the payment. No fact of its own repeats it. */
        eventId?: string;
      };
    }
  | { kind: 'amounts_confirmed'; data: { eventId: string } }
  /** A poll agrees with the event that reported the payment: final, and paid. `ms` is the duration of the poll. */
  | { kind: 'confirmed'; data: { ms: number } }
  | { kind: 'suspended'; data: { amountMinor: number; source: AmountSource; paidAt: string | null } }
  /** Later evidence states another amount than the suspended one. */
  | { kind: 'suspense_corrected'; data: { amountMinor: number; source: AmountSource; paidAt: string | null } }
  /** An event reports that the payment failed or expired. Only a poll ends the collection. */
  | { kind: 'failure_reported'; data: { reason: string } }
  /** The service reports money in another currency, in its smallest unit. It is in no account of the ledger. */
  | { kind: 'other_currency_reported'; data: { currency: string; amountMinor: number | null } }
  | { kind: 'failed'; data: { reason: string } }
  | { kind: 'expired'; data: { reason: string } }
  | { kind: 'abandoned'; data: { reason: string } }
  | { kind: 'review_opened'; data: { reason: string } }
  | { kind: 'flagged'; data: { reason: string } }
  | { kind: 'lapsed'; data: Record<string, never> }
  /** The collection was open in a restored copy of the ledger that was made at `takenAt`. */
  | { kind: 'restored'; data: { takenAt: EpochMs | null } }
  /** The service reports a prompt that the restored copy does not contain. */
  | { kind: 'prompt_confirmed'; data: Record<string, never> }
  /** The system clock was far ahead at the previous fact. Waits and deadlines count from `now`. */
  | { kind: 'clock_corrected'; data: { now: EpochMs } }
  /** The service's operator has returned the money that it rejected. The bookings do not change. */
  /** `endsReview`: no second charge of the session is in suspense any more. */
  | {
      kind: 'refund_reported';
      data: { amountMinor: number; reference: string; by: string; endsReview?: boolean };
    }
  /** A person at the service must decide about the suspended money. Polls report the decision. */
  | { kind: 'service_decides'; data: Record<string, never> }
  /** The service has not decided in time, or its report contradicts its review: support staff decide. */
  | { kind: 'service_undecided'; data: { reason: 'no_outcome' | 'contradiction' } }
  | { kind: 'decided'; data: DecidedData }
  /** Two people matched an unplaced payment with the collection. */
  | { kind: 'matched'; data: MatchedData };

/** A decision about a review, with the grounds for it. */
export type DecidedData = {
  outcome: DecisionOutcome;
  /** `service`, or `staff`: two people, or one where the configuration allows it. */
  source: 'service' | 'staff';
  /** The people: who proposed it, and who approved it. */
  by?: string;
  approvedBy?: string;
  evidence?: string;
  /** The reference of the transfer that returned the money. */
  reference?: string;
  /** The version that the people saw. */
  versionSeen?: number;
};

/** The payment that people matched, and the grounds for it. */
export type MatchedData = Amounts & {
  unplacedId: string;
  paidAt: string | null;
  by: string;
  approvedBy: string;
  evidence: string;
  versionSeen: number;
};

export type RecordedFact = Fact & { at: EpochMs };

/**
 * Returns the collection after its first fact. Each field is named: an object that begins as a copy and gets 23 more
 * fields takes 30 times as long, because the engine stores it as a dictionary.
 */
export function acceptedCollection(intent: CollectionIntent): Collection {
  return {
    id: intent.id,
    merchantId: intent.merchantId,
    livemode: intent.livemode,
    channel: intent.channel,
    dialogueId: intent.dialogueId,
    dialler: intent.dialler,
    payer: intent.payer,
    requestedBy: intent.requestedBy,
    network: intent.network,
    reference: intent.reference,
    shortReference: intent.shortReference,
    answers: intent.answers,
    retryOf: intent.retryOf,
    goodsMinor: intent.goodsMinor,
    shownTotalMinor: intent.shownTotalMinor,
    createKey: intent.createKey,
    createBody: intent.createBody,
    initiateKey: intent.initiateKey,
    openedAt: intent.openedAt,
    promptNotBefore: intent.promptNotBefore,
    promptDeadline: intent.promptDeadline,
    status: 'accepted',
    version: 1,
    amountMinor: null,
    feeMinor: null,
    netMinor: null,
    booked: null,
    amountSource: null,
    unplacedId: null,
    sessionId: null,
    initiateSentAt: null,
    initiateSends: 0,
    initiateRejection: null,
    initiatedAt: null,
    paidAt: null,
    closedAt: null,
    confirmedAt: null,
    reportedFailure: null,
    late: 0,
    lapsedAt: null,
    restoredAt: null,
    reason: null,
    review: null,
    awaitsServiceSince: null,
  };
}

/** Returns the collection after one more fact. Pure: the audit compares each row with the replay of its facts. */
export function evolve(before: Collection, fact: Fact, at: EpochMs): Collection {
  const next: Collection = { ...before, version: before.version + 1 };
  const close = (status: Status, reason: string | null): Collection => ({
    ...next,
    status,
    reason,
    closedAt: at,
  });
  switch (fact.kind) {
    case 'accepted':
      return acceptedCollection(fact.data);
    case 'called': {
      const { call, outcome, code } = fact.data;
      const isRejection = call === 'initiate' && outcome === 'rejected' && before.status === 'initiating';
      return isRejection ? { ...next, initiateRejection: code ?? 'rejected' } : next;
    }
    case 'orphaned':
    case 'polled':
    case 'event':
    case 'other_currency_reported':
      return next;
    case 'refund_reported':
      return fact.data.endsReview ? { ...next, review: null } : next;
    case 'created': {
      const { amountMinor, feeMinor, netMinor, sessionId } = fact.data;
      return { ...next, status: 'created', sessionId, amountMinor, feeMinor, netMinor };
    }
    case 'prompt_requested':
      return { ...next, status: 'initiating', initiateSentAt: at, initiateSends: fact.data.send };
    case 'initiated':
      return { ...next, status: 'initiated', initiatedAt: at };
    case 'paid': {
      const { source, paidAt, late, eventId: _, ...amounts } = fact.data;
      const closed = close('paid', null);
      const review = claimReviews.includes(closed.review) ? null : closed.review;
      // Only a poll books at the quote, and it is the authority. An event needs a poll that agrees.
      const confirmedAt = source === 'quote' ? at : null;
      return {
        ...closed,
        ...amounts,
        booked: 'paid',
        amountSource: source,
        paidAt,
        late,
        review,
        confirmedAt,
      };
    }
    case 'amounts_confirmed':
      return { ...next, amountSource: 'webhook' };
    case 'confirmed':
      return { ...next, confirmedAt: at, review: next.review === unconfirmedPaid ? null : next.review };
    case 'suspended':
    case 'suspense_corrected':
      return {
        ...next,
        booked: 'suspense',
        amountMinor: fact.data.amountMinor,
        amountSource: fact.data.source,
        paidAt: fact.data.paidAt,
      };
    case 'failure_reported':
      return { ...next, reportedFailure: fact.data.reason };
    case 'failed':
    case 'expired':
    case 'abandoned':
      return close(fact.kind, fact.data.reason);
    case 'review_opened': {
      const { review } = before;
      // An earlier flag, such as a second charge, still needs its own decision. The status has the new reason.
      const kept = review !== null && !isProvisional(review) ? review : fact.data.reason;
      return { ...close('review', fact.data.reason), review: kept };
    }
    case 'flagged':
      return { ...next, review: fact.data.reason };
    case 'lapsed':
      return { ...next, lapsedAt: at };
    case 'restored':
      return { ...next, restoredAt: at };
    case 'prompt_confirmed':
      return confirmPrompt(next);
    case 'clock_corrected':
      return correctTimes(next, fact.data.now);
    case 'decided': {
      const { outcome } = fact.data;
      const isPaid = outcome === 'accept' || outcome === 'paid';
      return {
        ...close(isPaid ? 'paid' : 'failed', decidedReason(fact.data)),
        ...amountsAfter(before, outcome),
        booked: bookedAfter(before.booked, isPaid),
        review: null,
        awaitsServiceSince: null,
        confirmedAt: isPaid ? (before.confirmedAt ?? at) : before.confirmedAt,
      };
    }
    case 'matched': {
      const { amountMinor, feeMinor, netMinor, paidAt, unplacedId } = fact.data;
      return {
        ...close('paid', 'matched'),
        ...{ amountMinor, feeMinor, netMinor, paidAt, unplacedId },
        booked: 'paid',
        amountSource: 'webhook',
        confirmedAt: at,
        review: null,
        awaitsServiceSince: null,
      };
    }
    case 'service_decides':
      return { ...next, awaitsServiceSince: at };
    case 'service_undecided':
      return { ...next, awaitsServiceSince: null };
    default:
      return unreachable(fact);
  }
}

/** The send time is unknown, so the earliest possible one is assumed. */
function confirmPrompt(collection: Collection): Collection {
  const { status, initiateSentAt, initiateSends, promptNotBefore } = collection;
  return {
    ...collection,
    status: status === 'initiated' ? 'initiated' : 'initiating',
    initiateSentAt: initiateSentAt ?? promptNotBefore,
    initiateSends: Math.max(1, initiateSends),
    restoredAt: null,
  };
}

/** Moves every future time back to `now`: polls and the watch start now, and no further prompt is requested. */
function correctTimes(collection: Collection, now: EpochMs): Collection {
  const correct = (at: EpochMs | null) => (at === null ? null : Math.min(at, now));
  return {
    ...collection,
    promptNotBefore: Math.min(collection.promptNotBefore, now),
    promptDeadline: Math.min(collection.promptDeadline, now),
    initiateSentAt: correct(collection.initiateSentAt),
    restoredAt: correct(collection.restoredAt),
    closedAt: correct(collection.closedAt),
    awaitsServiceSince: correct(collection.awaitsServiceSince),
  };
}

function decidedReason({ outcome, source }: DecidedData): DecidedReason {
  if (source === 'staff') return `decided_${outcome}`;
  return outcome === 'accept' || outcome === 'paid' ? 'service_accepted' : 'service_rejected';
}

/** Returns the fee and the net of suspended money that is accepted, and the source of a payment that people recorded. */
function amountsAfter(before: Collection, outcome: DecisionOutcome): Partial<Collection> {
  const { booked, amountMinor } = before;
  if (booked === null && outcome === 'paid') return { amountSource: 'quote' };
  if (booked !== 'suspense' || outcome !== 'accept' || amountMinor === null) return {};
  const feeMinor = Math.min(before.feeMinor ?? 0, amountMinor);
  return { feeMinor, netMinor: amountMinor - feeMinor };
}

/** Returns where the money is after a decision. */
function bookedAfter(booked: Booked | null, isPaid: boolean): Booked | null {
  if (booked === null) return isPaid ? 'paid' : null;
  if (booked === 'suspense') return isPaid ? 'released' : 'returned';
  const isMerchants = booked === 'paid' || booked === 'released';
  return isMerchants && !isPaid ? 'reversed' : booked;
}

/** Folds a collection's facts from the first one. Returns `undefined` when the first fact is not `accepted`. */
export function replayFacts(facts: readonly RecordedFact[]): Collection | undefined {
  const [first, ...rest] = facts;
  if (first?.kind !== 'accepted') return undefined;
  return rest.reduce((state, fact) => evolve(state, fact, fact.at), acceptedCollection(first.data));
}
