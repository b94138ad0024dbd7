import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import { changeUnplaced, type UnplacedChange, type UnplacedFact, type UnplacedGrounds } from './fact.ts';
import type { StatedPayment, UnplacedPayment, UnplacedReason } from './unplaced.ts';

/** The decisions of two staff members about an unplaced payment. */
export const unplacedOutcomes = ['match', 'return', 'foreign'] as const;
type UnplacedOutcome = (typeof unplacedOutcomes)[number];

type UnplacedDecision = {
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

/** A payment session of a merchant. */
export type SessionKey = { merchantId: string; livemode: number; sessionId: string };

/** A charge of a payment session, as an event or a poll states it, with the id and the reason that a new row gets. */
export type ChargeReport = SessionKey & { id: string; reason: UnplacedReason; stated: StatedPayment };

/** The refund of a second charge, as the service reports it. */
type ChargeRefund = { amountMinor: number; reference: string; by: string };

/** The alarm of a refund that does not name its charge clearly. */
export const refundUnclear =
  'a refund of a second charge fits no single charge in suspense. See "dialtill unplaced list"';

/**
 * Books a charge beside the payment of its session: once, however often it is reported. What a further report adds, such as
 * the amount, is recorded. Two reports that arrive at once have the same number for a new charge, so that one of them loses.
 *
 * @param charges all unplaced payments of the session.
 * @returns undefined when the report adds nothing.
 */
export function recordCharge(
  charges: readonly UnplacedPayment[],
  report: ChargeReport,
  now: EpochMs,
): UnplacedChange | undefined {
  const known = findCharge(charges, report.stated);
  if (!known) return changeUnplaced(undefined, [reportedFact(charges, report)], now);
  const { stated } = report;
  const isReopened = report.reason === 'second_charge' && known.reason === 'other_channels';
  const isFilledIn = known.paidAt === null && stated.paidAt !== null;
  const isOtherAmount = Boolean(stated.chargedMinor) && stated.chargedMinor !== known.amountMinor;
  if (!isReopened && !isFilledIn && !isOtherAmount) return undefined;
  const reason = isReopened ? ({ reason: 'second_charge' } as const) : {};
  return changeUnplaced(known, [{ kind: 'reported_again', data: { stated, ...reason } }], now);
}

/**
 * Books the service's refund of a second charge: its money leaves suspense without a decision of people. A refund that
 * arrives before its charge books and returns the charge, so that the later report of it books nothing.
 *
 * @returns undefined when the charge is not in suspense any more, and `'unclear'` when the refund can be of several
 *   charges, of a part of one, or of one that people have given away.
 */
export function recordRefund(
  charges: readonly UnplacedPayment[],
  report: ChargeReport,
  refund: ChargeRefund,
  now: EpochMs,
): UnplacedChange | undefined | 'unclear' {
  const refunded: UnplacedFact = { kind: 'refunded', data: refund };
  const found = candidates(charges, report.stated);
  const [known, ...others] = found;
  if (!known && isOfOtherAmount(charges, report.stated)) return 'unclear';
  if (!known) return changeUnplaced(undefined, [reportedFact(charges, report), refunded], now);
  if (others.length > 0 || known.state === 'placed') return 'unclear';
  if (known.state === 'returned' || known.state === 'foreign') return undefined;
  // Only a charge without an amount can differ from the refund.
  if (known.amountMinor !== null) return changeUnplaced(known, [refunded], now);
  return changeUnplaced(known, [{ kind: 'reported_again', data: { stated: report.stated } }, refunded], now);
}

/** The part of a report that identifies a charge, to find it among those of its session. */
type Stated = Pick<StatedPayment, 'chargedMinor' | 'paidAt'>;

/** Returns whether a reported second charge is known, and no longer in suspense: it was returned, or people have placed it. */
export function isExplained(charges: readonly UnplacedPayment[], stated: Stated): boolean {
  const [known, ...others] = candidates(charges, stated);
  return known !== undefined && others.length === 0 && known.state !== 'open';
}

/** Returns whether no second charge of the session stays in suspense after the refund of this one. */
export function isLastRefund(charges: readonly UnplacedPayment[], stated: Stated): boolean {
  const [known, ...others] = candidates(charges, stated);
  if (known === undefined || others.length > 0 || known.state === 'placed') return false;
  return charges.every((one) => one === known || one.charge === 1 || one.state !== 'open');
}

function reportedFact(charges: readonly UnplacedPayment[], report: ChargeReport): UnplacedFact {
  const others = charges.map(({ charge }) => charge);
  const charge = report.stated.reports === 'payment' ? 1 : Math.max(1, ...others) + 1;
  const { id, merchantId, livemode, sessionId, reason, stated } = report;
  return { kind: 'reported', data: { id, merchantId, livemode, sessionId, charge, reason, stated } };
}

/** Returns the unplaced payment of a charge, if it is known. */
function findCharge(charges: readonly UnplacedPayment[], stated: StatedPayment): UnplacedPayment | undefined {
  if (stated.reports === 'payment') return charges.find(({ charge }) => charge === 1);
  return candidates(charges, stated)[0];
}

/** Returns whether a refund that fits no charge can be of a part of one: their amounts differ, and not their times. */
function isOfOtherAmount(charges: readonly UnplacedPayment[], { paidAt }: Stated): boolean {
  return charges.some((one) => one.charge > 1 && agrees(toTime(one.paidAt), toTime(paidAt)));
}

/** A charge has an amount and a time. What a report leaves out agrees with everything; an equal time decides. */
function candidates(
  charges: readonly UnplacedPayment[],
  { chargedMinor, paidAt }: Stated,
): UnplacedPayment[] {
  const possible = charges.filter(
    (one) =>
      one.charge > 1 && agrees(one.amountMinor, chargedMinor) && agrees(toTime(one.paidAt), toTime(paidAt)),
  );
  const timed = possible.filter((one) => one.paidAt !== null);
  return paidAt !== null && timed.length > 0 ? timed : possible;
}

function agrees<T>(known: T | null, stated: T | null): boolean {
  return known === null || stated === null || known === stated;
}

/** The time in milliseconds, or else as it was written: programs write the same time in different forms. */
function toTime(paidAt: string | null): number | string | null {
  const time = Date.parse(String(paidAt));
  return Number.isFinite(time) ? time : paidAt;
}
