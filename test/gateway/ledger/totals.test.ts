import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDay } from '../../../src/gateway/ledger/day.ts';
import { type BookingRequest, book } from '../../../src/gateway/ledger/posting.ts';
import { sealBlock } from '../../../src/gateway/ledger/seal.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { maxAmountMinor } from '../../../src/shared/money.ts';
import { noAudits } from '../../kit/no-audits.ts';
import { openLedger } from './support.ts';

const day = 24 * 60 * 60_000;

const each = (bookings: number) => [
  { account: 'payers', livemode: 0, amountMinor: -100 * bookings, postings: bookings },
  { account: 'suspense', livemode: 0, amountMinor: 100 * bookings, postings: bookings },
];

test('balances count each posting once, whether or not a block has it', async () => {
  const { ledger, clock, append } = openLedger();
  expect(await ledger.balances()).toEqual([]);
  await append('col_1', 1);
  expect(await ledger.balances()).toEqual(each(1));
  await Promise.all([sealBlock(ledger, clock), append('col_2', 1), sealBlock(ledger, clock)]);
  expect(await ledger.balances()).toEqual(each(2));
  await sealBlock(ledger, clock);
  expect(await ledger.balances()).toEqual(each(2));
});

test('balances of a day count the postings of that day, on both sides of midnight', async () => {
  const { ledger, clock, append } = openLedger();
  const today = readDay(new Date(clock.now()).toISOString().slice(0, 10)) ?? { from: 0, to: 0 };
  const tomorrow = { from: today.to, to: today.to + day };
  await clock.advance(today.to - 1 - clock.now());
  await append('col_1', 1);
  await clock.advance(1);
  await append('col_2', 1);
  await sealBlock(ledger, clock);
  await append('col_3', 1);
  expect(await ledger.balances(today)).toEqual(each(1));
  expect(await ledger.balances(tomorrow)).toEqual(each(2));
  expect(await ledger.balances({ from: tomorrow.to, to: tomorrow.to + day })).toEqual([]);
  expect(await ledger.balances()).toEqual(each(3));
});

test.each([
  ["UPDATE account_total SET amount_minor = amount_minor + 1 WHERE account = 'suspense'", 'suspense'],
  ["UPDATE account_total SET postings = 5 WHERE account = 'payers'", 'payers'],
  ["DELETE FROM account_total WHERE account = 'payers'", 'payers'],
  ["INSERT INTO account_total VALUES ('merchant:mine', 1, 5, 1)", 'merchant:mine'],
])('the audit finds a wrong total: %s', async (sql, account) => {
  const { ledger, clock, append, apply } = openLedger();
  await append('col_1', 1);
  await sealBlock(ledger, clock);
  await append('col_2', 1);
  expect((await verifyLedger(ledger, noAudits)).faults.filter(isTotal)).toEqual([]);
  await apply(sql);
  const faults = (await verifyLedger(ledger, noAudits)).faults.filter(isTotal);
  expect(faults).toHaveLength(1);
  expect(faults[0]?.row).toContain(`total of ${account} (`);
});

test('the audit finds a total that belongs to another day', async () => {
  const { ledger, clock, append, apply } = openLedger();
  await append('col_1', 1);
  await sealBlock(ledger, clock);
  await apply("UPDATE account_day_total SET day = day + 1 WHERE account = 'payers'");
  expect((await verifyLedger(ledger, noAudits)).faults.filter(isTotal)).toHaveLength(2);
});

const isTotal = ({ row }: { row: string }) => row.startsWith('total of');

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
