import { expect, test } from 'vitest';
import type { Collection } from '../../../src/gateway/collection/collection.ts';
import { watchMs } from '../../../src/gateway/collection/decide/decision.ts';
import type { EventEvidence, Evidence } from '../../../src/gateway/collection/evidence.ts';
import type { UnplacedPayment } from '../../../src/gateway/unplaced/unplaced.ts';
import {
  collectionIn,
  context,
  decideOn,
  flagged,
  opened,
  paidEvidence,
  polled,
  promptAt,
  type Situation,
  unplaced,
} from './support.ts';

/* Money in suspense: what goes there, with which amount, and what leaves the account of the merchant for it. */

const event = { eventId: 'evt_1', type: 'some.event' };
const paidAt = '2026-03-06T09:00:10.000Z';
const later = '2026-03-06T10:00:00.000Z';
const review = (amountMinor: number | null): EventEvidence => ({
  kind: 'event_review',
  ...event,
  amountMinor,
});
const inDollars = { kind: 'event_other_currency', ...event, currency: 'USD', amountMinor: 9 } as const;
const dollars = { kind: 'other_currency_reported', data: { currency: 'USD', amountMinor: 9 } };
const suspended = (amountMinor: number, source: string, at: string | null = paidAt) => ({
  kind: 'suspended',
  data: { amountMinor, source, paidAt: at },
});
const corrected = (amountMinor: number, source: string, at: string | null = paidAt) => ({
  kind: 'suspense_corrected',
  data: { amountMinor, source, paidAt: at },
});

/** Returns what follows the fact of the evidence: facts, bookings as postings, and the alarm. */
function written(collection: Collection, evidence: Evidence, charges: readonly UnplacedPayment[] = []) {
  const { facts, bookings, alarm } = decideOn(collection, evidence, context, charges);
  const moved = bookings.map(({ kind, postings }) => [kind, ...postings.map((one) => one.amountMinor)]);
  return { after: facts.slice(1), moved, alarm };
}
const nothing = { after: [], moved: [], alarm: undefined };
const mismatch = 'amount_mismatch';

test('a payment that leaves the merchant takes its fee with it', () => {
  const { bookings } = decideOn(collectionIn('paid'), polled('paid', { currency: 'USD' }), context);
  expect(bookings.flatMap(({ postings }) => postings)).toStrictEqual([
    { account: 'merchant:demo-shop', amountMinor: -2_000 },
    { account: 'service_fees', amountMinor: -20 },
    { account: 'suspense', amountMinor: 2_020 },
  ]);
});

test('unexpected money goes into suspense once, and a further report corrects its amount', () => {
  expect(written(collectionIn('failed'), review(1_020))).toStrictEqual({
    after: [suspended(1_020, 'webhook', null), opened(mismatch)],
    ...{ moved: [['suspense', -1_020, 1_020]], alarm: mismatch },
  });
  const held = collectionIn('review, suspended');
  expect(written(held, review(1_020))).toStrictEqual({
    after: [corrected(1_020, 'webhook')],
    ...{ moved: [['correction', 1_000, -1_000]], alarm: mismatch },
  });
  expect(written(held, paidEvidence({ amountMinor: 3_020 }))).toMatchObject({
    ...{ after: [corrected(3_020, 'webhook')], moved: [['correction', -1_000, 1_000]] },
  });
  expect(written(held, { ...paidEvidence({ amountMinor: 3_020 }), paidAt: later }).after).toStrictEqual([
    corrected(3_020, 'webhook', later),
  ]);
});

test.each<[string, Partial<Collection>, Evidence]>([
  ['a report of the same amount', {}, review(2_020)],
  ['a report without an amount', {}, review(null)],
  ['a report of no money', {}, review(0)],
  ['an event, when a poll has stated it', { amountSource: 'poll' }, review(1_020)],
  ['anything, when it has been released', { booked: 'released' }, review(1_020)],
])('the amount in suspense is not corrected by %s', (_, changed, evidence) => {
  const held = { ...collectionIn('review, suspended'), ...changed };
  expect(written(held, evidence)).toStrictEqual({ ...nothing, alarm: mismatch });
});

