import { describe, expect, test } from 'vitest';
import {
  type ChargeReport,
  decideUnplaced,
  isExplained,
  isGivenAway,
  isLastRefund,
  isPlaceable,
  recordCharge,
  recordRefund,
  refundUnclear,
  unplacedOutcomes,
} from '../../../src/gateway/unplaced/decide.ts';
import type { UnplacedFact } from '../../../src/gateway/unplaced/fact.ts';
import type { StatedPayment, UnplacedPayment } from '../../../src/gateway/unplaced/unplaced.ts';
import {
  folded,
  foreign,
  now,
  people,
  placed,
  refunded,
  reported,
  returned,
  session,
  stating,
} from './support.ts';

const open = folded(reported());
const unknown = folded(reported({ chargedMinor: null }));
const states = {
  open,
  unknown,
  zero: folded(reported({ chargedMinor: 0 })),
  placed: folded(reported(), placed),
  returned: folded(reported(), returned),
  foreign: folded(reported(), foreign),
};
const grounds = people;

describe('a decision of people', () => {
  test.each<[(typeof unplacedOutcomes)[number], keyof typeof states, string]>([
    ['match', 'open', 'placed'],
    ['match', 'foreign', 'placed'],
    ['match', 'unknown', 'no_amount'],
    ['match', 'zero', 'no_amount'],
    ['match', 'placed', 'closed'],
    ['match', 'returned', 'closed'],
    ['return', 'open', 'returned'],
    ['return', 'unknown', 'returned'],
    ['return', 'foreign', 'foreign'],
    ['return', 'placed', 'closed'],
    ['return', 'returned', 'closed'],
    ['foreign', 'open', 'declared_foreign'],
    ['foreign', 'foreign', 'foreign'],
    ['foreign', 'placed', 'closed'],
    ['foreign', 'returned', 'closed'],
  ])('%s of a payment that is %s gives %s', (outcome, state, gives) => {
    const payment = states[state];
    const seen = { ...grounds, versionSeen: payment.version };
    const decision = { outcome, grounds: seen, reference: 'MP9', collectionId: 'col_9' };
    const facts: Record<string, UnplacedFact> = {
      placed: { kind: 'placed', data: { collectionId: 'col_9', ...seen } },
      returned: { kind: 'returned', data: { ...seen, reference: 'MP9' } },
      declared_foreign: { kind: 'declared_foreign', data: seen },
    };
    expect(decideUnplaced(payment, decision)).toEqual(facts[gives] ?? gives);
    const stale = { ...decision, grounds: { ...seen, versionSeen: payment.version - 1 } };
    expect(decideUnplaced(payment, stale)).toBe('changed');
  });

  test.each([
    ['match', 'a collection', { reference: 'MP9', collectionId: null }],
    ['return', 'a reference', { reference: null, collectionId: 'col_9' }],
  ] as const)('%s needs %s', (outcome, _, part) => {
    expect(decideUnplaced(open, { outcome, grounds, ...part })).toBe('incomplete');
  });

  test('is one of three', () => {
    expect(unplacedOutcomes).toEqual(['match', 'return', 'foreign']);
  });
});

test.each([
  ['open', true, false, false],
  ['foreign', true, false, false],
  ['placed', false, true, false],
  ['returned', false, true, true],
] as const)(
  'money that is %s: a collection may take it: %s; given away for others: %s, for its own collection: %s',
  (state, isFree, isGone, isGoneForOwn) => {
    const payment = states[state];
    expect(isPlaceable(payment)).toBe(isFree);
    expect(isGivenAway(payment, 'col_other')).toBe(isGone);
    expect(isGivenAway(payment, 'col_1')).toBe(isGoneForOwn);
  },
);

const noon = '2026-03-06T12:00:00Z';
const one = '2026-03-06T13:00:00Z';

/** A second charge of 5.00, unless changed. */
function charge(
  number: number,
  stated: Partial<StatedPayment> = {},
  ...facts: UnplacedFact[]
): UnplacedPayment {
  const own = { chargedMinor: 500, reports: 'second_charge', ...stated } as const;
  return folded(reported(own, { id: `unp_${number}`, charge: number, reason: 'second_charge' }), ...facts);
}

function reportOf(
  stated: Partial<StatedPayment>,
  reason: ChargeReport['reason'] = 'second_charge',
): ChargeReport {
  return {
    ...session,
    id: 'unp_new',
    reason,
    stated: stating({ chargedMinor: 500, reports: 'second_charge', ...stated }),
  };
}

