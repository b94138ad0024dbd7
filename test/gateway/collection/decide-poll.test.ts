import { expect, test } from 'vitest';
import type { Collection } from '../../../src/gateway/collection/collection.ts';
import { type DecideContext, maxRequestDelayMs } from '../../../src/gateway/collection/decide/decision.ts';
import type { Evidence } from '../../../src/gateway/collection/evidence.ts';
import type { Fact } from '../../../src/gateway/collection/fact.ts';
import {
  abandoned,
  collectionIn,
  context,
  decideOn,
  flagged,
  intent,
  minute,
  opened,
  polled,
  promptAt,
  quote,
  restored,
  second,
} from './support.ts';

/* What each answer to a poll writes, fact for fact. The table of `decide.test.ts` has its effect on each state. */

const paidAt = '2026-03-06T09:00:10.000Z';

/** Returns the facts after the one of the poll, and the alarm. */
function written(collection: Collection, evidence: Evidence, changed: Partial<DecideContext> = {}) {
  const { facts, alarm, bookings } = decideOn(collection, evidence, { ...context, ...changed });
  expect(facts[0]?.kind).toBe('polled');
  return { after: facts.slice(1), alarm, booked: bookings.map(({ kind }) => kind).join() };
}

test.each<[string, object, object]>([
  ['status', {}, {}],
  ['requested wait', { retryAfterSeconds: 7 }, { retryAfterSeconds: 7 }],
  ['money in review', { review: { amountMinor: 1_020 } }, { reviewMinor: 1_020 }],
  ['review without an amount', { review: { amountMinor: null } }, { reviewMinor: 0 }],
])('the fact of a poll has its %s', (_, changed, data) => {
  const evidence = polled('created', { retryAfterSeconds: null, ...changed });
  const [fact] = decideOn(collectionIn('created'), evidence, context).facts;
  expect(fact).toStrictEqual({
    kind: 'polled',
    data: { status: 'created', terminal: false, ...data, ms: 40 },
  });
});

test.each<[string, Evidence, string]>([
  ['failed', polled('failed'), 'failed_after_paid'],
  ['expired', polled('expired'), 'expired_after_paid'],
  ['a final status that is unknown', polled('on_hold', { terminal: true }), 'unknown_final_status'],
])('a poll of %s refutes a payment that only an event reports, and says so', (_, evidence, reason) => {
  const suspended = { kind: 'suspended', data: { amountMinor: 2_020, source: 'webhook', paidAt } };
  expect(written(collectionIn('paid, unconfirmed'), evidence)).toStrictEqual({
    after: [suspended, opened(reason)],
    ...{ alarm: reason, booked: 'reclassification' },
  });
});

test('only the money of a final payment, or of a review, is in another currency', () => {
  const open = collectionIn('initiated');
  const stated = (amountMinor: number | null) => ({
    after: [
      { kind: 'other_currency_reported', data: { currency: 'USD', amountMinor } },
      opened('other_currency'),
    ],
    ...{ alarm: 'other_currency', booked: '' },
  });
  const currency = 'USD';
  expect(written(open, polled('paid', { currency }))).toStrictEqual(stated(null));
  expect(written(open, polled('paid', { currency, paidMinor: 9 }))).toStrictEqual(stated(9));
  expect(written(open, polled('initiated', { currency, review: { amountMinor: 8 } }))).toStrictEqual(
    stated(8),
  );
  expect(written(open, polled('paid', { currency, terminal: false })).after).toStrictEqual([]);
  expect(written(open, polled('failed', { currency })).after).toStrictEqual([
    { kind: 'failed', data: { reason: 'service_failed' } },
  ]);
});

test('a payment that is booked leaves the merchant when a poll states another currency', () => {
  expect(written(collectionIn('paid'), polled('paid', { currency: 'USD' })).booked).toBe('reclassification');
});

test('a review in another currency is ended by no poll', () => {
  const review: Collection = { ...collectionIn('review, no money'), reason: 'other_currency' };
  expect(written(review, polled('paid'))).toStrictEqual({ after: [], alarm: undefined, booked: '' });
});

