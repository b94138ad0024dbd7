import { unreachable } from '../../shared/errors.ts';
import type { UnplacedFact, UnplacedGrounds } from './fact.ts';
import type { UnplacedPayment } from './unplaced.ts';

/** What two people decide about an unplaced payment. */
export const unplacedOutcomes = ['match', 'return', 'foreign'] as const;
export type UnplacedOutcome = (typeof unplacedOutcomes)[number];

export type UnplacedDecision = {
  outcome: UnplacedOutcome;
  grounds: UnplacedGrounds;
  /** The reference of the transfer that returned the money. */
  reference: string | null;
  /** The collection of a match. */
  collectionId: string | null;
};

/** Why a decision is refused. It then changes nothing. */
export type UnplacedRefusal = 'changed' | 'closed' | 'foreign' | 'no_amount' | 'incomplete';

/** Returns the fact of a decision, or why the payment as it is now does not allow it. */
export function decideUnplaced(
  payment: UnplacedPayment,
  { outcome, grounds, reference, collectionId }: UnplacedDecision,
): UnplacedFact | UnplacedRefusal {
  if (payment.version !== grounds.versionSeen) return 'changed';
  if (payment.state === 'placed' || payment.state === 'returned') return 'closed';
  switch (outcome) {
    case 'match':
      if (payment.amountMinor === null || payment.amountMinor === 0) return 'no_amount';
      return collectionId === null ? 'incomplete' : { kind: 'placed', data: { collectionId, ...grounds } };
    case 'return':
      if (payment.state === 'foreign') return 'foreign';
      return reference === null ? 'incomplete' : { kind: 'returned', data: { ...grounds, reference } };
    case 'foreign':
      return payment.state === 'foreign' ? 'foreign' : { kind: 'declared_foreign', data: grounds };
    default:
      return unreachable(outcome);
  }
}

/** Returns whether a collection that has the payment session may take the money without a person. */
export function isPlaceable({ state }: UnplacedPayment): boolean {
  return state === 'open' || state === 'foreign';
}

/** Returns whether people have given the money away: to the payer, or to another collection. */
export function isGivenAway({ state, collectionId }: UnplacedPayment, ownId: string): boolean {
  return state === 'returned' || (state === 'placed' && collectionId !== ownId);
}
