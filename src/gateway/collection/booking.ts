import { unreachable } from '../../shared/errors.ts';
import { type Booking, book } from '../ledger/posting.ts';
import type { Collection } from './collection.ts';
import { acceptedCollection, evolve, type RecordedFact } from './fact.ts';
import type { DecisionOutcome } from './reason.ts';

/**
 * Returns the booking of a decision, `undefined` when no money moves, or `'impossible'` when the decision does not fit the
 * recorded money: nothing arrived that could be accepted or returned, or it did although the decision is `paid`. Money is
 * returned or released at most once.
 */
export function decisionBooking(
  collection: Collection,
  outcome: DecisionOutcome,
): Booking | undefined | 'impossible' {
  switch (outcome) {
    case 'accept':
      return acceptBooking(collection);
    case 'returned':
      return isHere(collection) ? returnBooking(collection) : 'impossible';
    case 'not_paid':
      return isHere(collection) ? returnBooking(collection) : undefined;
    case 'paid':
      return quotedBooking(collection);
    default:
      return unreachable(outcome);
  }
}

/** Returns whether money of the collection is in an account of the merchant or in suspense. */
function isHere({ booked }: Collection): boolean {
  return booked === 'suspense' || booked === 'paid' || booked === 'released';
}

function acceptBooking(collection: Collection): Booking | undefined | 'impossible' {
  const { merchantId, booked, amountMinor } = collection;
  if (booked !== 'suspense') return isHere(collection) ? undefined : 'impossible';
  const suspendedMinor = amountMinor ?? 0;
  const feeMinor = Math.min(collection.feeMinor ?? 0, suspendedMinor);
  return book({ kind: 'release', merchantId, suspendedMinor, feeMinor });
}

function returnBooking({ merchantId, booked, ...amounts }: Collection): Booking {
  const amountMinor = amounts.amountMinor ?? 0;
  if (booked === 'suspense') return book({ kind: 'return', suspendedMinor: amountMinor });
  const feeMinor = Math.min(amounts.feeMinor ?? 0, amountMinor);
  return book({ kind: 'reversal', merchantId, amountMinor, feeMinor, netMinor: amountMinor - feeMinor });
}

/** People assert that a payment was made, and no amount is recorded: the quote is what the payer was charged. */
function quotedBooking({ merchantId, booked, ...amounts }: Collection): Booking | 'impossible' {
  const { amountMinor, feeMinor, netMinor } = amounts;
  if (booked !== null || amountMinor === null || feeMinor === null || netMinor === null) return 'impossible';
  // A wrong quote, which was never prompted, states no amount that could have been charged.
  if (amountMinor <= 0 || amountMinor !== feeMinor + netMinor) return 'impossible';
  return book({ kind: 'paid', merchantId, amountMinor, feeMinor, netMinor });
}

/**
 * Returns the booking of money that arrives for suspense. `undefined` while earlier money of the collection is in an
 * account; after a decision has booked that back, further money has a booking of its own.
 */
export function suspenseBooking({ booked }: Collection, suspendedMinor: number): Booking | undefined {
  if (booked === null) return book({ kind: 'suspense', suspendedMinor });
  if (booked === 'returned' || booked === 'reversed')
    return book({ kind: 'further_suspense', suspendedMinor });
  return undefined;
}

/** Returns the booking that changes the amount in suspense to another one. */
export function correctionBooking({ amountMinor }: Collection, correctedMinor: number): Booking {
  return book({ kind: 'correction', suspendedMinor: correctedMinor - (amountMinor ?? 0) });
}

/** Returns the booking that moves a payment of the merchant to suspense. */
export function reclassify({ merchantId, amountMinor, feeMinor, netMinor }: Collection): Booking {
  const amounts = { amountMinor: amountMinor ?? 0, feeMinor: feeMinor ?? 0, netMinor: netMinor ?? 0 };
  return book({ kind: 'reclassification', merchantId, ...amounts });
}

/** Returns the booking that a fact requires, given the collection before it. Most facts move no money. */
function findBooking(before: Collection, fact: RecordedFact): Booking | undefined {
  switch (fact.kind) {
    case 'paid': {
      const { amountMinor, feeMinor, netMinor } = fact.data;
      return book({ kind: 'paid', merchantId: before.merchantId, amountMinor, feeMinor, netMinor });
    }
    case 'matched': {
      const { amountMinor, feeMinor, netMinor } = fact.data;
      return book({ kind: 'paid', merchantId: before.merchantId, amountMinor, feeMinor, netMinor });
    }
    case 'suspended':
      if (before.booked === 'paid') return reclassify(before);
      return suspenseBooking(before, fact.data.amountMinor);
    case 'suspense_corrected':
      return correctionBooking(before, fact.data.amountMinor);
    case 'decided': {
      const booking = decisionBooking(before, fact.data.outcome);
      return booking === 'impossible' ? undefined : booking;
    }
    default:
      return undefined;
  }
}

/** Returns every booking that a collection's facts require, in order. The journal must hold exactly these. */
export function listBookings(facts: readonly RecordedFact[]): Booking[] {
  const [first, ...rest] = facts;
  if (first?.kind !== 'accepted') return [];
  let state = acceptedCollection(first.data);
  return rest.flatMap((fact) => {
    const booking = findBooking(state, fact);
    state = evolve(state, fact, fact.at);
    return booking ? [booking] : [];
  });
}
