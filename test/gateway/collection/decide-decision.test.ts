import { expect, test } from 'vitest';
import type { Collection } from '../../../src/gateway/collection/collection.ts';
import { maxRequestDelayMs, watchMs } from '../../../src/gateway/collection/decide/decision.ts';
import type { EventEvidence, Evidence } from '../../../src/gateway/collection/evidence.ts';
import type { UnplacedPayment } from '../../../src/gateway/unplaced/unplaced.ts';
import {
  abandoned,
  collectionIn,
  context,
  day,
  decideOn,
  flagged,
  minute,
  opened,
  paidEvidence,
  polled,
  promptAt,
  quote,
  restored,
  type Situation,
  session,
  unplaced,
} from './support.ts';

/* The ends, reviews and flags of a collection, fact for fact, whatever evidence leads to them. */

const event = { eventId: 'evt_1', type: 'some.event' };
const noted = { kind: 'event', data: event };
const paidAt = '2026-03-06T09:00:10.000Z';
const stale = (content: EventEvidence): Evidence => ({ kind: 'event_stale', ...event, event: content });

/** Returns the facts after the one of the evidence, and the alarm. */
function written(collection: Collection, evidence: Evidence, charges: readonly UnplacedPayment[] = []) {
  const { facts, alarm } = decideOn(collection, evidence, context, charges);
  return [facts.filter(({ kind }) => kind !== 'polled' && kind !== 'event'), alarm] as const;
}

test('a prompt is watched for seven days, and a lost request can arrive for two minutes', () => {
  expect([watchMs, maxRequestDelayMs]).toStrictEqual([7 * day, 2 * minute]);
});

test.each<[string, Evidence, object]>([
  [
    'a lost call',
    { kind: 'call_unknown', call: 'status', outcome: 'unknown', detail: 'timeout', ms: 9 },
    { call: 'status', outcome: 'unknown', detail: 'timeout', ms: 9 },
  ],
  [
    'a delayed call',
    {
      kind: 'call_unknown',
      call: 'status',
      outcome: 'rate_limited',
      detail: 'http_429',
      httpStatus: 429,
      retryAfterMs: 900,
      ms: 9,
    },
    {
      call: 'status',
      outcome: 'rate_limited',
      httpStatus: 429,
      detail: 'http_429',
      retryAfterMs: 900,
      ms: 9,
    },
  ],
  [
    'a rejected call',
    { kind: 'call_rejected', call: 'status', code: 'not_found', httpStatus: 404, ms: 9 },
    { call: 'status', outcome: 'rejected', httpStatus: 404, code: 'not_found', ms: 9 },
  ],
])('the fact of %s has what its answer states, and nothing else', (_, evidence, data) => {
  expect(written(collectionIn('initiated'), evidence)).toStrictEqual([[{ kind: 'called', data }], undefined]);
});

test.each<[string, Situation, Evidence, string | null, object]>([
  [
    'a poll states',
    'initiated',
    polled('failed', { reason: 'pin_limit' }),
    'declined',
    { kind: 'failed', data: { reason: 'pin_limit' } },
  ],
  [
    'an event stated',
    'initiating',
    polled('failed'),
    'declined',
    { kind: 'failed', data: { reason: 'declined' } },
  ],
  [
    'says that none was stated',
    'created',
    polled('failed'),
    null,
    { kind: 'failed', data: { reason: 'service_failed' } },
  ],
  [
    'an event did not state',
    'initiated',
    polled('expired'),
    'unstated',
    { kind: 'expired', data: { reason: 'service_expired' } },
  ],
])('an unpaid end has the reason that %s', (_, situation, evidence, reportedFailure, fact) => {
  const collection = { ...collectionIn(situation), reportedFailure };
  expect(written(collection, evidence)).toStrictEqual([[fact], undefined]);
});

test.each(['accepted', 'failed', 'expired', 'abandoned', 'review, no money'] as const)(
  'an unpaid status of a session changes no payment that is %s',
  (situation) => {
    for (const status of ['failed', 'expired'])
      expect(written(collectionIn(situation), polled(status))).toStrictEqual([[], undefined]);
  },
);

test('an unpaid status after a confirmed payment is flagged by its name', () => {
  for (const status of ['failed', 'expired']) {
    const reason = `${status}_after_paid`;
    expect(written(collectionIn('paid'), polled(status))).toStrictEqual([[flagged(reason)], reason]);
  }
});

test('an end without a prompt names its reason', () => {
  const evidence: Evidence = { kind: 'create_answered', session: { ...session, reference: 'X' }, ms: 80 };
  expect(written(collectionIn('accepted'), evidence)[0].at(-1)).toStrictEqual(abandoned('quote_reference'));
});

test.each<[string, string | null, string[]]>([
  ['is flagged', null, ['failed_after_paid']],
  ['replaces a claim that waits for a poll', 'stale_event', ['failed_after_paid']],
  ['replaces an alarm about the poll', 'unconfirmed_paid', ['failed_after_paid']],
  ['leaves another review as it is', 'second_charge', []],
])('a failure after the payment %s', (_, review, reasons) => {
  const collection = { ...collectionIn('paid'), review };
  const facts = reasons.map((reason) => flagged(reason));
  expect(written(collection, polled('failed'))).toStrictEqual([facts, reasons[0]]);
});

