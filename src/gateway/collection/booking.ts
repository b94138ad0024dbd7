import { unreachable } from '../../shared/errors.ts';
import { type Booking, book } from '../ledger/posting.ts';
import type { Collection } from './collection.ts';
import { evolve, opened, type RecordedFact } from './fact.ts';

/** Moves the money to where the person says it belongs, each way once: nothing is given back or paid out twice. */
export function decisionBooking(
  collection: Collection,
  outcome: 'paid' | 'not_paid',
): Booking | undefined | 'impossible' {
  const { merchantId, booked, amountMinor } = collection;
  const feeMinor = Math.min(collection.feeMinor ?? 0, amountMinor ?? 0);
  switch (booked) {
    case 'suspense':
      if (outcome === 'not_paid') return book({ kind: 'return', heldMinor: amountMinor ?? 0 });
      return book({ kind: 'release', merchantId, heldMinor: amountMinor ?? 0, feeMinor });
    case 'paid':
    case 'released': {
      if (outcome === 'paid') return undefined;
      const amounts = { amountMinor: amountMinor ?? 0, feeMinor, netMinor: (amountMinor ?? 0) - feeMinor };
      return book({ kind: 'reversal', merchantId, ...amounts });
    }
    case 'returned':
    case 'reversed':
    case null:
      // No money is here: a person may state that there is none, but not that there is.
      return outcome === 'paid' ? 'impossible' : undefined;
    default:
      return unreachable(booked);
  }
}

/** The booking that a fact stands for, given the collection before it; most facts move no money. */
function bookingOf(before: Collection, fact: RecordedFact): Booking | undefined {
  switch (fact.kind) {
    case 'paid': {
      const { amountMinor, feeMinor, netMinor } = fact.data;
      return book({ kind: 'paid', merchantId: before.merchantId, amountMinor, feeMinor, netMinor });
    }
    case 'suspended':
      return book({ kind: 'suspense', heldMinor: fact.data.amountMinor });
    case 'decided': {
      const booking = decisionBooking(before, fact.data.outcome);
      return booking === 'impossible' ? undefined : booking;
    }
    default:
      return undefined;
  }
}

/** Every booking that a collection's facts stand for, in order: what the journal must hold, no less and no more. */
export function bookingsOf(facts: readonly RecordedFact[]): Booking[] {
  const [first, ...rest] = facts;
  if (first?.kind !== 'accepted') return [];
  let state = opened(first.data);
  return rest.flatMap((fact) => {
    const booking = bookingOf(state, fact);
    state = evolve(state, fact, fact.at);
    return booking ? [booking] : [];
  });
}
