import { describe, expect, test } from 'vitest';
import {
  applyFacts,
  changeUnplaced,
  findNote,
  readUnplacedFact,
  type UnplacedFact,
} from '../../../src/gateway/unplaced/fact.ts';
import type { StatedPayment, UnplacedPayment } from '../../../src/gateway/unplaced/unplaced.ts';
import { folded, foreign, now, placed, refunded, reported, returned, session, stating } from './support.ts';

const again = (stated: Partial<StatedPayment> = {}, reason?: 'second_charge'): UnplacedFact => ({
  kind: 'reported_again',
  data: { stated: stating(stated), ...(reason && { reason }) },
});

describe('a reported payment', () => {
  test('has what the event states, and its amount is in suspense', () => {
    const stated = { goodsMinor: 2_000, feeMinor: 20, netMinor: 1_990, payer: '233244123456' };
    const texts = { reference: 'R1', clientTransId: 'c1', channel: 'ussd', paidAt: '2026-03-06T08:59:00Z' };
    expect(folded(reported({ ...stated, ...texts }))).toEqual({
      ...session,
      ...stated,
      ...texts,
      ...{ id: 'unp_1', charge: 1, reason: 'unknown_session', eventId: 'evt_1' },
      ...{ eventType: 'payment.session.paid', state: 'open', version: 1, note: null, collectionId: null },
      ...{ amountMinor: 2_020, suspendedMinor: 2_020 },
      ...{ receivedAt: now - 1_000, closedAt: null, updatedAt: now - 1_000 },
    });
  });

  test.each([
    ['unknown_session', 'open', 2_020],
    ['no_session', 'open', 2_020],
    ['other_currency', 'open', 2_020],
    ['second_charge', 'open', 2_020],
    ['other_channels', 'foreign', 0],
    ['stated_channel', 'foreign', 0],
  ] as const)('for the reason %s is %s, with %i in suspense', (reason, state, suspendedMinor) => {
    expect(folded(reported({}, { reason }))).toMatchObject({ reason, state, suspendedMinor });
  });

  test('without an amount has nothing in suspense', () => {
    const one = folded(reported({ chargedMinor: null }));
    expect(one).toMatchObject({ state: 'open', amountMinor: null, suspendedMinor: 0 });
  });

  test('has the note of an earlier failure, or else of what the event contradicts', () => {
    expect(folded(reported({}, { failedBefore: 'evt_0' })).note).toBe('failure_reported');
    expect(folded(reported({ reports: 'refund' })).note).toBe('refund_reported');
  });
});

test.each<[string, number | null, Partial<StatedPayment>, string | null]>([
  ['a failure', 2_020, { reports: 'failure' }, 'failure_reported'],
  ['a refund', 2_020, { reports: 'refund' }, 'refund_reported'],
  [
    'another currency',
    2_020,
    { chargedMinor: null, other: { currency: 'USD', amountMinor: 9 } },
    'other_currency',
  ],
  [
    'another currency of an unknown amount',
    null,
    { chargedMinor: null, other: { currency: 'USD', amountMinor: 9 } },
    null,
  ],
  ['the known amount', 2_020, {}, null],
  ['another amount', 2_021, {}, 'amount_mismatch'],
  ['the first amount', null, {}, null],
  ['no amount', 2_020, { chargedMinor: null }, null],
])('a report of %s beside the amount %s has the note %4$s', (_, amountMinor, stated, note) => {
  expect(findNote({ amountMinor }, stating(stated))).toBe(note);
});