test('a claim of money is kept once, without an alarm, and not beside a payment', () => {
  const claim = stale(paidEvidence());
  const open = collectionIn('initiated');
  expect(written(open, claim)).toStrictEqual([[flagged('stale_event')], undefined]);
  expect(written({ ...open, review: 'stale_event' }, claim)).toStrictEqual([[], undefined]);
  expect(written(collectionIn('paid'), claim)).toStrictEqual([[], undefined]);
});

test.each<[string, Collection, object[], string?]>([
  ['prompted', collectionIn('initiating'), [flagged('stale_event')]],
  ['paid', collectionIn('paid'), []],
  ['restored before a prompt', restored('created'), [flagged('stale_event')]],
  ['not prompted', collectionIn('created'), [opened('stale_event')], 'stale_event'],
  ['unpaid', collectionIn('failed'), [opened('stale_event')], 'stale_event'],
  ['restored and unpaid', restored('failed'), [opened('stale_event')], 'stale_event'],
  ['under review', collectionIn('review, no money'), []],
])(
  'a claim of money about a payment that is %s reaches a poll or a person',
  (_, collection, facts, alarm) => {
    const { facts: all } = decideOn(collection, stale(paidEvidence()), context);
    expect(all[0]).toStrictEqual(noted);
    expect(written(collection, stale(paidEvidence()))).toStrictEqual([facts, alarm]);
  },
);

test.each<[string, UnplacedPayment[], boolean]>([
  ['is not known', [], true],
  ['is in suspense', [unplaced(1, {})], true],
  ['was returned', [unplaced(1, { state: 'returned' })], false],
  ['was returned, beside a second charge', [unplaced(2, {}), unplaced(1, { state: 'returned' })], false],
  ['is known, and a second charge was returned', [unplaced(1, {}), unplaced(2, { state: 'returned' })], true],
  ['was placed with another payment', [unplaced(1, { state: 'placed', collectionId: 'col_2' })], false],
  ['was placed with this payment', [unplaced(1, { state: 'placed', collectionId: 'col_1' })], true],
])('money that %s is booked unless people have given it away', (_, charges, isBooked) => {
  const reason = 'unplaced_decided';
  const paid = { kind: 'paid', data: { ...quote, source: 'quote', paidAt, late: 0 } };
  const expected = isBooked ? [[paid], undefined] : [[opened(reason)], reason];
  expect(written(collectionIn('initiated'), polled('paid'), charges)).toStrictEqual(expected);
  const { bookings } = decideOn(collectionIn('initiated'), polled('paid'), context, charges);
  expect(bookings).toHaveLength(isBooked ? 1 : 0);
});

test('a payment moves its total to the merchant and the fees, and an event is a part of its fact', () => {
  const { facts, bookings } = decideOn(collectionIn('initiated'), paidEvidence(), context);
  const eventId = 'evt_1';
  const data = { ...quote, source: 'webhook', paidAt, late: 0, eventId };
  expect(facts).toStrictEqual([{ kind: 'paid', data }]);
  expect(bookings.flatMap(({ postings }) => postings)).toStrictEqual([
    { account: 'payers', amountMinor: -2_020 },
    { account: 'merchant:demo-shop', amountMinor: 2_000 },
    { account: 'service_fees', amountMinor: 20 },
  ]);
  const polledFacts = decideOn(collectionIn('initiated'), polled('paid'), context).facts;
  expect(polledFacts.map(({ kind }) => kind)).toStrictEqual(['polled', 'paid']);
});

test('a payment is late from the moment when its payer may retry, or when that was recorded', () => {
  const retryAt = promptAt + context.retryAllowedAfterMs;
  const lateAt = (collection: Collection, now: number) =>
    decideOn(collection, polled('paid'), { ...context, now }).facts.flatMap((fact) =>
      fact.kind === 'paid' ? [fact.data.late] : [],
    );
  const open = collectionIn('initiated');
  expect(lateAt(open, retryAt - 1)).toStrictEqual([0]);
  expect(lateAt(open, retryAt)).toStrictEqual([1]);
  expect(lateAt({ ...open, lapsedAt: promptAt }, promptAt)).toStrictEqual([1]);
});

test('money that is suspended without a quote is no quote', () => {
  const suspended: Collection = {
    ...collectionIn('accepted'),
    status: 'review',
    booked: 'suspense',
    amountMinor: 1_020,
  };
  expect(written(suspended, polled('paid'))).toStrictEqual([[], undefined]);
});

test.each(['amountMinor', 'feeMinor', 'netMinor'] as const)(
  'a quote without its %s books nothing',
  (field) => {
    const collection = { ...collectionIn('initiated'), [field]: null };
    expect(written(collection, polled('paid'))).toStrictEqual([[], undefined]);
  },
);

test('evidence comes before the review that it opens, and the passing of time is no fact', () => {
  const kindsOf = (evidence: Evidence, now: number, charges: readonly UnplacedPayment[] = []) =>
    decideOn(collectionIn('initiated'), evidence, { ...context, now }, charges).facts.map(({ kind }) => kind);
  const returned = [unplaced(1, { state: 'returned' })];
  expect(kindsOf(polled('paid'), context.now, returned)).toStrictEqual(['polled', 'review_opened']);
  expect(kindsOf(paidEvidence(), context.now, returned)).toStrictEqual(['event', 'review_opened']);
  expect(kindsOf(stale(paidEvidence()), context.now)).toStrictEqual(['event', 'flagged']);
  expect(kindsOf({ kind: 'due' }, promptAt + watchMs)).toStrictEqual(['review_opened']);
});
