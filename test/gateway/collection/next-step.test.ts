import { expect, test } from 'vitest';
import type {
  Collection,
  CollectionWithJob,
  DecisionOutcome,
} from '../../../src/gateway/collection/collection.ts';
import { decide, listBookings } from '../../../src/gateway/collection/decide/decide.ts';
import type { DecideContext } from '../../../src/gateway/collection/decide/decision.ts';
import type { Evidence } from '../../../src/gateway/collection/evidence.ts';
import type { Fact, RecordedFact } from '../../../src/gateway/collection/fact.ts';
import { changeUnplaced } from '../../../src/gateway/unplaced/fact.ts';
import type { StatedPayment } from '../../../src/gateway/unplaced/unplaced.ts';
import {
  context,
  hour,
  intent,
  minute,
  paidEvidence,
  polled,
  promptAt,
  quote,
  rowIn,
  type Situation,
  second,
} from './support.ts';

const job = {
  leaseUntil: promptAt + minute,
  fence: 7,
  home: 'gateway-1',
  attempts: 3,
  nextAt: promptAt + hour,
};

/** Decides about a collection that a worker has claimed three times. */
function step(
  situation: Situation,
  evidence: Evidence,
  changed: Partial<DecideContext> = {},
  before: Partial<Collection> = {},
) {
  const row: CollectionWithJob = { ...rowIn(situation, job), ...before };
  return decide({ row, charges: [] }, evidence, { ...context, ...changed });
}

const due: Evidence = { kind: 'due' };
const lostPoll: Evidence = {
  ...{ kind: 'call_unknown', call: 'status', outcome: 'unknown', detail: 'timeout' },
  ...{ httpStatus: 504, ms: 9 },
};
const failed: Evidence = { kind: 'event_failed', eventId: 'evt_1', type: 'failed', status: 'failed' };

test('a transition names a call and an alarm only when there is one', () => {
  expect(Object.keys(step('initiated', polled('initiated')))).toEqual([
    'facts',
    'bookings',
    'charges',
    'next',
  ]);
  expect(step('created', due).send).toBe('initiate');
});

test('a step returns the lease of its worker, unless a call follows or another worker has the lease', () => {
  const leaseAfter = (situation: Situation, evidence: Evidence, lease: DecideContext['lease']) =>
    step(situation, evidence, { lease }).next.leaseUntil;
  expect(leaseAfter('initiated', polled('initiated'), 'held')).toBe(0);
  expect(leaseAfter('created', due, 'held')).toBe(job.leaseUntil);
  expect(leaseAfter('initiated', polled('initiated'), 'lost')).toBe(job.leaseUntil);
  expect(leaseAfter('initiated', paidEvidence(), 'none')).toBe(job.leaseUntil);
  const { fence, home } = step('initiated', polled('initiated')).next;
  expect({ fence, home }).toEqual({ fence: 7, home: 'gateway-1' });
});

test('a lost call of an earlier worker does not move the poll of the one that has the lease now', () => {
  const waitAfter = (evidence: Evidence, lease: DecideContext['lease']) =>
    Number(step('initiated', evidence, { lease }).next.nextAt) - context.now;
  expect(waitAfter(lostPoll, 'lost')).toBe(job.nextAt - context.now);
  expect(waitAfter(lostPoll, 'held')).toBe(10 * second);
  expect(waitAfter(polled('initiated'), 'lost')).toBe(10 * second);
  expect(Number(step('initiated', lostPoll, { random: 0.5 }).next.nextAt) - context.now).toBe(10.5 * second);
});

test('a collection without work left has no lease and no claims', () => {
  expect(step('initiated', polled('paid')).next).toMatchObject({
    ...{ nextAt: null, leaseUntil: 0, fence: 0, home: null, attempts: 0 },
    updatedAt: context.now,
  });
});

test.each<[string, Situation, Evidence, Partial<Collection>, number]>([
  ['a change of status', 'initiating', polled('initiated'), {}, 0],
  ['the first event of a failure', 'initiated', failed, {}, 0],
  ['a poll that changes nothing', 'initiated', polled('initiated'), {}, 3],
  ['a further event of a failure', 'initiated', failed, { reportedFailure: 'declined' }, 3],
  [
    'a change of status after an event of a failure',
    'initiating',
    polled('initiated'),
    { reportedFailure: 'x' },
    3,
  ],
])('after %s, the claims are counted as the next step needs', (_, situation, evidence, changed, attempts) => {
  expect(step(situation, evidence, {}, changed).next.attempts).toBe(attempts);
});

test('the time of a collection never goes back', () => {
  const updatedAt = context.now + hour;
  expect(
    decide({ row: rowIn('initiated', { updatedAt }), charges: [] }, lostPoll, context).next.updatedAt,
  ).toBe(updatedAt);
  expect(step('initiated', lostPoll).next.updatedAt).toBe(context.now);
});

