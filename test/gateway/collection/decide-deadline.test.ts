import { expect, test } from 'vitest';
import type { Collection } from '../../../src/gateway/collection/collection.ts';
import {
  type DecideContext,
  maxRequestDelayMs,
  watchMs,
} from '../../../src/gateway/collection/decide/decision.ts';
import type { Evidence } from '../../../src/gateway/collection/evidence.ts';
import {
  abandoned,
  collectionIn,
  context,
  day,
  decideOn,
  flagged,
  intent,
  opened,
  paidEvidence,
  polled,
  promptAt,
  restored,
  type Situation,
} from './support.ts';

/* What time does to a collection: its deadlines to the millisecond, a clock that was ahead, and a restored ledger. */

const due: Evidence = { kind: 'due' };
const paidAt = '2026-03-06T09:00:10.000Z';
const lapsed = { kind: 'lapsed', data: {} };
const corrected = (now: number) => ({ kind: 'clock_corrected', data: { now } });

/** Returns the facts and the alarm of a decision at this time. */
function written(collection: Collection, evidence: Evidence, changed: Partial<DecideContext>) {
  const { facts, alarm } = decideOn(collection, evidence, { ...context, ...changed });
  return [facts, alarm] as const;
}

const retryAt = promptAt + context.retryAllowedAfterMs;
const alarmAt = promptAt + context.unconfirmedAlarmAfterMs;
const watched = promptAt + watchMs;
const { promptNotBefore, promptDeadline, openedAt } = intent;
const suspended = { kind: 'suspended', data: { amountMinor: 2_020, source: 'webhook', paidAt } };
const undecided = { kind: 'service_undecided', data: { reason: 'no_outcome' } };

test.each<[string, Collection, number, object[], string?]>([
  ['a payment is not prompted before its time', collectionIn('created'), promptNotBefore - 1, []],
  [
    'a payment is prompted at its time',
    collectionIn('created'),
    promptNotBefore,
    [{ kind: 'prompt_requested', data: { send: 1 } }],
  ],
  [
    'a payment is prompted until its deadline',
    collectionIn('created'),
    promptDeadline - 1,
    [{ kind: 'prompt_requested', data: { send: 1 } }],
  ],
  [
    'a payment is prompted no more at its deadline',
    collectionIn('created'),
    promptDeadline,
    [abandoned('prompt_deadline')],
  ],
  ['a payment without a session is not prompted', collectionIn('accepted'), promptNotBefore, []],
  [
    'a payment without a session ends at its deadline',
    collectionIn('accepted'),
    promptDeadline,
    [abandoned('prompt_deadline')],
  ],
  ['a payer waits until a retry is allowed', collectionIn('initiated'), retryAt - 1, []],
  ['a payer may retry', collectionIn('initiated'), retryAt, [lapsed]],
  [
    'that a payer may retry is recorded once',
    { ...collectionIn('initiated'), lapsedAt: retryAt },
    retryAt + 1,
    [],
  ],
  ['a prompt is watched to the end', { ...collectionIn('initiated'), lapsedAt: retryAt }, watched - 1, []],
  [
    'a prompt without a result needs a person',
    { ...collectionIn('initiated'), lapsedAt: retryAt },
    watched,
    [opened('no_outcome')],
    'no_outcome',
  ],
  ['a payment is unconfirmed for a while', collectionIn('paid, unconfirmed'), alarmAt - 1, []],
  [
    'a payment is unconfirmed for too long',
    collectionIn('paid, unconfirmed'),
    alarmAt,
    [flagged('unconfirmed_paid')],
    'unconfirmed_paid',
  ],
  [
    'an unconfirmed payment is flagged once',
    { ...collectionIn('paid, unconfirmed'), review: 'unconfirmed_paid' },
    alarmAt,
    [],
  ],
  [
    'an unconfirmed payment is watched to the end',
    { ...collectionIn('paid, unconfirmed'), review: 'unconfirmed_paid' },
    watched - 1,
    [],
  ],
  [
    'a payment that no poll confirms is not proven',
    collectionIn('paid, unconfirmed'),
    watched,
    [suspended, opened('unconfirmed_paid')],
    'unconfirmed_paid',
  ],
  ['the service has time to decide', collectionIn('review, at the service'), watched - 1, []],
  [
    'the service has not decided in time',
    collectionIn('review, at the service'),
    watched,
    [undecided],
    'no_outcome',
  ],
  ['a restored payment is not prompted', restored('created'), promptNotBefore, []],
  ['a restored payment does not end at its deadline', restored('accepted'), promptDeadline, []],
  ['the payer of a restored payment waits', restored('created'), retryAt - 1, []],
  ['the payer of a restored payment may retry', restored('created'), retryAt, [lapsed]],
  [
    'that the payer of a restored payment may retry is recorded once',
    { ...restored('created'), lapsedAt: retryAt },
    watched - 1,
    [],
  ],
  [
    'a restored payment without a result needs a person',
    { ...restored('created'), lapsedAt: retryAt },
    watched,
    [opened('restored_unknown')],
    'restored_unknown',
  ],
  ['a payment that has ended is due no more', collectionIn('failed'), watched, []],
])('%s', (_, collection, now, facts, alarm) => {
  expect(written(collection, due, { now })).toStrictEqual([facts, alarm]);
});

