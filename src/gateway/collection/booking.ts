import { unreachable } from '../../shared/errors.ts';
import { type Booking, book } from '../ledger/posting.ts';
import type { Collection } from './collection.ts';
import { acceptedCollection, evolve, type RecordedFact } from './fact.ts';

/**
 * Returns the booking of a person's decision, `undefined` when no money moves, or `'impossible'` when the decision is
 * `paid` and no money arrived. Money is returned or released at most once.
 */
export function decisionBooking(
  collection: Collection,
  outcome: 'paid' | 'not_paid',
): Booking | undefined | 'impossible' {
  const { merchantId, booked, amountMinor } = collection;
  const feeMinor = Math.min(collection.feeMinor ?? 0, amountMinor ?? 0);
  switch (booked) {
    case 'suspense':
      if (outcome === 'not_paid') return book({ kind: 'return', suspendedMinor: amountMinor ?? 0 });
      return book({ kind: 'release', merchantId, suspendedMinor: amountMinor ?? 0, feeMinor });
    case 'paid':
    case 'released': {
      if (outcome === 'paid') return undefined;
      const amounts = { amountMinor: amountMinor ?? 0, feeMinor, netMinor: (amountMinor ?? 0) - feeMinor };
      return book({ kind: 'reversal', merchantId, ...amounts });
    }
    case 'returned':
    case 'reversed':
    case null:
      return outcome === 'paid' ? 'impossible' : undefined;
    default:
      return unreachable(booked);
  }
}

/** Returns the booking that moves a payment of the merchant to suspense. */
export function reclassify({ merchantId, amountMinor, feeMinor, netMinor }: Collection): Booking {
  const amounts = { amountMinor: amountMinor ?? 0, feeMinor: feeMinor ?? 0, netMinor: netMinor ?? 0 };
  return book({ kind: 'reclassification', merchantId, ...amounts });
}

/** Returns the booking that a fact requires, given the collection before it. Most facts move no money. */
function bookingOf(before: Collection, fact: RecordedFact): Booking | undefined {
  switch (fact.kind) {
    case 'paid': {
      const { amountMinor, feeMinor, netMinor } = fact.data;
      return book({ kind: 'paid', merchantId: before.merchantId, amountMinor, feeMinor, netMinor });
    }
    case 'suspended':
      if (before.booked === 'paid') return reclassify(before);
      return book({ kind: 'suspense', suspendedMinor: fact.data.amountMinor });
    case 'decided': {
      const booking = decisionBooking(before, fact.data.outcome);
      return booking === 'impossible' ? undefined : booking;
    }
    default:
      return undefined;
  }
}

/** Returns every booking that a collection's facts require, in order. The journal must hold exactly these. */
export function bookingsOf(facts: readonly RecordedFact[]): Booking[] {
  const [first, ...rest] = facts;
  if (first?.kind !== 'accepted') return [];
  let state = acceptedCollection(first.data);
  return rest.flatMap((fact) => {
    const booking = bookingOf(state, fact);
    state = evolve(state, fact, fact.at);
    return booking ? [booking] : [];
  });
}
