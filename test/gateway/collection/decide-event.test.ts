import { expect, test } from 'vitest';
import type { Collection } from '../../../src/gateway/collection/collection.ts';
import type { EventEvidence, Evidence } from '../../../src/gateway/collection/evidence.ts';
import type { Fact } from '../../../src/gateway/collection/fact.ts';
import type { UnplacedPayment } from '../../../src/gateway/unplaced/unplaced.ts';
import {
  collectionIn,
  context,
  decideOn,
  flagged,
  opened,
  paidEvidence,
  polled,
  quote,
  restored,
  type Situation,
  unplaced,
} from './support.ts';

/* What each event writes, fact for fact. The table of `decide.test.ts` has its effect on each state. */

const event = { eventId: 'evt_1', type: 'some.event' };
const paidAt = '2026-03-06T09:00:10.000Z';
const eventOf = (type: string): Fact => ({ kind: 'event', data: { eventId: 'evt_1', type } });
const noted = eventOf('some.event');
const notedPaid = eventOf('payment.session.paid');
const suspended = (amountMinor: number, source: 'webhook' | 'quote' | 'poll' = 'webhook'): Fact => ({
  kind: 'suspended',
  data: { amountMinor, source, paidAt },
});
const reported = (amountMinor: number | null, more: object = {}) =>
  ({ kind: 'event_review', ...event, amountMinor, ...more }) as const;
const failure = (status: 'failed' | 'expired', reason?: string): EventEvidence => ({
  ...{ kind: 'event_failed', ...event, status },
  ...(reason === undefined ? {} : { reason }),
});
const stale = (content: EventEvidence): Evidence => ({ kind: 'event_stale', ...event, event: content });

/** Returns the facts and the alarm of a decision. */
function written(collection: Collection, evidence: Evidence, charges: readonly UnplacedPayment[] = []) {
  const { facts, alarm } = decideOn(collection, evidence, context, charges);
  return [facts, alarm] as const;
}

test.each<[string, EventEvidence, number]>([
  ['price', paidEvidence({ goodsMinor: 1_999 }), 2_020],
  ['total', paidEvidence({ amountMinor: 1_020 }), 1_020],
  ['total, beside the paid amount', { ...paidEvidence({ amountMinor: 2_021 }), paidMinor: 2_020 }, 2_020],
  ['paid amount', { ...paidEvidence(), paidMinor: 1_020 }, 1_020],
  ['fee', paidEvidence({ feeMinor: 19 }), 2_020],
  ['net', paidEvidence({ netMinor: 1_999 }), 2_020],
])(
  'an event with another %s than the quote books what was paid into suspense',
  (_, evidence, amountMinor) => {
    const [facts, alarm] = written(collectionIn('initiated'), evidence);
    expect(facts).toStrictEqual([notedPaid, suspended(amountMinor), opened('amount_mismatch')]);
    expect(alarm).toBe('amount_mismatch');
  },
);

test('an event of the quoted payment books it as the event states it, and its poll agrees later', () => {
  const data = { ...quote, source: 'webhook', paidAt, late: 0, eventId: 'evt_1' } as const;
  const stated = { ...paidEvidence(), paidMinor: 2_020 };
  expect(written(collectionIn('initiated'), stated)).toStrictEqual([[{ kind: 'paid', data }], undefined]);
  const confirmed = { kind: 'amounts_confirmed', data: { eventId: 'evt_1' } };
  expect(written(collectionIn('paid at quote'), stated)).toStrictEqual([[notedPaid, confirmed], undefined]);
});

test('an event of another amount moves a payment that is booked at the quote, with the amount that it states', () => {
  const evidence = { ...paidEvidence(), paidMinor: 1_020 };
  const corrected = { kind: 'suspense_corrected', data: { amountMinor: 1_020, source: 'webhook', paidAt } };
  expect(written(collectionIn('paid at quote'), evidence)).toStrictEqual([
    [notedPaid, suspended(2_020, 'quote'), opened('amount_mismatch'), corrected],
    'amount_mismatch',
  ]);
});

test.each<[Situation, string]>([
  ['accepted', 'paid_while_accepted'],
  ['created', 'paid_while_created'],
  ['failed', 'paid_while_failed'],
  ['expired', 'paid_while_expired'],
  ['abandoned', 'paid_while_abandoned'],
  ['failed, returned', 'paid_while_failed'],
])('money of a payment that is %s has its own reason of a review: %s', (situation, reason) => {
  const evidence = { ...paidEvidence({ amountMinor: 1_020 }), paidAt };
  const [facts, alarm] = written(collectionIn(situation), evidence);
  expect(facts).toStrictEqual([notedPaid, suspended(1_020), opened(reason)]);
  expect(alarm).toBe(reason);
});

