import type { CurrencyAmount } from '../../../contract/service/field.ts';
import { unreachable } from '../../../shared/errors.ts';
import { type Booking, book } from '../../ledger/posting.ts';
import {
  type AmountSource,
  type Amounts,
  awaitsService,
  type Collection,
  type DecidedReason,
  getStage,
  type ReviewReason,
} from '../collection.ts';
import { type Fact, otherCurrencyReason as reason } from '../fact.ts';
import {
  type ArrivedPayment,
  type CaseContext,
  type Decision,
  flag,
  isMoneyGivenAway,
  noChange,
  openReview,
  record,
} from './decision.ts';

/*
 * Money in suspense: it waits there for the decision of a person.
 */

/**
 * Books unexpected money into suspense and opens a review. Money in suspense is booked once: evidence of another amount
 * corrects it. Money that people have given away before is not booked again. Money that arrives after a decision has booked the earlier money back is booked again.
 */
export function suspendForReview(
  collection: Collection,
  { amounts, source, paidAt }: ArrivedPayment<Pick<Amounts, 'amountMinor'>>,
  context: CaseContext,
  fact: Fact,
  stated: ReviewReason = `paid_while_${collection.status}`,
): Decision {
  const { amountMinor } = amounts;
  const isKnown = amountMinor !== 0 && collection.booked === null && isMoneyGivenAway(collection, context);
  const reason = isKnown ? 'unplaced_decided' : stated;
  const review: Fact[] = collection.status === 'review' ? [] : [{ kind: 'review_opened', data: { reason } }];
  if (isKnown) return { ...record(fact, ...review), alarm: reason };
  const suspended: Fact = { kind: 'suspended', data: { amountMinor, source, paidAt } };
  const booking = amountMinor === 0 ? undefined : suspenseBooking(collection, amountMinor);
  const { facts, bookings } = booking
    ? { facts: [suspended], bookings: [booking] }
    : correctSuspense(collection, { amountMinor, source, paidAt });
  return { facts: [fact, ...facts, ...review], bookings, alarm: reason };
}

/** Corrects the amount in suspense to the one that later evidence states. An event never corrects a poll. */
export function correctSuspense(
  collection: Collection,
  stated: { amountMinor: number | null | undefined; source: AmountSource; paidAt: string | null },
): Decision {
  const { booked, amountMinor: suspendedMinor, amountSource } = collection;
  const { amountMinor, source } = stated;
  const isOutranked = source === 'webhook' && amountSource === 'poll';
  if (booked !== 'suspense' || !amountMinor || isOutranked || amountMinor === suspendedMinor) return noChange;
  const paidAt = stated.paidAt ?? collection.paidAt;
  return {
    facts: [{ kind: 'suspense_corrected', data: { amountMinor, source, paidAt } }],
    bookings: [correctionBooking(collection, amountMinor)],
  };
}

/**
 * Handles a stated amount that differs from the booked one. A poll outranks an event, and both outrank the quote: the
 * payment then leaves the account of the merchant for suspense, with the amount that is stated. Of two events, none proves
 * its amount: a person decides.
 */
export function contradictAmounts(
  collection: Collection,
  stated: { amountMinor: number | null; source: AmountSource; paidAt: string | null },
  fact: Fact,
): Decision {
  const reason = 'amount_mismatch';
  const { booked, amountMinor, amountSource } = collection;
  if (amountSource === 'webhook' && stated.source === 'webhook') return flag(collection, reason, fact);
  if (booked !== 'paid' || !stated.amountMinor || stated.amountMinor === amountMinor)
    return openReview(reason, [fact]);
  const suspended = suspendUnproven(collection, reason, [fact]);
  const corrected: Fact = {
    kind: 'suspense_corrected',
    data: { ...stated, amountMinor: stated.amountMinor },
  };
  return {
    ...suspended,
    facts: [...suspended.facts, corrected],
    bookings: [...suspended.bookings, correctionBooking(collection, stated.amountMinor)],
  };
}

/** Returns whether evidence of a payment repeats the money that a decision has returned, by its amount and its time. */
export function isReturned(collection: Collection, amountMinor: number, paidAt: string | null): boolean {
  const { status, reason } = collection;
  const isDecided = status === 'failed' && reason === ('decided_returned' satisfies DecidedReason);
  const isSame = collection.amountMinor === amountMinor && paidAt !== null && collection.paidAt === paidAt;
  return isDecided && isSame;
}

/** Ends a payment that only an event reports in review. Its money leaves the merchant's account for suspense. */
export function suspendUnproven(
  collection: Collection,
  reason: ReviewReason,
  before: readonly Fact[] = [],
): Decision {
  const { amountMinor, amountSource, paidAt } = collection;
  if (amountMinor === null || amountSource === null) return openReview(reason, before);
  const suspended: Fact = { kind: 'suspended', data: { amountMinor, source: amountSource, paidAt } };
  return { ...openReview(reason, [...before, suspended]), bookings: [reclassify(collection)] };
}

/**
 * Handles money that the service reports in another currency. No amount of it is booked, and a person decides. A payment
 * that is booked at the quote, or that only an event reports when a poll states the currency, leaves the account of the
 * merchant.
 *
 * @param before the fact of the event or of the poll.
 */
export function otherCurrencyReported(
  collection: Collection,
  { currency, amountMinor, isPoll }: CurrencyAmount & { isPoll: boolean },
  before: Fact,
): Decision {
  const facts: Fact[] = [before, { kind: 'other_currency_reported', data: { currency, amountMinor } }];
  const stage = getStage(collection);
  switch (stage) {
    case 'paid': {
      const { booked, unplacedId, amountSource, reason: decided } = collection;
      // People decided about it, or matched other money with it.
      const isOwn = booked === 'paid' && unplacedId === null && decided === null;
      if (isOwn && (isPoll || amountSource === 'quote')) return suspendUnproven(collection, reason, facts);
      return flag(collection, reason, ...facts);
    }
    case 'review':
      if (awaitsService(collection))
        facts.push({ kind: 'service_undecided', data: { reason: 'contradiction' } });
      return { ...record(...facts), alarm: reason };
    case 'unprompted':
    case 'prompted':
    case 'unpaid':
      return openReview(reason, facts);
    default:
      return unreachable(stage);
  }
}

/** Returns whether the review is about money in another currency: a poll then proves no amount. */
export function isOfOtherCurrency({ status, reason: opened, booked }: Collection): boolean {
  return status === 'review' && opened === reason && booked === null;
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
