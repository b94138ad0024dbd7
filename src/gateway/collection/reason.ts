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

/** Why a person must decide about a collection. */
export type ReviewReason =
  | 'amount_mismatch'
  | 'second_charge'
  | 'stale_event'
  | 'unreadable_event'
  | 'unconfirmed_paid'
  | 'no_outcome'
  | 'unknown_final_status'
  | 'session_already_driven'
  | 'restored_unknown'
  // Of a restored collection.
  | 'session_taken'
  | `${Exclude<SessionStatus, 'paid'>}_after_paid`
  | `paid_while_${Collection['status']}`
  // Of a restored collection, which may have been prompted.
  | QuoteFault;
