import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BookingRequest, book } from '../../../src/gateway/ledger/posting.ts';
import { maxAmountMinor } from '../../../src/shared/money.ts';

const amount = fc.integer({ min: 0, max: maxAmountMinor });
const merchantId = 'demo-shop';

/** Booking requests with consistent amounts. */
const request: fc.Arbitrary<BookingRequest> = fc.oneof(
  fc.record({ kind: fc.constantFrom('paid', 'reversal'), netMinor: amount, feeMinor: amount }).map(
    ({ kind, netMinor, feeMinor }): BookingRequest => ({
      kind,
      merchantId,
      amountMinor: netMinor + feeMinor,
      feeMinor,
      netMinor,
    }),
  ),
  fc.record({ kind: fc.constantFrom('suspense', 'return'), suspendedMinor: amount }),
  fc
    .record({ suspendedMinor: amount, feeMinor: amount })
    .map((one): BookingRequest => ({ kind: 'release', merchantId, ...one })),
);

test('every booking sums to zero, in whole pesewas, without an empty side or a repeated account', () => {
  fc.assert(
    fc.property(request, (one) => {
      const { kind, postings } = book(one);
      expect(kind).toBe(one.kind);
      expect(postings.reduce((sum, posting) => sum + posting.amountMinor, 0)).toBe(0);
      for (const { amountMinor } of postings) {
        expect(Number.isSafeInteger(amountMinor)).toBe(true);
        expect(amountMinor).not.toBe(0);
      }
      expect(new Set(postings.map((posting) => posting.account)).size).toBe(postings.length);
    }),
  );
});

test('amounts that do not add up are rejected', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('paid' as const, 'reversal' as const),
      fc.record({ amountMinor: amount, feeMinor: amount, netMinor: amount }),
      (kind, amounts) => {
        fc.pre(amounts.amountMinor !== amounts.feeMinor + amounts.netMinor);
        expect(() => book({ kind, merchantId, ...amounts })).toThrow(RangeError);
      },
    ),
  );
});

test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
  '%d pesewas is rejected as an amount',
  (suspendedMinor) => {
    expect(() => book({ kind: 'suspense', suspendedMinor })).toThrow(RangeError);
    expect(() =>
      book({ kind: 'paid', merchantId, amountMinor: suspendedMinor, feeMinor: 0, netMinor: suspendedMinor }),
    ).toThrow(RangeError);
  },
);

test('a return and a reversal undo their booking exactly', () => {
  fc.assert(
    fc.property(amount, amount, (netMinor, feeMinor) => {
      const paid = { merchantId, amountMinor: netMinor + feeMinor, netMinor, feeMinor };
      const balances = new Map<string, number>();
      for (const one of [
        book({ kind: 'paid', ...paid }),
        book({ kind: 'reversal', ...paid }),
        book({ kind: 'suspense', suspendedMinor: netMinor }),
        book({ kind: 'return', suspendedMinor: netMinor }),
      ]) {
        for (const { account, amountMinor } of one.postings)
          balances.set(account, (balances.get(account) ?? 0) + amountMinor);
      }
      expect([...balances.values()].every((balance) => balance === 0)).toBe(true);
    }),
  );
});