test('a poll corrects the amount of an event, and of another poll', () => {
  for (const amountSource of ['webhook', 'poll'] as const) {
    const held: Collection = { ...collectionIn('review, suspended'), amountSource };
    const evidence = polled('initiated', { review: { amountMinor: 1_020 } });
    expect(written(held, evidence).after).toStrictEqual([corrected(1_020, 'poll')]);
  }
});

test('money that people have returned is not suspended again, and a person hears of its report', () => {
  const alarm = 'unplaced_decided';
  const known = [unplaced(1, { state: 'returned', suspendedMinor: 0 })];
  expect(written(collectionIn('failed'), review(1_020), known)).toStrictEqual({
    ...{ after: [opened(alarm)], moved: [], alarm },
  });
  expect(written(collectionIn('review, no money'), review(1_020), known)).toStrictEqual({
    ...nothing,
    alarm,
  });
  // A report without an amount is about no money that is known.
  expect(written(collectionIn('failed'), review(null), known)).toStrictEqual({
    ...{ after: [opened(mismatch)], moved: [], alarm: mismatch },
  });
  // Money of the collection went back before: this is further money.
  expect(written(collectionIn('failed, returned'), review(1_020), known).moved).toStrictEqual([
    ['further_suspense', -1_020, 1_020],
  ]);
  expect(written(collectionIn('review, suspended'), review(1_020), known).moved).toHaveLength(1);
});

test.each<[string, Partial<Collection>, object, number]>([
  ['repeats it', {}, {}, 0],
  ['repeats it after a reversal', { booked: 'reversed' }, {}, 0],
  ['states another time', {}, { paidAt: later }, 1],
  ['states no time', {}, { paidAt: null }, 1],
  ['states no time of a payment without a time', { paidAt: null }, { paidAt: null }, 1],
  ['states another amount', {}, { paidMinor: 1_020 }, 1],
  ['follows the decision of the service', { reason: 'service_rejected' }, {}, 1],
  ['follows an expiry', { status: 'expired' }, {}, 1],
])(
  'after a decision returned the money, a poll of a payment that %s is further money (%#)',
  (_, changed, stated, count) => {
    const collection = { ...collectionIn('failed, returned'), ...changed };
    expect(written(collection, polled('paid', stated)).moved).toHaveLength(count);
  },
);

test.each<[string, Situation, Partial<Collection>, Evidence, object]>([
  [
    'of two events is flagged',
    'paid',
    {},
    paidEvidence({ amountMinor: 1_020 }),
    { after: [flagged(mismatch)], moved: [] },
  ],
  [
    'of a poll after an event moves the payment',
    'paid',
    {},
    polled('paid', { paidMinor: 1_020 }),
    {
      after: [suspended(2_020, 'webhook'), opened(mismatch), corrected(1_020, 'poll')],
      moved: [
        ['reclassification', -2_000, -20, 2_020],
        ['correction', 1_000, -1_000],
      ],
    },
  ],
  [
    'of an event after the quote moves the payment',
    'paid at quote',
    {},
    paidEvidence({ amountMinor: 1_020 }),
    {
      after: [suspended(2_020, 'quote'), opened(mismatch), corrected(1_020, 'webhook')],
      moved: [
        ['reclassification', -2_000, -20, 2_020],
        ['correction', 1_000, -1_000],
      ],
    },
  ],
  [
    'of the fee alone moves no money',
    'paid at quote',
    {},
    paidEvidence({ feeMinor: 30, netMinor: 1_990 }),
    { after: [opened(mismatch)], moved: [] },
  ],
  [
    'that states no total moves no money',
    'paid at quote',
    {},
    review(null),
    { after: [opened(mismatch)], moved: [] },
  ],
  [
    'after a decision has released the money moves none',
    'paid',
    { booked: 'released' },
    polled('paid', { paidMinor: 1_020 }),
    { after: [opened(mismatch)], moved: [] },
  ],
])('another amount %s', (_, situation, changed, evidence, expected) => {
  const collection = { ...collectionIn(situation), ...changed };
  expect(written(collection, evidence)).toStrictEqual({ ...expected, alarm: mismatch });
});

