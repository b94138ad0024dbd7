import { expect, test } from 'vitest';
import type { Collection, DecisionOutcome } from '../../../src/gateway/collection/collection.ts';
import {
  type DecidedData,
  evolve,
  type Fact,
  isProvisional,
  otherCurrencyReason,
  type RecordedFact,
  replayFacts,
  unstatedReason,
} from '../../../src/gateway/collection/fact.ts';
import {
  collectionIn,
  day,
  intent,
  minute,
  opened,
  promptAt,
  quote,
  restored,
  type Situation,
} from './support.ts';

/* What each fact changes of its collection, field for field. Everything else stays as it was. */

const at = promptAt + minute;
const paidAt = '2026-03-06T09:00:10.000Z';

/** Returns the fields that differ after a fact, without the version, which grows by one. */
function changes(before: Collection, fact: Fact): Record<string, unknown> {
  const { version, ...after } = evolve(before, fact, at);
  expect(version).toBe(before.version + 1);
  const known = before as unknown as Record<string, unknown>;
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => known[key] !== value));
}

test('a collection begins with its intent, and with nothing else', () => {
  const first: RecordedFact = { kind: 'accepted', data: intent, at };
  const nothing = {
    ...{ amountMinor: null, feeMinor: null, netMinor: null, booked: null, amountSource: null },
    ...{ unplacedId: null, sessionId: null, initiateSentAt: null, initiateSends: 0 },
    ...{ initiateRejection: null, initiatedAt: null, paidAt: null, closedAt: null, confirmedAt: null },
    ...{ reportedFailure: null, late: 0, lapsedAt: null, restoredAt: null, reason: null, review: null },
    awaitsServiceSince: null,
  };
  const begun = { ...intent, status: 'accepted', version: 1, ...nothing };
  expect(replayFacts([first])).toStrictEqual(begun);
  expect(evolve(collectionIn('failed'), first, at)).toStrictEqual(begun);
  expect(replayFacts([])).toBeUndefined();
  expect(replayFacts([{ kind: 'lapsed', data: {}, at }])).toBeUndefined();
  const lapsed: RecordedFact = { kind: 'lapsed', data: {}, at: at + 1 };
  expect(replayFacts([first, lapsed])).toStrictEqual({ ...begun, version: 2, lapsedAt: at + 1 });
});

const called = (call: 'create' | 'initiate', outcome: string, code?: string): Fact => ({
  kind: 'called',
  data: { call, outcome, ...(code === undefined ? {} : { code }), ms: 9 },
});
const paid = (source: 'webhook' | 'quote'): Fact => ({
  kind: 'paid',
  data: { ...quote, source, paidAt, late: 1, eventId: 'evt_1' },
});
const closedPaid = { status: 'paid', closedAt: at, booked: 'paid', paidAt, late: 1 };
const money = { amountMinor: 1_020, source: 'poll', paidAt: '2026-03-06T10:00:00.000Z' } as const;
const moneyOf = { amountMinor: 1_020, amountSource: 'poll', paidAt: money.paidAt };
const refund = { amountMinor: 760, reference: 'MP1', by: 'operator' };
const open = collectionIn('initiated');

