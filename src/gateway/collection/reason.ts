import type { SessionStatus } from '../../contract/session.ts';
import type { Collection } from './collection.ts';

/*
 * The reasons that the gateway itself records. Reasons of the service are open: a newer service has more of them.
 */

/** How a payment session differs from its request, or from the total that the payer confirmed. It is never initiated. */
export type QuoteFault =
  | 'quote_goods'
  | 'quote_amount'
  | 'quote_net'
  | 'quote_payer'
  | 'quote_reference'
  | 'quote_network'
  | 'quote_mode'
  | 'quote_shown_total'
  | 'quote_fee_too_high';

/** Why the gateway ends a collection that was provably never prompted. */
export type AbandonReason =
  | QuoteFault
  | 'session_taken'
  | 'prompt_deadline'
  | 'never_prompted'
  | 'clock_ahead'
  | 'restored';

/** The reason of an unpaid end that a poll proves, when no event states one. */
export type UnstatedEnd = 'service_failed' | 'service_expired';

/** What people decide about the money of a review. */
export const decisionOutcomes = ['accept', 'returned', 'paid', 'not_paid'] as const;

/**
 * A decision about a review: `accept` what arrived, it was `returned` to the payer, the payment was made after all (`paid`)
 * although no money is recorded, or it was never made (`not_paid`).
 */
export type DecisionOutcome = (typeof decisionOutcomes)[number];

/** The reason of a collection that a decision has ended: of a person here, or of the service. */
export type DecidedReason =
  | `decided_${DecisionOutcome}`
  | 'service_accepted'
  | 'service_rejected'
  /** People matched an unplaced payment with the collection. */
  | 'matched';

/** Why a decision is refused. It then changes nothing. */
export type DecisionRefusal =
  | 'changed'
  | 'no_review'
  | 'still_polled'
  | 'impossible'
  /** A match with a collection that has money already. */
  | 'already_booked'
  /** A match of another amount than the collection asked for. */
  | 'other_amount'
  /** People gave the money of the payment session away: it is not booked again. */
  | 'given_away';

/** Why a person must decide about a collection. */
export type ReviewReason =
  | 'amount_mismatch'
  | 'second_charge'
  | 'stale_event'
  | 'unreadable_event'
  | 'other_currency'
  | 'unconfirmed_paid'
  | 'no_outcome'
  | 'unknown_final_status'
  | 'session_already_driven'
  | 'restored_unknown'
  /** People gave the money of the payment session away before the collection was known. */
  | 'unplaced_decided'
  // Of a restored collection.
  | 'session_taken'
  | `${Exclude<SessionStatus, 'paid'>}_after_paid`
  | `paid_while_${Collection['status']}`
  // Of a restored collection, which may have been prompted.
  | QuoteFault;