const currency = 'other_currency';
const moved = [['reclassification', -2_000, -20, 2_020]];
const poll = polled('paid', { currency: 'USD', paidMinor: 9 });

test.each<[string, Situation, Partial<Collection>, Evidence, object]>([
  [
    'an event moves a payment at the quote',
    'paid at quote',
    {},
    inDollars,
    { after: [dollars, suspended(2_020, 'quote'), opened(currency)], moved },
  ],
  [
    'an event flags a payment that an event reports',
    'paid',
    {},
    inDollars,
    { after: [dollars, flagged(currency)], moved: [] },
  ],
  [
    'a poll moves a payment that an event reports',
    'paid',
    {},
    poll,
    { after: [dollars, suspended(2_020, 'webhook'), opened(currency)], moved },
  ],
  [
    'a poll flags a payment that people matched',
    'paid',
    { unplacedId: 'unp_1' },
    poll,
    { after: [dollars, flagged(currency)], moved: [] },
  ],
  [
    'a poll flags a payment that people decided',
    'paid',
    { reason: 'decided_paid' },
    poll,
    { after: [dollars, flagged(currency)], moved: [] },
  ],
  [
    'a poll flags a payment that was released',
    'paid',
    { booked: 'released' },
    poll,
    { after: [dollars, flagged(currency)], moved: [] },
  ],
  [
    'people decide about a review at the service',
    'review, at the service',
    {},
    poll,
    { after: [dollars, { kind: 'service_undecided', data: { reason: 'contradiction' } }], moved: [] },
  ],
  ['people decide about a review', 'review, suspended', {}, poll, { after: [dollars], moved: [] }],
  [
    'a payment that is not prompted needs a person',
    'created',
    {},
    poll,
    { after: [dollars, opened(currency)], moved: [] },
  ],
  [
    'an open payment needs a person',
    'initiated',
    {},
    poll,
    { after: [dollars, opened(currency)], moved: [] },
  ],
  [
    'a payment that has failed needs a person',
    'failed',
    {},
    inDollars,
    { after: [dollars, opened(currency)], moved: [] },
  ],
])('of money in another currency, %s', (_, situation, changed, evidence, expected) => {
  const collection = { ...collectionIn(situation), ...changed };
  expect(written(collection, evidence)).toStrictEqual({ ...expected, alarm: currency });
});

test.each<[string, Partial<Collection>, string | undefined]>([
  ['a review about another currency proves no amount', { reason: currency }, undefined],
  ['money that left the merchant is known', { reason: currency, booked: 'suspense' }, 'paid_while_review'],
  ['another review is about this money', {}, 'paid_while_review'],
  ['no review follows a decision', { reason: currency, status: 'failed' }, 'paid_while_failed'],
])('a poll of a payment, when %s', (_, changed, alarm) => {
  const collection = { ...collectionIn('review, no money'), ...changed };
  expect(written(collection, polled('paid')).alarm).toBe(alarm);
});

test('further money after a reversal goes into suspense beside it', () => {
  const reversed: Collection = { ...collectionIn('failed, returned'), booked: 'reversed' };
  expect(written(reversed, review(1_020)).moved).toStrictEqual([['further_suspense', -1_020, 1_020]]);
});

test('a payment that no poll confirms in time leaves the merchant', () => {
  const now = promptAt + watchMs;
  const { facts, bookings } = decideOn(
    collectionIn('paid, unconfirmed'),
    { kind: 'due' },
    { ...context, now },
  );
  expect(facts).toStrictEqual([suspended(2_020, 'webhook'), opened('unconfirmed_paid')]);
  expect(bookings.map(({ kind }) => kind)).toStrictEqual(['reclassification']);
});