test.each<[string, Collection, Evidence, Fact[]]>([
  ['is recorded once', collectionIn('initiated'), polled('initiated'), []],
  [
    'proves the initiate call',
    collectionIn('initiating'),
    polled('initiated'),
    [{ kind: 'initiated', data: {} }],
  ],
  [
    'confirms the prompt of a restored payment',
    restored('created'),
    polled('initiated'),
    [
      { kind: 'prompt_confirmed', data: {} },
      { kind: 'initiated', data: {} },
    ],
  ],
  [
    'confirms a prompt that a restored payment has',
    restored('initiated'),
    polled('initiated'),
    [{ kind: 'prompt_confirmed', data: {} }],
  ],
  [
    'of no prompt refutes no prompt of a restored payment',
    restored('initiated'),
    polled('created', { requestedAt: promptAt + maxRequestDelayMs }),
    [],
  ],
  [
    'of no prompt ends a restored payment',
    restored('initiating'),
    polled('created', { requestedAt: promptAt + maxRequestDelayMs }),
    [{ kind: 'abandoned', data: { reason: 'restored' } }],
  ],
  ['of an unknown status changes nothing', collectionIn('initiated'), polled('on_hold'), []],
  [
    'of an unknown status changes no payment that has ended',
    collectionIn('failed'),
    polled('on_hold', { terminal: true }),
    [],
  ],
])('a poll %s', (_, collection, evidence, after) => {
  expect(written(collection, evidence)).toStrictEqual({ after, alarm: undefined, booked: '' });
});

test('a final status that is unknown needs a person', () => {
  expect(written(collectionIn('initiated'), polled('on_hold', { terminal: true }))).toStrictEqual({
    ...{ after: [opened('unknown_final_status')], alarm: 'unknown_final_status', booked: '' },
  });
});

const sentAt = promptAt;
const requested = { kind: 'prompt_requested', data: { send: 2 } };
const late = intent.promptDeadline;

test.each<[string, number, Partial<DecideContext>, Partial<Collection>, object[]]>([
  ['before the grace is over', sentAt + 15 * second - 1, {}, {}, []],
  ['when the grace is over', sentAt + 15 * second, {}, {}, [requested]],
  ['without the lease', sentAt + 15 * second, { maySend: false }, {}, []],
  ['just before the deadline', sentAt + 15 * second, { now: late - 1 }, {}, [requested]],
  ['at the deadline', late - 1, { now: late }, {}, []],
  ['sent at the deadline', late, { now: late }, {}, [abandoned('never_prompted')]],
  [
    'sent at the deadline, while a late request may arrive',
    late,
    { now: late },
    { initiateSentAt: late - minute },
    [],
  ],
  [
    'sent when no late request can arrive',
    late + minute,
    { now: late + minute },
    { initiateSentAt: late - minute },
    [abandoned('never_prompted')],
  ],
  [
    'after a rejection, while the request may arrive',
    sentAt + maxRequestDelayMs - 1,
    {},
    { initiateRejection: 'refused' },
    [],
  ],
  [
    'after a rejection, when no request can arrive',
    sentAt + maxRequestDelayMs,
    {},
    { initiateRejection: 'refused' },
    [abandoned('refused')],
  ],
  [
    'after a rejection of one of two copies',
    sentAt + maxRequestDelayMs,
    { maySend: false },
    { initiateRejection: 'refused', initiateSends: 2 },
    [],
  ],
])('a poll of no prompt, %s, prompts at most once', (_, requestedAt, changed, before, after) => {
  const collection = { ...collectionIn('initiating'), ...before };
  expect(written(collection, polled('created', { requestedAt }), changed).after).toStrictEqual(after);
});

test('a poll that states another amount suspends it, and its time', () => {
  const evidence = polled('paid', { paidMinor: 1_020 });
  const data = { amountMinor: 1_020, source: 'poll', paidAt };
  const alarm = 'amount_mismatch';
  expect(written(collectionIn('initiated'), evidence)).toStrictEqual({
    after: [{ kind: 'suspended', data }, opened(alarm)],
    ...{ alarm, booked: 'suspense' },
  });
  expect(written(collectionIn('paid'), evidence)).toStrictEqual({
    after: [
      { kind: 'suspended', data: { amountMinor: 2_020, source: 'webhook', paidAt } },
      opened(alarm),
      { kind: 'suspense_corrected', data },
    ],
    ...{ alarm, booked: 'reclassification,correction' },
  });
});