test.each<[string, Collection, Fact, Record<string, unknown>]>([
  [
    'a rejected initiate is kept',
    collectionIn('initiating'),
    called('initiate', 'rejected', 'refused'),
    { initiateRejection: 'refused' },
  ],
  [
    'a rejected initiate without a code is kept',
    collectionIn('initiating'),
    called('initiate', 'rejected'),
    { initiateRejection: 'rejected' },
  ],
  ['a lost initiate is no rejection', collectionIn('initiating'), called('initiate', 'unknown', 'x'), {}],
  [
    'another rejected call is none of initiate',
    collectionIn('initiating'),
    called('create', 'rejected', 'x'),
    {},
  ],
  ['a rejection after the prompt is none', open, called('initiate', 'rejected', 'refused'), {}],
  ['a second session', open, { kind: 'orphaned', data: { sessionId: 'pay_2' } }, {}],
  ['a poll', open, { kind: 'polled', data: { status: 'paid', terminal: true, ms: 4 } }, {}],
  ['an event', open, { kind: 'event', data: { eventId: 'evt_1', type: 'x' } }, {}],
  [
    'money in another currency',
    open,
    { kind: 'other_currency_reported', data: { currency: 'USD', amountMinor: 1 } },
    {},
  ],
  [
    'a refund',
    { ...collectionIn('paid'), review: 'second_charge' },
    { kind: 'refund_reported', data: refund },
    {},
  ],
  [
    'the last refund',
    { ...collectionIn('paid'), review: 'second_charge' },
    { kind: 'refund_reported', data: { ...refund, endsReview: true } },
    { review: null },
  ],
  [
    'a session',
    collectionIn('accepted'),
    { kind: 'created', data: { sessionId: 'pay_1', goodsMinor: 2_000, ...quote, ms: 8 } },
    { status: 'created', sessionId: 'pay_1', ...quote },
  ],
  [
    'a prompt',
    collectionIn('created'),
    { kind: 'prompt_requested', data: { send: 2 } },
    { status: 'initiating', initiateSentAt: at, initiateSends: 2 },
  ],
  [
    'an initiated prompt',
    collectionIn('initiating'),
    { kind: 'initiated', data: {} },
    { status: 'initiated', initiatedAt: at },
  ],
  ['a payment that an event reports', open, paid('webhook'), { ...closedPaid, amountSource: 'webhook' }],
  [
    'a payment that a poll proves',
    open,
    paid('quote'),
    { ...closedPaid, amountSource: 'quote', confirmedAt: at },
  ],
  [
    'a payment that ends a claim of a stale event',
    { ...open, review: 'stale_event' },
    paid('webhook'),
    { ...closedPaid, amountSource: 'webhook', review: null },
  ],
  [
    'a payment that ends a claim of an unreadable event',
    { ...open, review: 'unreadable_event' },
    paid('webhook'),
    { ...closedPaid, amountSource: 'webhook', review: null },
  ],
  [
    'a payment beside a second charge',
    { ...open, review: 'second_charge' },
    paid('webhook'),
    { ...closedPaid, amountSource: 'webhook' },
  ],
  [
    'the amounts of an event',
    collectionIn('paid at quote'),
    { kind: 'amounts_confirmed', data: { eventId: 'evt_1' } },
    { amountSource: 'webhook' },
  ],
  [
    'a poll that agrees',
    collectionIn('paid, unconfirmed'),
    { kind: 'confirmed', data: { ms: 4 } },
    { confirmedAt: at },
  ],
  [
    'a poll that agrees late',
    { ...collectionIn('paid, unconfirmed'), review: 'unconfirmed_paid' },
    { kind: 'confirmed', data: { ms: 4 } },
    { confirmedAt: at, review: null },
  ],
  [
    'a poll that agrees beside a second charge',
    { ...collectionIn('paid, unconfirmed'), review: 'second_charge' },
    { kind: 'confirmed', data: { ms: 4 } },
    { confirmedAt: at },
  ],
  ['money in suspense', open, { kind: 'suspended', data: money }, { ...moneyOf, booked: 'suspense' }],
  [
    'a corrected amount',
    collectionIn('review, suspended'),
    { kind: 'suspense_corrected', data: money },
    moneyOf,
  ],
  [
    'a reported failure',
    open,
    { kind: 'failure_reported', data: { reason: 'declined' } },
    { reportedFailure: 'declined' },
  ],
  [
    'a failure',
    open,
    { kind: 'failed', data: { reason: 'declined' } },
    { status: 'failed', reason: 'declined', closedAt: at },
  ],
  [
    'an expiry',
    open,
    { kind: 'expired', data: { reason: 'late' } },
    { status: 'expired', reason: 'late', closedAt: at },
  ],
  [
    'an end without a prompt',
    collectionIn('created'),
    { kind: 'abandoned', data: { reason: 'late' } },
    { status: 'abandoned', reason: 'late', closedAt: at },
  ],
  [
    'a review',
    open,
    opened('no_outcome'),
    { status: 'review', reason: 'no_outcome', review: 'no_outcome', closedAt: at },
  ],
  [
    'a review after a claim',
    { ...open, review: 'stale_event' },
    opened('no_outcome'),
    { status: 'review', reason: 'no_outcome', review: 'no_outcome', closedAt: at },
  ],
  [
    'a review beside a second charge',
    { ...open, review: 'second_charge' },
    opened('no_outcome'),
    { status: 'review', reason: 'no_outcome', closedAt: at },
  ],
  [
    'a flag',
    collectionIn('paid'),
    { kind: 'flagged', data: { reason: 'second_charge' } },
    { review: 'second_charge' },
  ],
  ['a retry that is allowed', open, { kind: 'lapsed', data: {} }, { lapsedAt: at }],
  ['a restore', open, { kind: 'restored', data: { takenAt: promptAt } }, { restoredAt: at }],
  [
    'a review that the service decides',
    collectionIn('review, suspended'),
    { kind: 'service_decides', data: {} },
    { awaitsServiceSince: at },
  ],
  [
    'a review that people here decide',
    collectionIn('review, at the service'),
    { kind: 'service_undecided', data: { reason: 'no_outcome' } },
    { awaitsServiceSince: null },
  ],
  [
    'a prompt of a restored payment',
    restored('created'),
    { kind: 'prompt_confirmed', data: {} },
    { status: 'initiating', initiateSentAt: intent.promptNotBefore, initiateSends: 1, restoredAt: null },
  ],
  [
    'a prompt that a restored payment has',
    { ...restored('initiated'), initiateSends: 2 },
    { kind: 'prompt_confirmed', data: {} },
    { restoredAt: null },
  ],
  [
    'a prompt that a restored payment requested',
    restored('initiating'),
    { kind: 'prompt_confirmed', data: {} },
    { restoredAt: null },
  ],
])('%s changes exactly its fields', (_, before, fact, expected) => {
  expect(changes(before, fact)).toStrictEqual(expected);
});