describe('another report of the same payment', () => {
  test('fills in what is not known, and keeps what is', () => {
    const first = { goodsMinor: 1, feeMinor: 2, netMinor: 3, payer: '233244123456', reference: 'R1' };
    const rest = { clientTransId: 'c1', channel: 'ussd', paidAt: '2026-03-06T08:59:00Z' };
    const other = { goodsMinor: 7, feeMinor: 8, netMinor: 9, payer: '233244123457', reference: 'R2' };
    const others = { clientTransId: 'c2', channel: 'web', paidAt: '2026-03-06T08:58:00Z' };
    expect(folded(reported(), again({ ...first, ...rest }))).toMatchObject({ ...first, ...rest });
    const kept = folded(reported({ ...first, ...rest }), again({ ...other, ...others, eventType: 'poll' }));
    expect(kept).toMatchObject({ ...first, ...rest, eventType: 'poll', version: 2 });
  });

  test.each<[string, Partial<StatedPayment>, number, string | null]>([
    ['the amount of the payment corrects it', { chargedMinor: 1_500 }, 1_500, 'amount_mismatch'],
    [
      'the amount of a second charge corrects it',
      { chargedMinor: 1_500, reports: 'second_charge' },
      1_500,
      'amount_mismatch',
    ],
    ['no amount changes nothing', { chargedMinor: null }, 2_020, null],
    ['an amount of 0 changes no money', { chargedMinor: 0 }, 2_020, 'amount_mismatch'],
    [
      'the amount of a failure changes no money',
      { chargedMinor: 1_500, reports: 'failure' },
      2_020,
      'failure_reported',
    ],
    [
      'the amount of a refund changes no money',
      { chargedMinor: 1_500, reports: 'refund' },
      2_020,
      'refund_reported',
    ],
  ])('%s', (_, stated, amountMinor, note) => {
    const one = folded(reported(), again(stated));
    expect(one).toMatchObject({ amountMinor, suspendedMinor: amountMinor, note });
  });

  test('keeps an earlier note', () => {
    expect(folded(reported({}, { failedBefore: 'evt_0' }), again({ reports: 'refund' })).note).toBe(
      'failure_reported',
    );
  });

  test('without an amount leaves an unknown amount out of suspense', () => {
    const one = folded(reported({ chargedMinor: null }), again({ chargedMinor: null }));
    expect(one).toMatchObject({ amountMinor: null, suspendedMinor: 0 });
  });

  const channels = { reason: 'other_channels' } as const;
  const web = { reason: 'stated_channel' } as const;
  test.each<[string, [UnplacedFact, ...UnplacedFact[]], Partial<UnplacedPayment>]>([
    [
      'by a collection of the session makes money of other channels own money',
      [reported({}, channels), again({}, 'second_charge')],
      { state: 'open', reason: 'second_charge', suspendedMinor: 2_020 },
    ],
    [
      'on the own channel makes money of other channels own money',
      [reported({}, channels), again({ channel: 'ussd' })],
      { state: 'open', reason: 'unknown_session', channel: 'ussd', suspendedMinor: 2_020 },
    ],
    [
      'on the own channel corrects the stated channel',
      [reported({ channel: 'web' }, web), again({ channel: 'ussd' })],
      { state: 'open', reason: 'unknown_session', channel: 'ussd', suspendedMinor: 2_020 },
    ],
    [
      'by a collection does not overrule the stated channel',
      [reported({ channel: 'web' }, web), again({ channel: 'web' }, 'second_charge')],
      { state: 'foreign', reason: 'stated_channel', suspendedMinor: 0 },
    ],
    [
      'on another channel leaves money of other channels alone',
      [reported({}, channels), again({ channel: 'web' })],
      { state: 'foreign', reason: 'other_channels', suspendedMinor: 0 },
    ],
    [
      'without a channel leaves money of other channels alone',
      [reported({}, channels), again()],
      { state: 'foreign', reason: 'other_channels', suspendedMinor: 0 },
    ],
    [
      'does not undo the decision of people that it is foreign',
      [reported(), foreign, again({ channel: 'ussd' }, 'second_charge')],
      { state: 'foreign', reason: 'declared_foreign', suspendedMinor: 0 },
    ],
    [
      'does not open money of other channels that a collection has',
      [reported({}, channels), placed, again({ channel: 'ussd' }, 'second_charge')],
      { state: 'placed', reason: 'other_channels', channel: 'ussd', suspendedMinor: 0 },
    ],
    [
      'leaves the reason of an open payment alone',
      [reported(), again({ channel: 'ussd' }, 'second_charge')],
      { state: 'open', reason: 'unknown_session' },
    ],
  ])('%s', (_, facts, row) => {
    expect(folded(...facts)).toMatchObject(row);
  });
});

