import { unreachable } from '../../shared/errors.ts';

/**
 * Accounts. Amounts are signed pesewas; what leaves an account is negative.
 *
 * - `payers`: where money comes from. Its balance is minus what payers paid.
 * - `merchant:<id>`: what the service owes the merchant.
 * - `service_fees`: what the service keeps.
 * - `suspense`: money that arrived and that a person must place.
 */
export type Account = 'payers' | 'service_fees' | 'suspense' | `merchant:${string}`;

/**
 * Bookings. `paid` and `suspense` close a collection, and only one of them ever exists for it. The others are
 * decisions of a person: they move what is there by new postings; nothing is taken back silently.
 */
export type BookingKind = 'paid' | 'suspense' | 'release' | 'return' | 'reversal';

export type Posting = { account: Account; amountMinor: number };
export type Booking = { kind: BookingKind; postings: readonly Posting[] };

export type BookingRequest =
  | { kind: 'paid' | 'reversal'; merchantId: string; amountMinor: number; feeMinor: number; netMinor: number }
  | { kind: 'suspense' | 'return'; heldMinor: number }
  | { kind: 'release'; merchantId: string; heldMinor: number; feeMinor: number };

/**
 * Writes a booking whose postings sum to zero; sides of zero are left out.
 *
 * @throws RangeError when amounts are not integers or do not balance: a bug, never to be written down.
 */
export function book(request: BookingRequest): Booking {
  const postings = sides(request).filter((posting) => posting.amountMinor !== 0);
  const sum = postings.reduce((total, posting) => total + posting.amountMinor, 0);
  if (sum !== 0 || !postings.every((posting) => Number.isSafeInteger(posting.amountMinor))) {
    throw new RangeError(`a ${request.kind} booking does not balance: ${JSON.stringify(postings)}`);
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
    case 'reversal':
      return [
        { account: 'payers', amountMinor: request.amountMinor },
        { account: `merchant:${request.merchantId}`, amountMinor: -request.netMinor },
        { account: 'service_fees', amountMinor: -request.feeMinor },
      ];
    case 'suspense':
      return [
        { account: 'payers', amountMinor: -request.heldMinor },
        { account: 'suspense', amountMinor: request.heldMinor },
      ];
    case 'return':
      return [
        { account: 'suspense', amountMinor: -request.heldMinor },
        { account: 'payers', amountMinor: request.heldMinor },
      ];
    case 'release':
      return [
        { account: 'suspense', amountMinor: -request.heldMinor },
        { account: `merchant:${request.merchantId}`, amountMinor: request.heldMinor - request.feeMinor },
        { account: 'service_fees', amountMinor: request.feeMinor },
      ];
    default:
      return unreachable(request);
  }
}