test('a corrected clock moves every future time back, and no other', () => {
  const now = intent.openedAt - day;
  const ahead = { ...restored('review, at the service'), awaitsServiceSince: at };
  expect(changes(ahead, { kind: 'clock_corrected', data: { now } })).toStrictEqual({
    ...{ promptNotBefore: now, promptDeadline: now, initiateSentAt: now, restoredAt: now },
    ...{ closedAt: now, awaitsServiceSince: now },
  });
  const unknown = collectionIn('accepted');
  expect(changes(unknown, { kind: 'clock_corrected', data: { now } })).toStrictEqual({
    ...{ promptNotBefore: now, promptDeadline: now },
  });
  expect(changes(ahead, { kind: 'clock_corrected', data: { now: at + day } })).toStrictEqual({});
});

const decision = (outcome: DecisionOutcome, source: DecidedData['source'] = 'staff'): Fact => ({
  kind: 'decided',
  data: { outcome, source },
});
const isPaid = { status: 'paid', closedAt: at, review: null, confirmedAt: at };
const isFailed = { status: 'failed', closedAt: at, review: null };

test.each<[DecisionOutcome, Situation, Partial<Collection>, Record<string, unknown>]>([
  ['accept', 'review, suspended', {}, { ...isPaid, booked: 'released' }],
  ['accept', 'review, suspended', { amountMinor: 1_020 }, { ...isPaid, booked: 'released', netMinor: 1_000 }],
  [
    'accept',
    'review, suspended',
    { amountMinor: 15 },
    { ...isPaid, booked: 'released', feeMinor: 15, netMinor: 0 },
  ],
  [
    'accept',
    'review, suspended',
    { feeMinor: null },
    { ...isPaid, booked: 'released', feeMinor: 0, netMinor: 2_020 },
  ],
  ['accept', 'review, suspended', { amountMinor: null }, { ...isPaid, booked: 'released' }],
  ['accept', 'review, suspended', { booked: 'paid', amountMinor: 1_020 }, isPaid],
  [
    'accept',
    'review, suspended',
    { booked: 'released', confirmedAt: promptAt },
    { ...isPaid, confirmedAt: undefined },
  ],
  ['returned', 'review, suspended', {}, { ...isFailed, booked: 'returned' }],
  ['returned', 'review, suspended', { amountMinor: 1_020 }, { ...isFailed, booked: 'returned' }],
  ['returned', 'review, suspended', { booked: 'paid' }, { ...isFailed, booked: 'reversed' }],
  ['returned', 'review, suspended', { booked: 'released' }, { ...isFailed, booked: 'reversed' }],
  ['not_paid', 'review, suspended', { booked: 'reversed' }, isFailed],
  ['not_paid', 'review, suspended', { booked: 'returned' }, isFailed],
  ['not_paid', 'review, no money', {}, isFailed],
  ['paid', 'review, suspended', {}, { ...isPaid, booked: 'released' }],
  ['paid', 'review, no money', {}, { ...isPaid, booked: 'paid', amountSource: 'quote' }],
])(
  'the decision %s about %s %j moves the money that is there, once',
  (outcome, situation, changed, expected) => {
    const before = { ...collectionIn(situation), ...changed };
    const named = { ...expected, reason: `decided_${outcome}` };
    const wanted = Object.entries(named).filter(([, value]) => value !== undefined);
    expect(changes(before, decision(outcome))).toStrictEqual(Object.fromEntries(wanted));
  },
);

test.each<[DecisionOutcome, string]>([
  ['accept', 'service_accepted'],
  ['paid', 'service_accepted'],
  ['returned', 'service_rejected'],
  ['not_paid', 'service_rejected'],
])('the decision %s of the service ends its review as %s', (outcome, reason) => {
  expect(changes(collectionIn('review, at the service'), decision(outcome, 'service'))).toMatchObject({
    ...{ reason, review: null, awaitsServiceSince: null },
  });
});

test('a match is a confirmed payment with the amounts that people saw', () => {
  const amounts = { amountMinor: 2_050, feeMinor: 50, netMinor: 2_010 };
  const people = { by: 'ama', approvedBy: 'kofi', evidence: 'statement', versionSeen: 3 };
  const data = { ...amounts, unplacedId: 'unp_1', paidAt, ...people };
  const before: Collection = { ...collectionIn('review, no money'), awaitsServiceSince: promptAt };
  expect(changes(before, { kind: 'matched', data })).toStrictEqual({
    ...{ ...amounts, unplacedId: 'unp_1', paidAt, status: 'paid', reason: 'matched', closedAt: at },
    ...{ booked: 'paid', amountSource: 'webhook', confirmedAt: at, review: null, awaitsServiceSince: null },
  });
});

test('a poll can end exactly the reviews of a claim', () => {
  for (const review of ['unconfirmed_paid', 'stale_event', 'unreadable_event'])
    expect(isProvisional(review)).toBe(true);
  for (const review of ['second_charge', 'other_currency', 'amount_mismatch', ''])
    expect(isProvisional(review)).toBe(false);
});

test('the reasons that are stored keep their names', () => {
  expect([otherCurrencyReason, unstatedReason]).toStrictEqual(['other_currency', 'unstated']);
});
