import type { UnpaidReason } from '../../contract/merchant/payment-reason.ts';
import type { Status } from './collection.ts';

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