test('an event of the amount that a decision has released changes nothing, and one of another amount is flagged', () => {
  const released: Collection = { ...collectionIn('paid'), booked: 'released' };
  const sameTotal = paidEvidence({ feeMinor: 30, netMinor: 1_990 });
  expect(written(released, sameTotal)).toStrictEqual([[notedPaid], undefined]);
  expect(written(released, reported(2_020))).toStrictEqual([[noted], undefined]);
  const flag = [flagged('amount_mismatch'), 'amount_mismatch'];
  const other = paidEvidence({ amountMinor: 2_030, feeMinor: 30 });
  expect(written(released, other)).toStrictEqual([[notedPaid, flag[0]], flag[1]]);
  // The same amounts in an account of the merchant are decided by no one.
  expect(written(collectionIn('paid'), sameTotal)).toStrictEqual([[notedPaid, flag[0]], flag[1]]);
  expect(written(collectionIn('paid'), reported(2_020))).toStrictEqual([[noted, flag[0]], flag[1]]);
});

test('while the service decides, an event of another amount corrects the suspense, and people here decide', () => {
  const corrected = { kind: 'suspense_corrected', data: { amountMinor: 1_020, source: 'webhook', paidAt } };
  const undecided = { kind: 'service_undecided', data: { reason: 'contradiction' } };
  const evidence = paidEvidence({ amountMinor: 1_020 });
  expect(written(collectionIn('review, at the service'), evidence)).toStrictEqual([
    [notedPaid, corrected, undecided],
    'amount_mismatch',
  ]);
  expect(written(collectionIn('review, suspended'), evidence)).toStrictEqual([
    [notedPaid, corrected],
    'paid_while_review',
  ]);
});

test.each<[string, Collection, EventEvidence, Fact[], string?]>([
  [
    'of an open payment is recorded with its reason',
    collectionIn('initiated'),
    failure('failed', 'declined'),
    [{ kind: 'failure_reported', data: { reason: 'declined' } }],
  ],
  [
    'without a reason is recorded as such',
    collectionIn('initiating'),
    failure('expired'),
    [{ kind: 'failure_reported', data: { reason: 'unstated' } }],
  ],
  [
    'of a restored payment is recorded, because polls follow',
    restored('created'),
    failure('failed'),
    [{ kind: 'failure_reported', data: { reason: 'unstated' } }],
  ],
  ['before the prompt is no report', collectionIn('created'), failure('failed', 'declined'), []],
  [
    'after the payment is flagged',
    collectionIn('paid'),
    failure('failed'),
    [flagged('failed_after_paid')],
    'failed_after_paid',
  ],
  [
    'of an expiry after the payment is flagged',
    collectionIn('paid'),
    failure('expired'),
    [flagged('expired_after_paid')],
    'expired_after_paid',
  ],
])('an event of a failure %s', (_, collection, evidence, facts, alarm) => {
  expect(written(collection, evidence)).toStrictEqual([[noted, ...facts], alarm]);
});

test.each<[string, Evidence, string]>([
  ['of a payment without readable amounts', { kind: 'event_unreadable', ...event }, 'unreadable_event'],
  ['of a payment, which is stale', stale(paidEvidence()), 'stale_event'],
])('an event %s is a claim while polls follow, and else a review', (_, evidence, reason) => {
  for (const collection of [collectionIn('initiated'), restored('accepted'), restored('created')])
    expect(written(collection, evidence)).toStrictEqual([[noted, flagged(reason)], undefined]);
  for (const situation of ['accepted', 'failed'] as const)
    expect(written(collectionIn(situation), evidence)).toStrictEqual([[noted, opened(reason)], reason]);
  expect(written(collectionIn('paid'), evidence)).toStrictEqual([[noted], undefined]);
  expect(written(collectionIn('review, no money'), evidence)).toStrictEqual([[noted], undefined]);
});

test('a stale event of an unreadable payment is the same claim as a recent one', () => {
  const unreadable = { kind: 'event_unreadable', eventId: 'evt_9', type: 'inner' } as const;
  const inner: Fact = { kind: 'event', data: { eventId: 'evt_9', type: 'inner' } };
  expect(written(collectionIn('initiated'), stale(unreadable))).toStrictEqual([
    [inner, flagged('unreadable_event')],
    undefined,
  ]);
});