describe('a reported charge', () => {
  const payment = { reports: 'payment', chargedMinor: 2_020 } as const;
  test.each<[string, UnplacedPayment[], Partial<StatedPayment>, number]>([
    ['the payment of a session', [], payment, 1],
    ['the payment beside a second charge', [charge(2, { chargedMinor: 2_020 })], payment, 1],
    ['a second charge', [], {}, 2],
    [
      'a second charge beside the payment of an equal amount',
      [folded(reported({ chargedMinor: 500 }))],
      {},
      2,
    ],
    ['a charge of another amount', [charge(2), charge(4)], { chargedMinor: 700 }, 5],
    ['a charge at another time', [charge(2, { paidAt: noon })], { paidAt: one }, 3],
    ['a charge at another time that is no time', [charge(2, { paidAt: 'noon' })], { paidAt: 'one' }, 3],
  ])('%s is new', (_, charges, stated, number) => {
    const report = reportOf(stated);
    const change = recordCharge(charges, report, now);
    const data = { ...report, charge: number };
    expect(change).toMatchObject({ before: undefined, facts: [{ kind: 'reported', data, at: now }] });
    expect(change?.after).toMatchObject({ id: 'unp_new', charge: number });
  });

  const channels = folded(reported({}, { reason: 'other_channels' }));
  test.each<[string, UnplacedPayment[], Partial<StatedPayment>, ChargeReport['reason']]>([
    ['an equal payment', [open], payment, 'unknown_session'],
    ['an equal payment of a session of other channels', [channels], payment, 'other_channels'],
    ['an equal payment of an open one, by a collection', [open], payment, 'second_charge'],
    ['an equal second charge', [charge(2)], {}, 'second_charge'],
    [
      'the time of a charge in another form',
      [charge(2, { paidAt: noon })],
      { paidAt: '2026-03-06T12:00:00.000Z' },
      'second_charge',
    ],
    ['no amount and no time', [charge(2, { paidAt: noon })], { chargedMinor: null }, 'second_charge'],
    ['an amount of 0', [open], { ...payment, chargedMinor: 0 }, 'unknown_session'],
    [
      'another time of the payment',
      [folded(reported({ paidAt: noon }))],
      { ...payment, paidAt: one },
      'unknown_session',
    ],
  ])('%s adds nothing', (_, charges, stated, reason) => {
    expect(recordCharge(charges, reportOf(stated, reason), now)).toBeUndefined();
  });

  test.each<
    [string, UnplacedPayment[], Partial<StatedPayment>, ChargeReport['reason'], Partial<UnplacedPayment>]
  >([
    [
      'the time that was not known',
      [charge(2)],
      { paidAt: noon },
      'second_charge',
      { paidAt: noon, suspendedMinor: 500 },
    ],
    [
      'the amount that was not known',
      [charge(2, { chargedMinor: null })],
      {},
      'second_charge',
      { suspendedMinor: 500 },
    ],
    [
      'another amount of the payment',
      [charge(2), open],
      { ...payment, chargedMinor: 1_500 },
      'unknown_session',
      { charge: 1, suspendedMinor: 1_500 },
    ],
    [
      'that a collection has the session',
      [channels],
      payment,
      'second_charge',
      { state: 'open', reason: 'second_charge' },
    ],
    [
      'the time of the charge that was at no time',
      [charge(2, { paidAt: one }), charge(3)],
      { paidAt: noon },
      'second_charge',
      { charge: 3, paidAt: noon },
    ],
  ])('%s is recorded once', (_, charges, stated, reason, row) => {
    const report = reportOf(stated, reason);
    const change = recordCharge(charges, report, now);
    const data = { stated: report.stated, ...(row.reason && { reason: row.reason }) };
    expect(change?.facts).toEqual([{ kind: 'reported_again', data, at: now }]);
    expect(change?.after).toMatchObject(row);
    const known = charges.map((each) => (each.id === change?.after.id ? change.after : each));
    expect(recordCharge(known, report, now)).toBeUndefined();
  });

  test('an equal time decides between charges of an equal amount', () => {
    const charges = [charge(2), charge(3, { paidAt: noon })];
    expect(recordCharge(charges, reportOf({ paidAt: noon }), now)).toBeUndefined();
  });
});