test('a deadline is judged by the monotonic time where the clock is ahead of it', () => {
  const now = intent.promptDeadline;
  expect(step('created', { ...due, asOf: now - minute }, { now }).send).toBe('initiate');
  expect(step('created', { ...due, asOf: now + minute }, { now: now - minute }).send).toBe('initiate');
  expect(step('created', due, { now }).next.status).toBe('abandoned');
});

test('a refund that fits two second charges changes neither, and raises an alarm', () => {
  const stated: StatedPayment = {
    ...{ eventId: 'evt_1', eventType: 'review', chargedMinor: 500, reports: 'second_charge', paidAt: null },
    ...{ goodsMinor: null, feeMinor: null, netMinor: null, payer: null, reference: null },
    ...{ clientTransId: null, channel: null },
  };
  const charges = [2, 3].map((charge) => {
    const subject = { id: `unp_${charge}`, merchantId: 'demo-shop', livemode: 0, sessionId: 'pay_1', charge };
    const data = { ...subject, reason: 'second_charge', stated } as const;
    return changeUnplaced(undefined, [{ kind: 'reported', data }], promptAt).after;
  });
  const refund: Evidence = {
    ...{ kind: 'event_refund', eventId: 'evt_2', type: 'refund', secondCharge: true },
    ...{ amountMinor: 500, reference: 'MP1', by: 'operator' },
  };
  const refunded = (known: typeof charges) => decide({ row: rowIn('paid'), charges: known }, refund, context);
  expect(refunded(charges)).toMatchObject({ charges: [], alarm: 'refund_unclear' });
  expect(refunded(charges.slice(1)).charges).toMatchObject([{ after: { id: 'unp_3', state: 'returned' } }]);
});

test('money in another currency is recorded as an event states it', () => {
  const dollars = { currency: 'USD', amountMinor: 2_020 };
  const event: Evidence = { kind: 'event_other_currency', eventId: 'evt_1', type: 'paid', ...dollars };
  expect(step('initiated', event).facts).toContainEqual({ kind: 'other_currency_reported', data: dollars });
  expect(step('paid', event).next.status).toBe('paid');
});

const arrived = { source: 'webhook', paidAt: null } as const;
const paid: Fact = { kind: 'paid', data: { ...quote, ...arrived, late: 0 } };
const suspended: Fact = { kind: 'suspended', data: { ...arrived, amountMinor: 2_020 } };
const corrected: Fact = { kind: 'suspense_corrected', data: { ...arrived, amountMinor: 2_000 } };
const decided = (outcome: DecisionOutcome) =>
  ({ kind: 'decided', data: { outcome, source: 'staff' } }) satisfies Fact;

/** The bookings of facts after the session was created, as texts. */
function bookingsOf(...facts: Fact[]): string[] {
  const created: Fact = { kind: 'created', data: { sessionId: 'pay_1', goodsMinor: 2_000, ...quote, ms: 8 } };
  const recorded: RecordedFact[] = [
    { kind: 'accepted', data: intent, at: promptAt },
    ...[created, ...facts].map((fact) => ({ ...fact, at: promptAt })),
  ];
  return listBookings(recorded).map(({ kind, postings }) => `${kind} ${postings[0]?.amountMinor}`);
}

test.each<[Fact[], string[]]>([
  [[paid], ['paid -2020']],
  [[suspended], ['suspense -2020']],
  [[suspended, suspended], ['suspense -2020']],
  [
    [paid, suspended],
    ['paid -2020', 'reclassification -2000'],
  ],
  [
    [suspended, corrected],
    ['suspense -2020', 'correction 20'],
  ],
  [
    [suspended, decided('accept')],
    ['suspense -2020', 'release -2020'],
  ],
  [
    [suspended, decided('returned')],
    ['suspense -2020', 'return -2020'],
  ],
  [[suspended, decided('paid')], ['suspense -2020']],
  [[decided('paid')], ['paid -2020']],
  [[decided('not_paid')], []],
  [[{ kind: 'failed', data: { reason: 'declined' } }], []],
])('the facts of a collection require exactly these bookings (%#)', (facts, bookings) => {
  expect(bookingsOf(...facts)).toEqual(bookings);
});

test('a match books the quote, and facts without a beginning require nothing', () => {
  const people = { by: 'ama', approvedBy: 'kofi', evidence: 'statement', versionSeen: 3 };
  const matched: Fact = { kind: 'matched', data: { unplacedId: 'unp_1', ...quote, paidAt: null, ...people } };
  expect(bookingsOf(matched)).toEqual(['paid -2020']);
  expect(listBookings([])).toEqual([]);
  expect(listBookings([{ ...paid, at: promptAt }])).toEqual([]);
});