test.each<[string, Collection, EventEvidence, string]>([
  [
    'of another price, before a quote',
    restored('accepted'),
    paidEvidence({ goodsMinor: 1_999 }),
    'amount_mismatch',
  ],
  [
    'of the price with another fee, before a quote',
    restored('accepted'),
    paidEvidence({ amountMinor: 2_030, feeMinor: 30 }),
    '',
  ],
  ['of another fee', collectionIn('initiated'), paidEvidence({ feeMinor: 30 }), 'amount_mismatch'],
  ['of a mismatch', collectionIn('initiated'), reported(2_020), 'amount_mismatch'],
  ['of a second charge', collectionIn('initiated'), reported(2_020, { secondCharge: true }), 'second_charge'],
])('a stale event %s is flagged at once unless a poll can confirm it', (_, collection, content, reason) => {
  const [facts, alarm] = written(collection, stale(content));
  expect(facts).toStrictEqual([noted, flagged(reason || 'stale_event')]);
  expect(alarm).toBe(reason || undefined);
});

test.each(['failed', 'other'] as const)(
  'a stale event (%s) without money is recorded and nothing else',
  (kind) => {
    const content = kind === 'failed' ? failure('failed') : ({ kind: 'event_other', ...event } as const);
    for (const situation of ['accepted', 'initiated', 'failed'] as const)
      expect(written(collectionIn(situation), stale(content))).toStrictEqual([[noted], undefined]);
  },
);

test('a stale event of another currency states that currency, because it is never out of date', () => {
  const dollars = { currency: 'USD', amountMinor: 9 };
  const content = { kind: 'event_other_currency', ...event, ...dollars } as const;
  const stated = { kind: 'other_currency_reported', data: dollars };
  expect(written(collectionIn('initiated'), stale(content))).toStrictEqual([
    [noted, stated, opened('other_currency')],
    'other_currency',
  ]);
  // An event of a payment, which a poll does not yet confirm, is refuted by a poll only.
  expect(written(collectionIn('paid'), stale(content))).toStrictEqual([
    [noted, stated, flagged('other_currency')],
    'other_currency',
  ]);
});

test.each<[string, Situation, Evidence, (Fact | object)[]]>([
  [
    'money of an open payment waits for the service',
    'initiated',
    reported(1_020, { isUndecided: true }),
    [
      { ...suspended(1_020), data: { amountMinor: 1_020, source: 'webhook', paidAt: null } },
      opened('amount_mismatch'),
      { kind: 'service_decides', data: {} },
    ],
  ],
  [
    'money of a payment that has ended waits for people here',
    'failed',
    reported(1_020, { isUndecided: true }),
    [
      { ...suspended(1_020), data: { amountMinor: 1_020, source: 'webhook', paidAt: null } },
      opened('amount_mismatch'),
    ],
  ],
  [
    'a review without an amount waits for people here',
    'initiated',
    reported(null, { isUndecided: true }),
    [opened('amount_mismatch')],
  ],
  [
    'a decided review waits for people here',
    'initiated',
    reported(1_020),
    [
      { ...suspended(1_020), data: { amountMinor: 1_020, source: 'webhook', paidAt: null } },
      opened('amount_mismatch'),
    ],
  ],
])('%s', (_, situation, evidence, facts) => {
  expect(written(collectionIn(situation), evidence)).toStrictEqual([[noted, ...facts], 'amount_mismatch']);
});

test('a review of a paid session is flagged where an event booked it, and moves what only the quote states', () => {
  const corrected = { kind: 'suspense_corrected', data: { amountMinor: 1_020, source: 'webhook', paidAt } };
  const alarm = 'amount_mismatch';
  const { facts: byPoll, alarm: ofPoll } = decideOn(
    collectionIn('paid'),
    polled('initiated', { review: { amountMinor: 1_020 } }),
    context,
  );
  expect([byPoll.slice(1), ofPoll]).toStrictEqual([[flagged(alarm)], alarm]);
  expect(written(collectionIn('paid at quote'), reported(1_020))).toStrictEqual([
    [noted, suspended(2_020, 'quote'), opened(alarm), corrected],
    alarm,
  ]);
  // The amount of a poll in review is not final: only its end corrects the payment.
  const { facts } = decideOn(
    collectionIn('paid at quote'),
    polled('initiated', { review: { amountMinor: 1_020 } }),
    context,
  );
  expect(facts.slice(1)).toStrictEqual([opened(alarm)]);
});

test('money of a session on top of a matched payment is flagged as a second charge', () => {
  const matched: Collection = { ...collectionIn('paid'), unplacedId: 'unp_1' };
  const flag = [[noted, flagged('second_charge')], 'second_charge'];
  expect(written(matched, reported(1_020))).toStrictEqual(flag);
  expect(written(matched, paidEvidence())).toStrictEqual([
    [notedPaid, flagged('second_charge')],
    'second_charge',
  ]);
});

