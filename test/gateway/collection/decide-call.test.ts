import { expect, test } from 'vitest';
import type { Collection } from '../../../src/gateway/collection/collection.ts';
import type { Evidence } from '../../../src/gateway/collection/evidence.ts';
import type { Fact } from '../../../src/gateway/collection/fact.ts';
import { abandoned, collectionIn, context, decideOn, opened, quote, restored, session } from './support.ts';

/* What each answer to a call writes, fact for fact. The table of `decide.test.ts` has its effect on each state. */

const called = (data: object) => ({ kind: 'called', data });
const orphaned = (sessionId: string) => ({ kind: 'orphaned', data: { sessionId } });

/** Returns the facts and the alarm of a decision. No answer to a call moves money. */
function written(collection: Collection, evidence: Evidence) {
  const { facts, bookings, alarm, send } = decideOn(collection, evidence, context);
  expect({ bookings, send }).toStrictEqual({ bookings: [], send: undefined });
  return [facts, alarm] as const;
}

test.each([
  [{ detail: 'timeout' }, undefined],
  [{ detail: 'http_504', httpStatus: 504, retryAfterMs: 900 }, undefined],
  [{ detail: 'http_401', httpStatus: 401 }, 'key_rejected'],
  [{ detail: 'http_403', httpStatus: 403 }, 'key_rejected'],
])('a call without a conclusive answer is recorded as it ended: %j', (answer, alarm) => {
  const evidence: Evidence = {
    kind: 'call_unknown',
    call: 'initiate',
    outcome: 'rate_limited',
    ...answer,
    ms: 9,
  };
  const fact = called({ call: 'initiate', outcome: 'rate_limited', ...answer, ms: 9 });
  expect(written(collectionIn('initiating'), evidence)).toStrictEqual([[fact], alarm]);
});

const rejection = (call: 'create' | 'initiate', code: string, httpStatus: number): Evidence => ({
  ...{ kind: 'call_rejected', call, code, httpStatus, ms: 9 },
});

test.each<[string, Collection, Evidence, object[], string | undefined]>([
  [
    'of create ends the payment',
    collectionIn('accepted'),
    rejection('create', 'no_wallet', 400),
    [abandoned('no_wallet')],
    undefined,
  ],
  [
    'of a used key is an error of the gateway',
    collectionIn('accepted'),
    rejection('create', 'idempotency_key_reused', 409),
    [abandoned('idempotency_key_reused')],
    'idempotency_key_reused',
  ],
  [
    'of the key of the merchant',
    collectionIn('accepted'),
    rejection('create', 'bad_key', 401),
    [abandoned('bad_key')],
    'key_rejected',
  ],
  [
    'of the key proves nothing about a restored payment',
    restored('accepted'),
    rejection('create', 'bad_key', 401),
    [],
    'key_rejected',
  ],
  [
    'of create proves nothing about a restored payment',
    restored('accepted'),
    rejection('create', 'no_wallet', 400),
    [opened('restored_unknown')],
    'restored_unknown',
  ],
  [
    'of a late create changes no later state',
    collectionIn('created'),
    rejection('create', 'no_wallet', 400),
    [],
    undefined,
  ],
  [
    'of another call than create ends nothing',
    collectionIn('accepted'),
    rejection('initiate', 'refused', 422),
    [],
    undefined,
  ],
  [
    'of initiate ends nothing',
    collectionIn('initiating'),
    rejection('initiate', 'refused', 422),
    [],
    undefined,
  ],
])('a rejection %s', (_, collection, evidence, facts, alarm) => {
  if (evidence.kind !== 'call_rejected') throw new Error('not a rejection');
  const { call, code, httpStatus, ms } = evidence;
  const fact = called({ call, outcome: 'rejected', httpStatus, code, ms });
  expect(written(collection, evidence)).toStrictEqual([[fact, ...facts], alarm]);
});

