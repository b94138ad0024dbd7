import type { PaymentEventType } from '../../contract/merchant/notification.ts';
import { type Collection, isOpen } from '../collection/collection.ts';

type State = Pick<Collection, 'status' | 'confirmedAt' | 'review' | 'lapsedAt' | 'amountMinor'>;

type Outcome = 'open' | 'paid' | 'not_paid' | 'review';

/** Returns where a payment is, as its merchant sees it. */
export function getOutcome({ status }: Pick<State, 'status'>): Outcome {
  if (isOpen(status)) return 'open';
  return status === 'paid' || status === 'review' ? status : 'not_paid';
}

/** Returns the types of the notifications about one fact, in their order; most facts have none. Pure and total. */
export function listEventTypes(before: State | undefined, after: State): PaymentEventType[] {
  if (!before) return ['payment.opened'];
  const types: PaymentEventType[] = [];
  const outcome = outcomeType(before, after);
  if (outcome) types.push(outcome);
  if (opensReview(before, after)) types.push('payment.review_opened');
  if (before.review !== null && after.review === null) types.push('payment.review_closed');
  return types;
}

/** True when a person must now decide, about another question than before, or about the result as well. */
function opensReview(before: State, after: State): boolean {
  if (after.review === null) return false;
  return before.review !== after.review || (after.status === 'review' && before.status !== 'review');
}

function outcomeType(before: State, after: State): PaymentEventType | undefined {
  const from = getOutcome(before);
  const to = getOutcome(after);
  if (from === to) {
    if (to === 'paid' && before.confirmedAt === null && after.confirmedAt !== null) return 'payment.paid';
    if (to === 'review' && before.amountMinor !== after.amountMinor) return 'payment.corrected';
    return to === 'open' && before.lapsedAt === null && after.lapsedAt !== null
      ? 'payment.unknown'
      : undefined;
  }
  // An earlier notification reported a result that no longer holds.
  if (from === 'paid' || from === 'not_paid') return 'payment.corrected';
  if (to === 'paid') return 'payment.paid';
  return to === 'not_paid' ? 'payment.not_paid' : undefined;
}