test.each<[UnplacedFact, Partial<UnplacedPayment>]>([
  [placed, { state: 'placed', collectionId: 'col_1', reason: 'unknown_session' }],
  [returned, { state: 'returned', collectionId: null, reason: 'unknown_session' }],
  [refunded, { state: 'returned', collectionId: null, reason: 'unknown_session' }],
  [foreign, { state: 'foreign', collectionId: null, reason: 'declared_foreign' }],
])('after $kind, nothing is in suspense', (fact, row) => {
  const before = folded(reported());
  const { after } = changeUnplaced(before, [fact], now);
  expect(after).toEqual({ ...before, ...row, suspendedMinor: 0, version: 2, closedAt: now, updatedAt: now });
});

describe('the bookings of facts', () => {
  const channels = reported({}, { reason: 'other_channels' });
  test.each<[string, UnplacedFact[], [kind: string, suspense: number][]]>([
    ['money that arrives goes into suspense', [reported()], [['suspense', 2_020]]],
    ['money of another channel is not booked', [channels], []],
    [
      'another amount is a correction',
      [reported(), again({ chargedMinor: 2_000 })],
      [
        ['suspense', 2_020],
        ['correction', -20],
      ],
    ],
    [
      'an amount that was not known goes into suspense',
      [reported({ chargedMinor: null }), again()],
      [['suspense', 2_020]],
    ],
    ['an equal report books nothing', [reported(), again()], [['suspense', 2_020]]],
    [
      'a placement takes the money out of suspense',
      [reported(), placed],
      [
        ['suspense', 2_020],
        ['placement', -2_020],
      ],
    ],
    [
      'a return takes the money out of suspense',
      [reported(), returned],
      [
        ['suspense', 2_020],
        ['return', -2_020],
      ],
    ],
    [
      'a refund of the service takes the money out of suspense',
      [reported(), refunded],
      [
        ['suspense', 2_020],
        ['return', -2_020],
      ],
    ],
    [
      'foreign money leaves suspense',
      [reported(), foreign],
      [
        ['suspense', 2_020],
        ['foreign', -2_020],
      ],
    ],
    ...[placed, returned, refunded, foreign].map((fact): [string, UnplacedFact[], []] => [
      `without money in suspense, ${fact.kind} books nothing`,
      [channels, fact],
      [],
    ]),
  ])('%s', (_, facts, booked) => {
    const { bookings } = applyFacts(
      undefined,
      facts.map((fact) => ({ ...fact, at: now })),
    );
    const suspense = bookings.map(({ kind, postings }) => [
      kind,
      postings.find(({ account }) => account === 'suspense')?.amountMinor,
    ]);
    expect(suspense).toEqual(booked);
  });
});

test('a change has the payment before and after its facts, the facts with their time, and their bookings', () => {
  const before = folded(reported());
  const change = changeUnplaced(before, [again({ chargedMinor: 2_000 }), placed], now);
  expect(change).toMatchObject({
    before,
    after: { state: 'placed', version: 3, updatedAt: now },
    facts: [
      { kind: 'reported_again', at: now },
      { ...placed, at: now },
    ],
    bookings: [{ kind: 'correction' }, { kind: 'placement' }],
  });
});

test('the times of a payment never go back, also when the clock does', () => {
  const before = folded(reported());
  expect(changeUnplaced(before, [placed], now - 5_000).after.updatedAt).toBe(before.updatedAt);
});

test('a payment that does not begin with a report is a fault', () => {
  expect(() => changeUnplaced(undefined, [placed], now)).toThrow(
    'the first fact of an unplaced payment must be reported, found placed',
  );
  expect(() => changeUnplaced(undefined, [] as never, now)).toThrow('an unplaced payment has no fact');
});

test('a stored fact is read with its data and time', () => {
  const { kind, data } = placed;
  expect(readUnplacedFact({ kind, data: JSON.stringify(data), at: now })).toEqual({ kind, data, at: now });
});
