import { expect, test } from 'vitest';
import type { Collection, CollectionRow } from '../../../src/gateway/collection/collection.ts';
import { reportsCharge, usesCharges } from '../../../src/gateway/collection/decide/charges.ts';
import type { EventEvidence, Evidence } from '../../../src/gateway/collection/evidence.ts';
import type { UnplacedChange } from '../../../src/gateway/unplaced/fact.ts';
import type { UnplacedPayment } from '../../../src/gateway/unplaced/unplaced.ts';
import {
  collectionIn,
  context,
  decideOn,
  paidEvidence,
  polled,
  promptAt,
  rowIn,
  type Situation,
  second,
  unplaced,
} from './support.ts';

/* The unplaced payments of a session: when they are read, and what evidence of its money writes to them. */

const event = { eventId: 'evt_1', type: 'some.event' };
const paidAt = '2026-03-06T09:00:10.000Z';
const later = '2026-03-06T10:00:00.000Z';
const again = { amountMinor: 760, secondCharge: true } as const;
const review: EventEvidence = { kind: 'event_review', ...event, amountMinor: 1_020 };
const chargedAgain: EventEvidence = { kind: 'event_review', ...event, ...again };
const refund = { amountMinor: 760, reference: 'MP1', by: 'operator' };
const refundOfFirst: EventEvidence = { kind: 'event_refund', ...event, ...refund };
const refundOfSecond: EventEvidence = { ...refundOfFirst, secondCharge: true };
const failure: EventEvidence = { kind: 'event_failed', ...event, status: 'failed' };
const stale = (content: EventEvidence): Evidence => ({ kind: 'event_stale', ...event, event: content });
const decision: Evidence = {
  ...{ kind: 'decision', outcome: 'paid', versionSeen: 1 },
  grounds: { by: 'ama', approvedBy: 'kofi', evidence: 'statement' },
};
/** A paid collection that people matched with other money than that of its session. */
const matched = { ...collectionIn('paid'), unplacedId: 'unp_9' };

test.each<[boolean, string, Situation, Partial<CollectionRow>, Evidence]>([
  [true, 'an event', 'paid', {}, paidEvidence()],
  [true, 'a stale event', 'paid', {}, stale(paidEvidence())],
  [true, 'an event of a failure', 'failed', {}, failure],
  [false, 'an event before the session is known', 'accepted', {}, paidEvidence()],
  [false, 'the passing of time', 'initiated', {}, { kind: 'due' }],
  [true, 'a decision about no money', 'review, no money', {}, decision],
  [false, 'a decision about money that is booked', 'review, suspended', {}, decision],
  [true, 'a final poll before the money is booked', 'initiated', {}, polled('paid')],
  [false, 'a poll that is not final', 'initiated', {}, polled('initiated')],
  [true, 'a poll of a review', 'initiated', {}, polled('initiated', { review: { amountMinor: 1_020 } })],
  [false, 'a final poll after the money is booked', 'paid', {}, polled('paid')],
  [
    false,
    'a poll of a review after the money is booked',
    'paid',
    {},
    polled('paid', { review: { amountMinor: 1_020 } }),
  ],
  [true, 'a poll of a second charge', 'paid', {}, polled('paid', { review: again })],
  [true, 'a final poll of a matched payment', 'paid', { unplacedId: 'unp_9' }, polled('paid')],
])('the unplaced payments of the session are read (%s) for %s', (isRead, _, situation, changed, evidence) => {
  expect(usesCharges(rowIn(situation, changed), evidence)).toBe(isRead);
});

test.each<[boolean, string, Collection, Evidence]>([
  [true, 'a second charge', collectionIn('paid'), chargedAgain],
  [true, 'the refund of a second charge', collectionIn('paid'), refundOfSecond],
  [true, 'the stale refund of a second charge', collectionIn('paid'), stale(refundOfSecond)],
  [false, 'the refund of the payment', collectionIn('paid'), refundOfFirst],
  [false, 'a stale second charge', collectionIn('paid'), stale(chargedAgain)],
  [false, 'a review of the payment', collectionIn('paid'), review],
  [true, 'a review of money beside a matched payment', matched, review],
  [true, 'a payment beside a matched payment', matched, paidEvidence()],
  [false, 'the payment', collectionIn('initiated'), paidEvidence()],
  [true, 'a poll of a payment beside a matched one', matched, polled('paid')],
  [false, 'a poll of the payment', collectionIn('initiated'), polled('paid')],
  [false, 'a poll of no payment', matched, polled('failed')],
  [false, 'a poll of a payment that is not final', matched, polled('paid', { terminal: false })],
  [true, 'a poll of a second charge', collectionIn('initiated'), polled('paid', { review: again })],
  [
    false,
    'a poll of a second charge in another currency',
    matched,
    polled('paid', { review: again, currency: 'USD' }),
  ],
  [false, 'a match that a review has ended', { ...matched, status: 'review' }, paidEvidence()],
  [false, 'the passing of time', matched, { kind: 'due' }],
])('an id for a further payment is needed (%s) for %s', (isNeeded, _, collection, evidence) => {
  expect(reportsCharge({ ...rowIn('paid'), ...collection }, evidence)).toBe(isNeeded);
});

