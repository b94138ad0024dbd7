import { describe, expect, test } from 'vitest';
import { type BookingRequest, book } from '../../../src/gateway/ledger/posting.ts';

const payment = { merchantId: 'demo-shop', amountMinor: 2_020, feeMinor: 20, netMinor: 2_000 };
const suspendedMinor = 2_020;

describe('a booking moves money between these accounts', () => {
  test.each<[BookingRequest, Record<string, number>]>([
    [
      { kind: 'paid', ...payment },
      { payers: -2_020, 'merchant:demo-shop': 2_000, service_fees: 20 },
    ],
    [
      { kind: 'reclassification', ...payment },
      { 'merchant:demo-shop': -2_000, service_fees: -20, suspense: 2_020 },
    ],
    [
      { kind: 'reversal', ...payment },
      { payers: 2_020, 'merchant:demo-shop': -2_000, service_fees: -20 },
    ],
    [
      { kind: 'suspense', suspendedMinor },
      { payers: -2_020, suspense: 2_020 },
    ],
    [
      { kind: 'further_suspense', suspendedMinor },
      { payers: -2_020, suspense: 2_020 },
    ],
    [
      { kind: 'correction', suspendedMinor: -20 },
      { payers: 20, suspense: -20 },
    ],
    [
      { kind: 'return', suspendedMinor },
      { suspense: -2_020, payers: 2_020 },
    ],
    [
      { kind: 'placement', suspendedMinor },
      { suspense: -2_020, payers: 2_020 },
    ],
    [
      { kind: 'foreign', suspendedMinor },
      { suspense: -2_020, payers: 2_020 },
    ],
    [
      { kind: 'release', merchantId: 'demo-shop', suspendedMinor, feeMinor: 20 },
      { suspense: -2_020, 'merchant:demo-shop': 2_000, service_fees: 20 },
    ],
    [
      { kind: 'paid', ...payment, feeMinor: 0, netMinor: 2_020 },
      { payers: -2_020, 'merchant:demo-shop': 2_020 },
    ],
  ])('$kind', (request, sides) => {
    const { kind, postings } = book(request);
    expect(kind).toBe(request.kind);
    expect(postings.map(({ account, amountMinor }) => [account, amountMinor])).toEqual(Object.entries(sides));
  });
});

test('amounts that do not balance, or are no whole pesewas, are not booked', () => {
  expect(() => book({ kind: 'paid', ...payment, feeMinor: 19 })).toThrow(
    new RangeError(
      'a paid booking must have integer amounts that sum to 0, found [{"account":"payers","amountMinor":-2020},' +
        '{"account":"merchant:demo-shop","amountMinor":2000},{"account":"service_fees","amountMinor":19}]',
    ),
  );
  expect(() => book({ kind: 'suspense', suspendedMinor: 0.5 })).toThrow(RangeError);
  expect(() => book({ ...{ kind: 'paid', ...payment }, amountMinor: 2_000.5, feeMinor: 0.5 })).toThrow(
    RangeError,
  );
});