test.each<[Situation, Fact[], string]>([
  ['paid', [flagged('second_charge')], 'second_charge'],
  ['initiated', [flagged('second_charge')], 'second_charge'],
  ['created', [opened('second_charge')], 'second_charge'],
  ['failed', [opened('second_charge')], 'second_charge'],
  ['review, no money', [], 'second_charge'],
])('a second charge beside a payment that is %s always alarms a person', (situation, facts, alarm) => {
  const evidence = reported(760, { secondCharge: true });
  expect(written(collectionIn(situation), evidence)).toStrictEqual([[noted, ...facts], alarm]);
});

test('a second charge that a final poll reports opens a review: no poll will show a payment', () => {
  const evidence = polled('failed', { review: { amountMinor: 760, secondCharge: true } });
  const { facts, alarm } = decideOn(collectionIn('initiated'), evidence, context);
  expect([facts.slice(1), alarm]).toStrictEqual([[opened('second_charge')], 'second_charge']);
});

const refunded = { amountMinor: 760, reference: 'MP1', by: 'operator' };
const refundOf = (more: object = {}): EventEvidence => ({
  ...{ kind: 'event_refund', ...event, ...refunded, secondCharge: true },
  ...more,
});
const flaggedPaid: Collection = { ...collectionIn('paid'), review: 'second_charge' };
const later = '2026-03-06T10:00:00.000Z';

test.each<[boolean, string, Collection, EventEvidence, UnplacedPayment[]]>([
  [true, 'it is the last one in suspense', flaggedPaid, refundOf(), [unplaced(2)]],
  [
    false,
    'another one stays in suspense',
    flaggedPaid,
    refundOf(),
    [unplaced(2), unplaced(3, { amountMinor: 500 })],
  ],
  [false, 'its amount is that of no charge', flaggedPaid, refundOf({ amountMinor: 761 }), [unplaced(2)]],
  [
    false,
    'its time is that of no charge',
    flaggedPaid,
    refundOf({ paidAt: later }),
    [unplaced(2, { paidAt })],
  ],
  [
    true,
    'its time is that of the last charge',
    flaggedPaid,
    refundOf({ paidAt }),
    [unplaced(2, { paidAt }), unplaced(3, { paidAt: later, state: 'returned' })],
  ],
  [false, 'it is of the first charge', flaggedPaid, refundOf({ secondCharge: undefined }), [unplaced(2)]],
  [
    false,
    'the review is about something else',
    { ...flaggedPaid, review: 'amount_mismatch' },
    refundOf(),
    [unplaced(2)],
  ],
  [
    false,
    'the payment is not proven',
    { ...collectionIn('initiated'), review: 'second_charge' },
    refundOf(),
    [unplaced(2)],
  ],
])(
  'the refund of a second charge ends the review (%s) when %s',
  (endsReview, _, collection, evidence, charges) => {
    const data = { ...refunded, amountMinor: 'amountMinor' in evidence ? evidence.amountMinor : 0 };
    const fact = { kind: 'refund_reported', data: endsReview ? { ...data, endsReview } : data };
    for (const one of [evidence, stale(evidence)])
      expect(written(collection, one, charges)[0]).toStrictEqual([noted, fact]);
  },
);

test('an event of a payment confirms the prompt of a restored payment first', () => {
  const [facts] = written(restored('created'), paidEvidence());
  expect(facts.map(({ kind }) => kind)).toStrictEqual(['prompt_confirmed', 'paid']);
});

test('an event that repeats what is booked, decided or reported is recorded and nothing else', () => {
  expect(written(collectionIn('paid'), paidEvidence())).toStrictEqual([[notedPaid], undefined]);
  const returned = collectionIn('failed, returned');
  expect(written(returned, paidEvidence())).toStrictEqual([[notedPaid], undefined]);
  expect(written(returned, reported(2_020))).toStrictEqual([[noted], undefined]);
  const known: Collection = { ...collectionIn('initiated'), reportedFailure: 'declined' };
  expect(written(known, failure('failed', 'declined'))).toStrictEqual([[noted], undefined]);
});

test('a review at the service is not awaited before its session is known', () => {
  const [facts] = written(collectionIn('accepted'), reported(1_020, { isUndecided: true }));
  expect(facts.map(({ kind }) => kind)).toStrictEqual(['event', 'suspended', 'review_opened']);
});

test.each<[string, Collection]>([
  ['a payment that is booked', collectionIn('paid')],
  ['a restored payment, which may have been prompted', restored('created')],
])('a second charge that a poll reports is flagged beside %s', (_, collection) => {
  const evidence = polled('failed', { review: { amountMinor: 760, secondCharge: true } });
  const [facts, alarm] = written(collection, evidence);
  expect([facts.slice(1), alarm]).toStrictEqual([[flagged('second_charge')], 'second_charge']);
});