const unstated = {
  ...{ goodsMinor: null, feeMinor: null, netMinor: null, channel: null },
  ...{ payer: '233244123456', reference: 'INV-7', clientTransId: '48217362' },
};

/** Returns the facts of each unplaced payment that the evidence changes, with its id. */
function changesOf(collection: Collection, evidence: Evidence, charges: readonly UnplacedPayment[] = []) {
  const transition = decideOn(collection, evidence, context, charges);
  return transition.charges.map(({ after, facts }: UnplacedChange) => [
    after.id,
    ...facts.map(({ at: _at, ...fact }) => fact),
  ]);
}

const reported = (reports: 'payment' | 'second_charge', changed: object) => ({
  kind: 'reported',
  data: {
    ...{ id: 'unp_new', merchantId: 'demo-shop', livemode: 0, sessionId: 'pay_1' },
    ...{ charge: reports === 'payment' ? 1 : 2, reason: 'second_charge' },
    stated: {
      eventId: 'evt_1',
      eventType: 'some.event',
      reports,
      chargedMinor: 760,
      paidAt: null,
      ...unstated,
      ...changed,
    },
  },
});
const ofPoll = { eventId: null, eventType: 'poll' };
const ofPaid = { eventType: 'payment.session.paid', paidAt };

test.each<[string, Collection, Evidence, object]>([
  ['an event', collectionIn('paid'), chargedAgain, reported('second_charge', {})],
  [
    'an event with its time',
    collectionIn('paid'),
    { ...chargedAgain, paidAt },
    reported('second_charge', { paidAt }),
  ],
  ['a poll', collectionIn('paid'), polled('paid', { review: again }), reported('second_charge', ofPoll)],
  [
    'a poll with its time',
    collectionIn('paid'),
    polled('paid', { review: { ...again, paidAt } }),
    reported('second_charge', { ...ofPoll, paidAt }),
  ],
  [
    'an event of a payment beside a matched one',
    matched,
    paidEvidence(),
    reported('payment', { ...ofPaid, chargedMinor: 2_020 }),
  ],
  [
    'an event of a paid amount beside a matched one',
    matched,
    { ...paidEvidence(), paidMinor: 760 },
    reported('payment', ofPaid),
  ],
  ['a review beside a matched payment', matched, review, reported('payment', { chargedMinor: 1_020 })],
  [
    'a poll beside a matched payment',
    matched,
    polled('paid'),
    reported('payment', { ...ofPoll, chargedMinor: 2_020, paidAt }),
  ],
  [
    'a poll of an amount beside a matched payment',
    matched,
    polled('paid', { paidMinor: 760 }),
    reported('payment', { ...ofPoll, paidAt }),
  ],
])('%s of further money suspends it as it is stated', (_, collection, evidence, fact) => {
  expect(changesOf(collection, evidence)).toStrictEqual([['unp_new', fact]]);
});

test('the refund of a second charge is recorded with what it states, and its unknown charge first', () => {
  const refunded = { kind: 'refunded', data: refund };
  expect(changesOf(collectionIn('paid'), refundOfSecond)).toStrictEqual([
    ['unp_new', reported('second_charge', {}), refunded],
  ]);
  expect(changesOf(collectionIn('paid'), { ...refundOfSecond, paidAt } as Evidence)).toStrictEqual([
    ['unp_new', reported('second_charge', { paidAt }), refunded],
  ]);
  expect(changesOf(collectionIn('paid'), stale(refundOfSecond), [unplaced(2)])).toStrictEqual([
    ['unp_2', refunded],
  ]);
  expect(changesOf(collectionIn('paid'), refundOfFirst, [unplaced(2)])).toStrictEqual([]);
});