test('each prompt counts, and without the lease none is requested', () => {
  const again = { ...collectionIn('created'), initiateSends: 1 };
  expect(written(again, due, {})[0]).toStrictEqual([{ kind: 'prompt_requested', data: { send: 2 } }]);
  expect(written(again, due, { maySend: false })[0]).toStrictEqual([]);
  expect(decideOn(again, due, context).send).toBe('initiate');
});

const before = openedAt - 30 * day;

test.each<[string, Collection, number, (now: number) => object[]]>([
  [
    'of a payment that is not prompted lie ahead: its payer is not prompted long after',
    collectionIn('accepted'),
    before,
    () => [abandoned('clock_ahead')],
  ],
  [
    'of a payment with a session lie ahead: its payer is not prompted long after',
    collectionIn('created'),
    openedAt - 1,
    () => [abandoned('clock_ahead')],
  ],
  ['of a payment that is not prompted are right', collectionIn('created'), openedAt, () => []],
  ['of a restored payment lie ahead', restored('accepted'), before, (now) => [corrected(now)]],
  [
    'of a restored payment lie ahead of the restore',
    restored('accepted', before),
    before,
    (now) => [corrected(now)],
  ],
  ['of a restore lie ahead', restored('accepted'), promptAt - 1, (now) => [corrected(now)]],
  ['of a restored payment are right', restored('accepted'), promptAt, () => []],
  ['of a prompt lie ahead', collectionIn('initiating'), promptAt - 1, (now) => [corrected(now)]],
  ['of a prompt are right', collectionIn('initiating'), promptAt, () => []],
  [
    'of a prompt are corrected already',
    { ...collectionIn('initiating'), promptNotBefore: before, initiateSentAt: before },
    before,
    () => [],
  ],
  [
    'of an unconfirmed payment lie ahead',
    collectionIn('paid, unconfirmed'),
    promptAt - 1,
    (now) => [corrected(now)],
  ],
  ['of an unconfirmed payment are right', collectionIn('paid, unconfirmed'), promptAt, () => []],
  ['of a confirmed payment do not matter', collectionIn('paid'), before, () => []],
  [
    'of a review at the service lie ahead',
    collectionIn('review, at the service'),
    promptAt - 1,
    (now) => [corrected(now)],
  ],
  ['of a review at the service are right', collectionIn('review, at the service'), promptAt, () => []],
  ['of another review do not matter', collectionIn('review, suspended'), before, () => []],
])('after the correction of a clock, the times %s', (_, collection, now, facts) => {
  expect(written(collection, { kind: 'clock_corrected' }, { now })).toStrictEqual([facts(now), undefined]);
});

test('a poll of no prompt proves that there is none when no request of the original ledger can arrive', () => {
  const factsOf = (situation: Situation, ms: number) =>
    written(restored(situation), polled('created', { requestedAt: promptAt + ms }), {})[0].slice(1);
  for (const situation of ['created', 'initiating'] as const) {
    expect(factsOf(situation, maxRequestDelayMs - 1)).toStrictEqual([]);
    expect(factsOf(situation, maxRequestDelayMs)).toStrictEqual([abandoned('restored')]);
  }
  expect(factsOf('initiated', maxRequestDelayMs)).toStrictEqual([]);
  expect(factsOf('accepted', maxRequestDelayMs)).toStrictEqual([]);
});

test('evidence of a prompt is recorded before what it proves, and only once', () => {
  const kindsOf = (collection: Collection, evidence: Evidence) =>
    written(collection, evidence, {})[0].map(({ kind }) => kind);
  for (const situation of ['created', 'initiating'] as const) {
    expect(kindsOf(restored(situation), polled('initiated'))).toStrictEqual([
      ...['polled', 'prompt_confirmed', 'initiated'],
    ]);
    expect(kindsOf(restored(situation), paidEvidence())).toStrictEqual(['prompt_confirmed', 'paid']);
    expect(kindsOf(restored(situation), polled('paid'))).toStrictEqual([
      'prompt_confirmed',
      'polled',
      'paid',
    ]);
  }
  expect(kindsOf(restored('initiated'), polled('initiated'))).toStrictEqual(['polled', 'prompt_confirmed']);
  expect(kindsOf(collectionIn('initiated'), polled('initiated'))).toStrictEqual(['polled']);
  expect(kindsOf(restored('accepted'), polled('initiated'))).toStrictEqual(['polled']);
  expect(kindsOf(restored('failed'), polled('initiated'))).toStrictEqual(['polled']);
  expect(written(restored('created'), polled('initiated'), {})[0].slice(1)).toStrictEqual([
    { kind: 'prompt_confirmed', data: {} },
    { kind: 'initiated', data: {} },
  ]);
});
