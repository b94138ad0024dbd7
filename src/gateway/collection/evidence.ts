import type { CurrencyAmount } from '../../contract/service/field.ts';
import { knownStatus, type OfflineSession } from '../../contract/service/reading.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Amounts, DecisionOutcome } from './collection.ts';
import type { CallName } from './fact.ts';

/** Everything that can change a collection. `decide` is the only function that interprets it. */
export type Evidence =
  /** A call got no conclusive answer: timeout, reset, 5xx, 409, 429, or an unreadable 2xx. */
  | {
      kind: 'call_unknown';
      call: CallName;
      outcome: 'unknown' | 'rate_limited';
      detail: string;
      httpStatus?: number;
      retryAfterMs?: number;
      ms: number;
    }
  /** The service rejected a call with a 4xx status and an error code. */
  | { kind: 'call_rejected'; call: CallName; code: string; httpStatus: number; ms: number }
  | {
      kind: 'create_answered';
      session: OfflineSession;
      /** The session belongs to another collection. */
      isTaken?: true;
      ms: number;
    }
  | { kind: 'initiate_answered'; initiatedAt?: string; ms: number }
  | {
      kind: 'polled';
      status: string;
      terminal: boolean;
      paidAt: string | null;
      retryAfterSeconds: number | null;
      /** The amount paid; absent when the service does not state it. */
      paidMinor?: number;
      /** Why the payment failed or expired; absent when the service does not state it. */
      reason?: string;
      /** Money that does not fit the payment session. */
      review?: ReportedReview;
      /** The currency of the session; absent when it is that of the interface. */
      currency?: string;
      /** When the poll was sent. The answer proves nothing about later events. */
      requestedAt: EpochMs;
      ms: number;
    }
  | EventEvidence
  /** An event with a valid signature and an old timestamp. Its content is authentic; it may be out of date. */
  | { kind: 'event_stale'; eventId: string; type: string; event: EventEvidence }
  /** The worker looked at the collection, and only time has passed. */
  | {
      kind: 'due';
      /** Upper bound of the current time: the last send time plus its age on the monotonic clock. */
      asOf?: EpochMs;
    }
  /** The gateway started with a system clock that is far behind the collection's last fact. */
  | { kind: 'clock_corrected' }
  /** The decision of people on a collection under review. It is refused when facts arrived that they have not seen. */
  | { kind: 'decision'; outcome: DecisionOutcome; versionSeen: number; grounds: DecisionGrounds }
  /** Two people match an unplaced payment with the collection. It is refused like a decision. */
  | { kind: 'payment_matched'; payment: MatchedPayment; versionSeen: number; grounds: DecisionGrounds };

/** The unplaced payment of a match: what was charged, and the quote as its event states it. */
export type MatchedPayment = {
  unplacedId: string;
  chargedMinor: number;
  goodsMinor: number | null;
  feeMinor: number | null;
  netMinor: number | null;
  paidAt: string | null;
};

/** Who decided, and why. */
export type DecisionGrounds = { by: string; approvedBy: string; evidence: string; reference?: string };

/** Money that does not fit its payment session, as an event or a poll reports it. */
export type ReportedReview = {
  amountMinor: number | null;
  /** The payer was charged again after the session's own payment. */
  secondCharge?: true;
  /** The time of a second charge; absent when the service does not state it. */
  paidAt?: string;
  /** The session has no final status: a person at the service decides about the money. */
  isUndecided?: true;
};

/** The content of a webhook event. */
export type EventEvidence =
  | {
      kind: 'event_paid';
      eventId: string;
      type: string;
      amounts: StatedAmounts;
      /** The amount paid, when the amounts are those of the quote. */
      paidMinor?: number;
      paidAt: string | null;
    }
  /** An event that reports a payment without readable amounts. */
  | { kind: 'event_unreadable'; eventId: string; type: string }
  /** An event that reports money in another currency. */
  | ({ kind: 'event_other_currency'; eventId: string; type: string } & CurrencyAmount)
  | { kind: 'event_failed'; eventId: string; type: string; status: 'failed' | 'expired'; reason?: string }
  | ({ kind: 'event_review'; eventId: string; type: string } & ReportedReview)
  /** The service's operator has returned money that it rejected to the payer. */
  | {
      kind: 'event_refund';
      eventId: string;
      type: string;
      amountMinor: number;
      reference: string;
      by: string;
      /** The refunded money is a second charge. */
      secondCharge?: true;
      /** The time of the refunded charge; absent when the service does not state it. */
      paidAt?: string;
    }
  | { kind: 'event_other'; eventId: string; type: string };

/** All amounts that a paid event states, the price included. */
export type StatedAmounts = Amounts & { goodsMinor: number };

export type EvidenceOf<K extends Evidence['kind']> = Extract<Evidence, { kind: K }>;

/** Returns whether a text is the code of a failure: reasons are stored and shown, so other texts are dropped. */
export function isFailureReason(text: string): boolean {
  return /^[a-z_]{1,64}$/.test(text);
}

/**
 * Returns a reported review. `amountMinor` is what was charged; null when the service does not state it. While the status of
 * the session is not final, a person at the service decides.
 */
export function toReportedReview(
  amountMinor: number | null,
  { reason, status, paidAt }: { reason: unknown; status: unknown; paidAt: string | null | undefined },
): ReportedReview {
  if (reason === 'second_charge') return { amountMinor, secondCharge: true, ...(paidAt ? { paidAt } : {}) };
  const known = typeof status === 'string' ? knownStatus(status) : undefined;
  return { amountMinor, ...(known === 'created' || known === 'initiated' ? { isUndecided: true } : {}) };
}