test.each(['placed', 'returned'] as const)(
  'the matched payment can be the one of the session: it is %s, and reported once',
  (state) => {
    const own = unplaced(1, { id: 'unp_9', state, amountMinor: 2_020 });
    const evidence: Evidence = { ...paidEvidence(), paidMinor: 760 };
    expect(changesOf(matched, evidence, [own])).toStrictEqual([]);
    // Another payment of the session is recorded with its own row.
    const other = unplaced(1, { state, amountMinor: 2_020 });
    expect(changesOf(matched, evidence, [other])).toMatchObject([['unp_1', { kind: 'reported_again' }]]);
    // A second charge is no payment of the session.
    expect(changesOf(matched, chargedAgain, [own])).toStrictEqual([
      ['unp_new', reported('second_charge', {})],
    ]);
  },
);

const placed = ['unp_1', { kind: 'placed', data: { collectionId: 'col_1' } }];

test.each<[string, Situation, Evidence, UnplacedPayment[], unknown[]]>([
  ['in suspense moves to the collection that books it', 'initiated', paidEvidence(), [unplaced(1)], [placed]],
  [
    'in suspense moves with the poll that proves the payment',
    'initiated',
    polled('paid'),
    [unplaced(1)],
    [placed],
  ],
  [
    'of another channel moves, too',
    'initiated',
    paidEvidence(),
    [unplaced(1, { state: 'foreign', suspendedMinor: 0 })],
    [placed],
  ],
  ['stays while nothing is booked', 'initiated', failure, [unplaced(1)], []],
  ['stays when a poll proves no payment', 'initiated', polled('failed'), [unplaced(1)], []],
  [
    'without an amount is explained by an event of the session',
    'initiated',
    failure,
    [unplaced(1, { suspendedMinor: 0 })],
    [placed],
  ],
  [
    'without an amount is not explained by a poll',
    'initiated',
    polled('failed'),
    [unplaced(1, { suspendedMinor: 0 })],
    [],
  ],
  [
    'that was returned stays so',
    'initiated',
    paidEvidence(),
    [unplaced(1, { state: 'returned', suspendedMinor: 0 })],
    [],
  ],
  ['of a second charge stays', 'initiated', paidEvidence(), [unplaced(2)], []],
])('money of the session %s', (_, situation, evidence, charges, changes) => {
  expect(changesOf(collectionIn(situation), evidence, charges)).toStrictEqual(changes);
});

test('money of the session stays in suspense when people matched other money with its collection', () => {
  const [change, ...others] = changesOf(matched, paidEvidence(), [unplaced(1)]);
  expect(change).toMatchObject(['unp_1', { kind: 'reported_again' }]);
  expect(others).toStrictEqual([]);
});

test('changes of unplaced payments have the time of the collection, which never goes back', () => {
  const timeOf = (evidence: Evidence, charges: UnplacedPayment[], updatedAt: number) => {
    const row = { ...collectionIn('initiated'), updatedAt };
    return decideOn(row, evidence, context, charges).charges.map(({ after }) => after.updatedAt);
  };
  const ahead = context.now + second;
  expect(timeOf(paidEvidence(), [unplaced(1)], ahead)).toStrictEqual([ahead]);
  expect(timeOf(chargedAgain, [], ahead)).toStrictEqual([ahead]);
  expect(timeOf(chargedAgain, [], promptAt)).toStrictEqual([context.now]);
});

test('a second charge is flagged until it is known and no longer in suspense', () => {
  const flagsOf = (evidence: Evidence, charges: UnplacedPayment[]) => {
    const { facts, alarm } = decideOn(collectionIn('paid'), evidence, context, charges);
    return [facts.map(({ kind }) => kind).slice(1), alarm];
  };
  const flag = [['flagged'], 'second_charge'];
  expect(flagsOf(chargedAgain, [])).toStrictEqual(flag);
  expect(flagsOf(chargedAgain, [unplaced(2)])).toStrictEqual(flag);
  expect(flagsOf(chargedAgain, [unplaced(2, { state: 'returned' })])).toStrictEqual([[], undefined]);
  expect(flagsOf(chargedAgain, [unplaced(2, { state: 'returned', amountMinor: 500 })])).toStrictEqual(flag);
  expect(
    flagsOf({ ...chargedAgain, paidAt } as Evidence, [unplaced(2, { state: 'returned', paidAt: later })]),
  ).toStrictEqual(flag);
});

test('a refund that fits two second charges changes neither, and alarms a person', () => {
  const { charges, alarm } = decideOn(collectionIn('paid'), refundOfSecond, context, [
    unplaced(2),
    unplaced(3),
  ]);
  expect([charges, alarm]).toStrictEqual([[], 'refund_unclear']);
});

test('a second charge is recorded even when the collection does not have its session', () => {
  const [change] = changesOf(collectionIn('accepted'), chargedAgain);
  expect(change).toMatchObject(['unp_new', { kind: 'reported', data: { sessionId: '' } }]);
});