describe('a refund of a second charge', () => {
  const refund = { amountMinor: 500, reference: 'MP2', by: 'operator' };
  const record = (charges: readonly UnplacedPayment[], stated: Partial<StatedPayment> = {}) =>
    recordRefund(charges, reportOf(stated), refund, now);

  test.each<[string, UnplacedPayment[], Partial<StatedPayment>, number, string[], string[]]>([
    ['returns the charge in suspense', [charge(2)], {}, 2, ['refunded'], ['return']],
    [
      'returns the charge at its time',
      [charge(2, { paidAt: noon }), charge(3, { paidAt: one })],
      { paidAt: one },
      3,
      ['refunded'],
      ['return'],
    ],
    [
      'returns the charge whose amount only the refund states',
      [charge(2, { chargedMinor: null })],
      {},
      2,
      ['reported_again', 'refunded'],
      ['suspense', 'return'],
    ],
    ['before its charge books and returns it', [], {}, 2, ['reported', 'refunded'], ['suspense', 'return']],
    [
      'is not of the payment of the session',
      [folded(reported({ chargedMinor: 500 }))],
      {},
      2,
      ['reported', 'refunded'],
      ['suspense', 'return'],
    ],
    [
      'at another time is of another charge',
      [charge(2, { paidAt: noon, chargedMinor: 700 })],
      { paidAt: one },
      3,
      ['reported', 'refunded'],
      ['suspense', 'return'],
    ],
  ])('%s', (_, charges, stated, number, facts, booked) => {
    const change = record(charges, stated);
    if (change === undefined || change === 'unclear') throw new Error(`the refund is ${change}`);
    expect(change.facts.map(({ kind }) => kind)).toEqual(facts);
    expect(change.facts.at(-1)).toEqual({ kind: 'refunded', data: refund, at: now });
    expect(change.bookings.map(({ kind }) => kind)).toEqual(booked);
    expect(change.after).toMatchObject({ state: 'returned', suspendedMinor: 0, amountMinor: 500 });
    expect(change.after.charge).toBe(number);
  });

  test.each<[string, UnplacedPayment[], Partial<StatedPayment>]>([
    ['can be of several charges', [charge(2), charge(3)], {}],
    ['without a time can be of a charge with one', [charge(2), charge(3, { paidAt: noon })], {}],
    ['is a part of a charge', [charge(2, { chargedMinor: 700 })], {}],
    [
      'is a part of a charge at the same time',
      [charge(2, { chargedMinor: 700, paidAt: noon })],
      { paidAt: noon },
    ],
    ['is of a charge that people have placed', [charge(2, {}, placed)], {}],
  ])('that %s is unclear, and books nothing', (_, charges, stated) => {
    expect(record(charges, stated)).toBe('unclear');
    expect(refundUnclear).toBe(
      'a refund of a second charge fits no single charge in suspense. See "dialtill unplaced list"',
    );
  });

  test.each<[string, UnplacedFact]>([
    ['was returned', returned],
    ['was refunded', refunded],
    ['is of another channel', foreign],
  ])('whose charge %s books nothing', (_, fact) => {
    expect(record([charge(2, {}, fact)])).toBeUndefined();
  });
});

test.each<[string, UnplacedPayment[], Partial<StatedPayment>, boolean, boolean]>([
  ['no charge', [], {}, false, false],
  ['the payment only', [folded(reported({ chargedMinor: 500 }))], {}, false, false],
  ['one charge in suspense', [charge(2)], {}, false, true],
  ['one charge in suspense, and the payment', [open, charge(2)], {}, false, true],
  ['one charge that was returned', [charge(2, {}, returned)], {}, true, true],
  ['one charge that people have placed', [charge(2, {}, placed)], {}, true, false],
  ['two charges', [charge(2, {}, returned), charge(3, {}, returned)], {}, false, false],
  [
    'another charge in suspense',
    [charge(2, { paidAt: noon }), charge(3, { paidAt: one })],
    { paidAt: noon },
    false,
    false,
  ],
  [
    'another charge that was returned',
    [charge(2, { paidAt: noon }), charge(3, { paidAt: one }, returned)],
    { paidAt: noon },
    false,
    true,
  ],
])(
  'beside %s, a report is explained: %3$s, and its refund is the last one: %4$s',
  (_, charges, stated, explained, isLast) => {
    const found = { chargedMinor: 500, paidAt: null, ...stated };
    expect([isExplained(charges, found), isLastRefund(charges, found)]).toEqual([explained, isLast]);
  },
);
