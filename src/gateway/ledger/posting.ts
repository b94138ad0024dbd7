import { unreachable } from '../../shared/errors.ts';

/**
 * The accounts of the ledger. Amounts are signed pesewas; a negative amount leaves the account.
 *
 * - `payers`: the source of money. Its balance is minus the total that payers paid.
 * - `merchant:<id>`: the amount that the service owes the merchant.
 * - `service_fees`: the fees of the service.
 * - `suspense`: money that arrived and waits for a person's decision.
 */
export type LedgerAccount = 'payers' | 'service_fees' | 'suspense' | `merchant:${string}`;

/**
 * The kinds of bookings. A collection has at most one of `paid` and `suspense`. The others move booked money by new
 * postings, and no posting is ever changed or deleted: a reclassification moves a payment that is not proven from the
 * merchant to suspense, a correction changes the amount in suspense to the one that later evidence states, and
 * `further_suspense` is money that arrives after a decision has booked the earlier money back. A placement takes
 * an unplaced payment out of suspense because a collection has it. The rest carry out a person's decision.
 */
export type BookingKind =
  | 'paid'
  | 'suspense'
  | 'further_suspense'
  | 'correction'
  | 'reclassification'
  | 'release'
  | 'return'
  | 'reversal'
  | 'placement'
  | 'foreign';

export type Posting = { account: LedgerAccount; amountMinor: number };
export type Booking = { kind: BookingKind; postings: readonly Posting[] };

export type BookingRequest =
  | {
      kind: 'paid' | 'reclassification' | 'reversal';
      merchantId: string;
      amountMinor: number;
      feeMinor: number;
      netMinor: number;
    }
  | {
      kind: 'suspense' | 'further_suspense' | 'correction' | 'return' | 'placement' | 'foreign';
      suspendedMinor: number;
    }
  | { kind: 'release'; merchantId: string; suspendedMinor: number; feeMinor: number };

/**
 * Returns a booking whose postings sum to zero. Sides of zero are left out.
 *
 * @throws RangeError when amounts are not integers or do not balance, which is a bug of the caller.
 */
export function book(request: BookingRequest): Booking {
  const postings = sides(request).filter((posting) => posting.amountMinor !== 0);
  const sum = postings.reduce((total, posting) => total + posting.amountMinor, 0);
  if (sum !== 0 || !postings.every((posting) => Number.isSafeInteger(posting.amountMinor))) {
    throw new RangeError(
      `a ${request.kind} booking must have integer amounts that sum to 0, found ${JSON.stringify(postings)}`,
    );
  }
  return { kind: request.kind, postings };
}

function sides(request: BookingRequest): Posting[] {
  switch (request.kind) {
    case 'paid':
      return [
        { account: 'payers', amountMinor: -request.amountMinor },
        { account: `merchant:${request.merchantId}`, amountMinor: request.netMinor },
        { account: 'service_fees', amountMinor: request.feeMinor },
      ];
    case 'reclassification':
      return [
        { account: `merchant:${request.merchantId}`, amountMinor: -request.netMinor },
        { account: 'service_fees', amountMinor: -request.feeMinor },
        { account: 'suspense', amountMinor: request.amountMinor },
      ];
    case 'reversal':
      return [
        { account: 'payers', amountMinor: request.amountMinor },
        { account: `merchant:${request.merchantId}`, amountMinor: -request.netMinor },
        { account: 'service_fees', amountMinor: -request.feeMinor },
      ];
    case 'suspense':
    case 'further_suspense':
    case 'correction':
      return [
        { account: 'payers', amountMinor: -request.suspendedMinor },
        { account: 'suspense', amountMinor: request.suspendedMinor },
      ];
    case 'return':
    case 'placement':
    case 'foreign':
      return [
        { account: 'suspense', amountMinor: -request.suspendedMinor },
        { account: 'payers', amountMinor: request.suspendedMinor },
      ];
    case 'release':
      return [
        { account: 'suspense', amountMinor: -request.suspendedMinor },
        { account: `merchant:${request.merchantId}`, amountMinor: request.suspendedMinor - request.feeMinor },
        { account: 'service_fees', amountMinor: request.feeMinor },
      ];
    default:
      return unreachable(request);
  }
}