const created: Fact = {
  kind: 'created',
  data: { sessionId: 'pay_1', goodsMinor: 2_000, ...quote, ms: 80 },
};
const answered = (changed: object = {}, isTaken?: true): Evidence => ({
  ...{ kind: 'create_answered', session: { ...session, ...changed }, ms: 80 },
  ...(isTaken ? { isTaken } : {}),
});

test.each<[string, Collection, Evidence, object[], string?]>([
  ['pins the session and its quote', collectionIn('accepted'), answered(), [created]],
  [
    'pins the session of a restored payment, whatever its state',
    restored('accepted'),
    answered({ status: 'initiated' }),
    [created],
  ],
  [
    'of a session that is initiated needs a person',
    collectionIn('accepted'),
    answered({ status: 'initiated' }),
    [created, opened('session_already_driven')],
    'session_already_driven',
  ],
  [
    'of another reference is never prompted',
    collectionIn('accepted'),
    answered({ reference: 'X' }),
    [created, abandoned('quote_reference')],
    'quote_reference',
  ],
  [
    'of another reference for a restored payment needs a person',
    restored('accepted'),
    answered({ reference: 'X' }),
    [created, opened('quote_reference')],
    'quote_reference',
  ],
  ['that repeats the session changes nothing', collectionIn('initiating'), answered(), []],
  [
    'of a second session only records it',
    collectionIn('initiating'),
    answered({ id: 'pay_2' }),
    [orphaned('pay_2')],
  ],
  [
    'of the session of another payment is never prompted',
    collectionIn('accepted'),
    answered({ id: 'pay_2' }, true),
    [orphaned('pay_2'), abandoned('session_taken')],
    'session_taken',
  ],
  [
    'of the session of another payment, to a restored one, needs a person',
    restored('accepted'),
    answered({ id: 'pay_2' }, true),
    [orphaned('pay_2'), opened('session_taken')],
    'session_taken',
  ],
  [
    'of the session of another payment changes no later state',
    collectionIn('initiating'),
    answered({ id: 'pay_2' }, true),
    [orphaned('pay_2')],
  ],
])('an answer to create %s', (_, collection, evidence, facts, alarm) => {
  expect(written(collection, evidence)).toStrictEqual([facts, alarm]);
});

test.each([
  ['the largest fee that needs no confirmation', null, 50, undefined],
  ['a larger fee that the payer did not see', null, 51, 'quote_fee_too_high'],
  ['a large fee that the payer confirmed', 2_051, 51, undefined],
  ['a lower total than the payer confirmed', 2_051, 50, 'quote_shown_total'],
  ['a higher total than the payer confirmed', 2_051, 52, 'quote_shown_total'],
])('%s', (_, shownTotalMinor, fee, fault) => {
  const collection = { ...collectionIn('accepted'), shownTotalMinor };
  const evidence = answered({ amount_minor: 2_000 + fee, expected_fee_minor: fee });
  const [facts, alarm] = written(collection, evidence);
  expect(facts.slice(1)).toStrictEqual(fault === undefined ? [] : [abandoned(fault)]);
  expect(alarm).toBe(fault);
});

test('the answer to initiate is the state of the prompt only while its call is awaited', () => {
  const at = '2026-03-06T09:00:03.000Z';
  const evidence: Evidence = { kind: 'initiate_answered', initiatedAt: at, ms: 90 };
  expect(written(collectionIn('initiating'), evidence)[0]).toStrictEqual([
    { kind: 'initiated', data: { at, ms: 90 } },
  ]);
  const untimed: Evidence = { kind: 'initiate_answered', ms: 90 };
  expect(written(collectionIn('initiating'), untimed)[0]).toStrictEqual([
    { kind: 'initiated', data: { ms: 90 } },
  ]);
  expect(Object.keys(written(collectionIn('initiating'), untimed)[0][0]?.data ?? {})).toStrictEqual(['ms']);
  expect(written(collectionIn('failed'), evidence)[0]).toStrictEqual([
    called({ call: 'initiate', outcome: 'ok', ms: 90 }),
  ]);
});
