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

const classes: Readonly<Record<string, ReasonClass>> = {
  declined: 'payer',
  pin_limit: 'payer',
  insufficient_funds: 'payer',
  prompt_expired: 'payer',
  prompt_deadline: 'not_prompted',
  never_prompted: 'not_prompted',
  session_taken: 'quote',
  clock_ahead: 'recovery',
  restored: 'recovery',
};

export function reasonClassOf(status: Status, reason: string | null): ReasonClass {
  if (status === 'review') return 'review';
  if (reason === null) return 'none';
  if (reason.startsWith('quote_')) return 'quote';
  return Object.hasOwn(classes, reason) ? (classes[reason] ?? 'service') : 'service';
}