test('a poll that states the quoted amount books the quote', () => {
  for (const evidence of [polled('paid'), polled('paid', { paidMinor: 2_020 })]) {
    const data = { ...quote, source: 'quote', paidAt, late: 0 };
    expect(written(collectionIn('initiated'), evidence)).toStrictEqual({
      after: [{ kind: 'paid', data }],
      ...{ alarm: undefined, booked: 'paid' },
    });

    expect(written(collectionIn('failed'), evidence)).toStrictEqual({
      after: [
        { kind: 'suspended', data: { amountMinor: 2_020, source: 'quote', paidAt } },
        opened('paid_while_failed'),
      ],
      ...{ alarm: 'paid_while_failed', booked: 'suspense' },
    });
  }
});

test('a poll without a quote books nothing, because it states no amount', () => {
  expect(written(collectionIn('accepted'), polled('paid', { paidMinor: 2_020 })).after).toStrictEqual([]);
});

test('a poll of the money that a decision returned is no further payment, and one of another time is', () => {
  const returned = collectionIn('failed, returned');
  expect(written(returned, polled('paid')).after).toStrictEqual([]);
  expect(written(returned, polled('paid', { paidMinor: 2_020 })).after).toStrictEqual([]);
  expect(written(returned, polled('paid', { paidAt: '2026-03-06T10:00:00.000Z' })).booked).toBe(
    'further_suspense',
  );
});

test('money on top of a matched payment is a second charge', () => {
  const matched: Collection = { ...collectionIn('paid'), unplacedId: 'unp_1' };
  expect(written(matched, polled('paid'))).toStrictEqual({
    after: [flagged('second_charge')],
    ...{ alarm: 'second_charge', booked: '' },
  });
});

const again = { review: { amountMinor: 760, secondCharge: true } } as const;

test('a second charge is flagged beside the payment that the poll proves, and never without one', () => {
  const alarm = 'second_charge';
  const data = { ...quote, source: 'quote', paidAt, late: 0 };
  expect(written(collectionIn('initiated'), polled('paid', again))).toStrictEqual({
    after: [{ kind: 'paid', data }, flagged(alarm)],
    ...{ alarm, booked: 'paid' },
  });
  expect(written(collectionIn('paid, unconfirmed'), polled('paid', again))).toStrictEqual({
    after: [{ kind: 'confirmed', data: { ms: 40 } }, flagged(alarm)],
    ...{ alarm, booked: '' },
  });
  expect(written(collectionIn('paid'), polled('paid', again)).after).toStrictEqual([flagged(alarm)]);
  expect(written(collectionIn('accepted'), polled('paid', again)).after).toStrictEqual([]);
  const mismatch = { review: { amountMinor: 2_020 } };
  expect(written(collectionIn('paid'), polled('paid', mismatch)).after).toStrictEqual([]);
});

test('the poll that confirms a payment is one fact, with its duration', () => {
  const confirmed = { kind: 'confirmed', data: { ms: 40 } };
  const { facts } = decideOn(collectionIn('paid, unconfirmed'), polled('paid'), context);
  expect(facts).toStrictEqual([confirmed]);
});

test('an end that a poll reports is the end of the payment', () => {
  for (const status of ['failed', 'expired']) {
    const end = { kind: status, data: { reason: `service_${status}` } };
    expect(written(collectionIn('initiated'), polled(status)).after).toStrictEqual([end]);
    expect(written(collectionIn('initiated'), polled(status, { terminal: false })).after).toStrictEqual([]);
  }
});

test('money in review is suspended with the poll as its source', () => {
  const evidence = polled('initiated', { review: { amountMinor: 1_020 } });
  const data = { amountMinor: 1_020, source: 'poll', paidAt: null };
  expect(written(collectionIn('initiated'), evidence)).toStrictEqual({
    after: [{ kind: 'suspended', data }, opened('amount_mismatch')],
    ...{ alarm: 'amount_mismatch', booked: 'suspense' },
  });
});

test('a poll of a payment confirms the prompt of a restored payment first', () => {
  const { facts } = decideOn(restored('created'), polled('paid'), context);
  expect(facts.map(({ kind }) => kind)).toStrictEqual(['prompt_confirmed', 'polled', 'paid']);
});

test('while the service decides, a poll of a second charge is recorded, and a decision without one ends the review', () => {
  const held = collectionIn('review, at the service');
  const undecided = { after: [], alarm: undefined, booked: '' };
  expect(written(held, polled('initiated', again))).toStrictEqual(undecided);
  const decided = { kind: 'decided', data: { outcome: 'accept', source: 'service' } };
  expect(written(held, polled('paid'))).toStrictEqual({
    ...{ after: [decided], alarm: undefined, booked: 'release' },
  });
});
