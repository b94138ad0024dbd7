import type {
  abandonReasons,
  decidedReasons,
  paymentReviews,
  quoteFaults,
  UnpaidReason,
  unstatedEnds,
} from '../../contract/merchant/payment-reason.ts';
import type { Status } from './collection.ts';

/** How a payment session differs from its request, or from the total that the payer confirmed. It is never initiated. */
export type QuoteFault = (typeof quoteFaults)[number];

/** Why the gateway ends a collection that was provably never prompted. */
export type AbandonReason = (typeof abandonReasons)[number];

/** The reason of an unpaid end that a poll proves, when no event states one. */
export type UnstatedEnd = (typeof unstatedEnds)[number];

/** The decisions of staff about the money of a review. */
export const decisionOutcomes = ['accept', 'returned', 'paid', 'not_paid'] as const;

/**
 * A decision about a review: `accept` what arrived, it was `returned` to the payer, the payment was made after all (`paid`)
 * although no money is recorded, or it was never made (`not_paid`).
 */
export type DecisionOutcome = (typeof decisionOutcomes)[number];

/** The reason of a collection that a decision has ended. */
export type DecidedReason = (typeof decidedReasons)[number];

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
export type ReviewReason = (typeof paymentReviews)[number];

/** Why a collection ended, in a fixed set of classes: the codes of a service are open. */
export type ReasonClass =
  | 'none'
  /** The payer declined, could not pay, or did not approve in time. */
  | 'payer'
  /** No prompt was requested before the deadline, or the request never arrived. */
  | 'not_prompted'
  /** The answer to the create call did not fit. */
  | 'quote'
  /** A restore, or a correction of the clock. */
  | 'recovery'
  | 'review'
  /** Any other code of the service. */
  | 'service';

const classes = {
  declined: 'payer',
  cancelled: 'payer',
  pin_limit: 'payer',
  insufficient_funds: 'payer',
  limit_exceeded: 'payer',
  wallet_not_registered: 'payer',
  prompt_expired: 'payer',
  prompt_deadline: 'not_prompted',
  never_prompted: 'not_prompted',
  session_taken: 'quote',
  clock_ahead: 'recovery',
  restored: 'recovery',
} as const satisfies Partial<Record<UnpaidReason, ReasonClass>>;

const classByReason = new Map<string, ReasonClass>(Object.entries(classes));

/** Returns the class of the reason of a collection that has ended, or is under review. */
export function getReasonClass(status: Status, reason: string | null): ReasonClass {
  if (status === 'review') return 'review';
  if (reason === null) return 'none';
  if (reason.startsWith('quote_')) return 'quote';
  return classByReason.get(reason) ?? 'service';
}
