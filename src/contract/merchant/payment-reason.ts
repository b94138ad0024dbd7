import { documentedErrors, sessionEndReasons } from '../service/end-reason.ts';

/*
 * The one list of the reasons of payments, under the names that the ledger, notifications and the merchant API use. A reason of the
 * service keeps the name of the service, and a newer service can have more of them. docs/reasons-and-statuses.md explains each one.
 */

/** How a payment session differs from its request, or from the total that the payer confirmed. It is never initiated. */
export const quoteFaults = [
  'quote_goods',
  'quote_amount',
  'quote_net',
  'quote_payer',
  'quote_reference',
  'quote_network',
  'quote_mode',
  'quote_shown_total',
  'quote_fee_too_high',
] as const;

/** Why the gateway ends a collection that was provably never prompted. */
export const abandonReasons = [
  'prompt_deadline',
  'never_prompted',
  'clock_ahead',
  'restored',
  'session_taken',
  ...quoteFaults,
] as const;

/** The reason of an unpaid end that a poll proves, when no event states one. */
export const unstatedEnds = ['service_failed', 'service_expired'] as const;

/** Why the service rejects a create call: the codes that the interface documents. */
const rejections = Object.keys(documentedErrors) as (keyof typeof documentedErrors)[];

/** The reason of a collection that a decision has ended: of people here, of the service, or a match with unplaced money. */
export const decidedReasons = [
  'decided_accept',
  'decided_paid',
  'decided_returned',
  'decided_not_paid',
  'service_accepted',
  'service_rejected',
  'matched',
] as const;

/** Every reason of an unpaid end that the gateway, or the service of this version, writes. */
export const unpaidReasons = [
  ...sessionEndReasons,
  ...unstatedEnds,
  ...abandonReasons,
  ...rejections,
  'decided_not_paid' satisfies (typeof decidedReasons)[number],
] as const;

export type UnpaidReason = (typeof unpaidReasons)[number];

/** Why a person must decide about a collection. */
export const paymentReviews = [
  'amount_mismatch',
  'second_charge',
  'stale_event',
  'unreadable_event',
  'other_currency',
  'unconfirmed_paid',
  'no_outcome',
  'unknown_final_status',
  'session_already_driven',
  'restored_unknown',
  'unplaced_decided',
  'created_after_paid',
  'initiated_after_paid',
  'failed_after_paid',
  'expired_after_paid',
  'paid_while_accepted',
  'paid_while_created',
  'paid_while_initiating',
  'paid_while_initiated',
  'paid_while_paid',
  'paid_while_failed',
  'paid_while_expired',
  'paid_while_abandoned',
  'paid_while_review',
  // Of a restored collection, which may have been prompted.
  'session_taken',
  ...quoteFaults,
] as const;

/** Formats names for a description: `declined`, `cancelled`. */
export function listNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** Every reason of an unpaid end, of a decision or of a review. */
export const paymentReasons: readonly string[] = [
  ...new Set([...unpaidReasons, ...decidedReasons, ...paymentReviews]),
];
