import { expect, test } from 'vitest';
import { errorBody } from '../../src/contract/error.ts';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import {
  tolerantInitiatedSession,
  tolerantOfflineSession,
  tolerantSessionStatus,
} from '../../src/contract/service/reading.ts';
import type { PushResult } from '../../src/service/rail/rail.ts';
import { plantTrigger, removeTrigger } from '../kit/failing-statements.ts';
import {
  type Bench,
  type Call,
  create,
  goods,
  initiate,
  json,
  newLiveMerchant,
  newMerchant,
  openBench,
  openLiveMerchant,
  openMerchant,
  poll,
  post,
  pushed,
  refusal,
} from './support.ts';

const sessions = '/v1/payments/sessions';

test('an offline create returns 201 with the documented fields and adds the fee to the goods', async () => {
  const { bench, key } = await openMerchant();
  const answer = await post(bench, sessions, { key, idempotencyKey: 'k1', body: goods });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('content-type')).toBe('application/json');
  const body = await answer.json();
  expect(tolerantOfflineSession.safeParse(body).success).toBe(true);
  expect(body).toEqual({
    id: expect.stringMatching(/^pay_[0-9a-z]{26}$/),
    mode: 'offline',
    channel: 'ussd',
    network: 'mtn',
    goods_minor: 2_000,
    amount_minor: 2_020,
    expected_fee_minor: 20,
    expected_net_minor: 2_000,
    status: 'created',
    reference: 'INV-7',
    payer_msisdn: '0244123456',
  });
  expect((await bench.service.statement()).pushes).toBe(0);
});

test('initiate pushes one prompt and returns when the rail has accepted it, without waiting for the payer', async () => {
  const { bench, key } = await openMerchant();
  const id = await create(bench, key);
  const answer = await initiate(bench, key, id);
  expect(answer.status).toBe(200);
  const body = await answer.json();
  expect(tolerantInitiatedSession.safeParse(body).success).toBe(true);
  expect(body).toEqual({ id, status: 'initiated', mode: 'offline', channel: 'ussd' });
  expect(await bench.service.statement()).toMatchObject({
    sessions: [{ sessionId: id, reference: 'INV-7', status: 'initiated', pushes: 1, chargedMinor: 0 }],
    pushes: 1,
    chargedMinor: 0,
  });
});

test('a poll returns whether the status is final, the time of payment, and when to poll again', async () => {
  const { bench, key } = await openMerchant();
  const { id, promptId } = await pushed(bench, key);
  const open = await poll(bench, key, id);
  expect(open).toEqual({
    status: 200,
    body: { id, status: 'initiated', terminal: false, retry_after_seconds: 3 },
  });
  await bench.clock.advance(7_250);
  await bench.service.phone.approve(promptId, '1234');
  const paid = await poll(bench, key, id);
  expect(tolerantSessionStatus.safeParse(paid.body).success).toBe(true);
  expect(paid.body).toEqual({
    id,
    status: 'paid',
    terminal: true,
    paid_at: '2026-03-06T09:00:07.250Z',
    retry_after_seconds: null,
    paid_minor: 2_020,
  });
});

const without = (field: keyof typeof goods) => ({ ...goods, [field]: undefined });

test.each<[string, Call, { status: number; code: string; param?: string }]>([
  ['a local number', { body: { ...goods, msisdn: '0244123456' } }, { status: 400, code: 'invalid_msisdn' }],
  [
    'a number as a number',
    { body: { ...goods, msisdn: 233244123456 } },
    { status: 400, code: 'invalid_msisdn' },
  ],
  ['13 digits', { body: { ...goods, msisdn: '2332441234567' } }, { status: 400, code: 'invalid_msisdn' }],
  ['no number', { body: without('msisdn') }, { status: 400, code: 'missing_field', param: 'msisdn' }],
  [
    'no reference',
    { body: without('reference') },
    { status: 400, code: 'missing_field', param: 'reference' },
  ],
  [
    'a long reference',
    { body: { ...goods, reference: 'x'.repeat(65) } },
    { status: 400, code: 'invalid_reference' },
  ],
  ['an amount of 0', { body: { ...goods, amount_minor: 0 } }, { status: 400, code: 'invalid_amount' }],
  ['half a pesewa', { body: { ...goods, amount_minor: 0.5 } }, { status: 400, code: 'invalid_amount' }],
  ['too much', { body: { ...goods, amount_minor: 100_000_001 } }, { status: 400, code: 'invalid_amount' }],
  ['an amount as text', { body: { ...goods, amount_minor: '20' } }, { status: 400, code: 'invalid_amount' }],
  ['another network', { body: { ...goods, network: 'glo' } }, { status: 400, code: 'unknown_network' }],
  ['an unknown field', { body: { ...goods, tip: 5 } }, { status: 400, code: 'unknown_field', param: 'tip' }],
  [
    'a made-up mode',
    { body: { ...goods, mode: 'fax' } },
    { status: 400, code: 'invalid_mode', param: 'mode' },
  ],
  ['no JSON', { body: '{"msisdn":' }, { status: 400, code: 'invalid_json' }],
  ['a JSON list', { body: '[]' }, { status: 400, code: 'invalid_json' }],
  [
    'a form',
    { body: goods, headers: { 'content-type': 'text/plain' } },
    { status: 415, code: 'unsupported_media_type' },
  ],
  ['64 KiB and a byte', { body: 'x'.repeat(65_537) }, { status: 413, code: 'body_too_large' }],
  [
    'a key of 256 characters',
    { idempotencyKey: 'k'.repeat(256) },
    { status: 400, code: 'invalid_idempotency_key', param: 'Idempotency-Key' },
  ],
])('a create with %s is rejected and writes nothing', async (_, call, expected) => {
  const { bench, key } = await openMerchant();
  const answer = await post(bench, sessions, { key, idempotencyKey: 'k', body: goods, ...call });
  const requestId = answer.headers.get('request-id');
  const body = errorBody.parse(await answer.clone().json());
  expect(await refusal(answer)).toMatchObject(expected);
  expect(body.request_id).toBe(requestId);
  expect((await bench.service.statement()).sessions).toEqual([]);
});

test('an offline create without an idempotency key is rejected', async () => {
  const { bench, key } = await openMerchant();
  expect(await refusal(await post(bench, sessions, { key, body: goods }))).toEqual({
    status: 400,
    code: 'idempotency_key_required',
    param: 'Idempotency-Key',
  });
});

test('an offline create needs the scope, and an approved merchant', async () => {
  const bench = openBench();
  const { id: merchantId } = await bench.service.createMerchant({ name: 'New' });
  const { key } = await bench.service.createKey({ merchantId, livemode: false, scopes: allScopes });
  const { key: bare } = await bench.service.createKey({ merchantId, livemode: false, scopes: [] });
  const ask = async (with_: string) =>
    refusal(await post(bench, sessions, { key: with_, idempotencyKey: 'k', body: goods }));
  expect(await ask(bare)).toMatchObject({ status: 403, code: 'offline_scope_required' });
  expect(await ask(key)).toMatchObject({ status: 403, code: 'offline_mode_not_enabled' });
  await bench.service.approveOffline(merchantId);
  expect(await ask(bare)).toMatchObject({ status: 403, code: 'offline_scope_required' });
  expect((await post(bench, sessions, { key, idempotencyKey: 'k', body: goods })).status).toBe(201);
});

test('a missing and a malformed key have errors of their own; unknown and revoked keys share one', async () => {
  const { bench, merchantId } = await openMerchant();
  const { id, key: revoked } = await bench.service.createKey({
    merchantId,
    livemode: false,
    scopes: allScopes,
  });
  await bench.service.revokeKey(id);
  const cases: [string | undefined, string][] = [
    [undefined, 'missing_api_key'],
    ['', 'missing_api_key'],
    ['Bearer pk_test_x', 'malformed_api_key'],
    ['Bearer sk_test_', 'malformed_api_key'],
    ['Bearer sk_test_%C3%A4 x', 'malformed_api_key'],
    [`Basic ${revoked}`, 'malformed_api_key'],
    ['Bearer sk_test_nobody', 'invalid_api_key'],
    [`Bearer ${revoked}`, 'invalid_api_key'],
    [`Bearer ${revoked}x`, 'invalid_api_key'],
  ];
  for (const [authorization, code] of cases) {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await post(bench, sessions, { headers, idempotencyKey: 'k', body: goods });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await refusal(answer)).toEqual({ status: 401, code, param: undefined });
  }
});

test('sessions of another merchant or mode are not distinguishable from unknown ones', async () => {
  const bench = openBench();
  const mine = await newLiveMerchant(bench);
  const other = await newMerchant(bench, 'Kofi Cosmetics');
  const id = await create(bench, mine.key);
  for (const [key, session] of [
    [other.key, id],
    [mine.liveKey, id],
    [mine.key, 'pay_none'],
  ] as const) {
    expect(await refusal(await initiate(bench, key, session))).toMatchObject({
      status: 404,
      code: 'session_not_found',
    });
    expect((await poll(bench, key, session)).status).toBe(404);
  }
  expect((await bench.service.statement()).pushes).toBe(0);
});

test('test and live data are separate: one idempotency key can be used in both modes', async () => {
  const { bench, key, liveKey } = await openLiveMerchant();
  const call = { idempotencyKey: 'same', body: goods };
  const sandbox = await json(await post(bench, sessions, { key, ...call }));
  const live = await json(await post(bench, sessions, { key: liveKey, ...call }));
  expect(live.id).not.toBe(sandbox.id);
  expect((await bench.service.statement()).sessions.map((row) => row.livemode)).toEqual([0, 1]);
});

test('a second initiate pushes nothing, with any key', async () => {
  const { bench, key } = await openMerchant();
  const id = await create(bench, key);
  expect((await initiate(bench, key, id, 'a')).status).toBe(200);
  for (const idempotencyKey of ['b', undefined]) {
    expect(await refusal(await initiate(bench, key, id, idempotencyKey))).toMatchObject({
      status: 409,
      code: 'session_already_initiated',
    });
  }
  expect((await bench.service.statement()).pushes).toBe(1);
});

test('concurrent initiates push once', async () => {
  const { bench, key } = await openMerchant({ config: { rail: { acceptDelayMs: 500 } } });
  const id = await create(bench, key);
  const calls = Array.from({ length: 8 }, (_, index) => initiate(bench, key, id, `initiate-${index}`));
  await bench.clock.advance(500);
  const statuses = (await Promise.all(calls)).map((answer) => answer.status).sort();
  expect(statuses).toEqual([200, ...Array(7).fill(409)]);
  expect((await bench.service.statement()).pushes).toBe(1);
});

test('an initiate with fields is rejected, and one without a body is accepted', async () => {
  const { bench, key } = await openMerchant();
  const id = await create(bench, key);
  const path = `${sessions}/${id}/initiate`;
  expect(await refusal(await post(bench, path, { key, body: { force: true } }))).toEqual({
    status: 400,
    code: 'unknown_field',
    param: 'force',
  });
  expect((await post(bench, path, { key, body: '' })).status).toBe(200);
});

test('a session that is not initiated expires after 30 minutes and can then not be initiated', async () => {
  const { bench, key } = await openMerchant();
  const id = await create(bench, key);
  await bench.clock.advance(30 * 60_000 - 1);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'created', terminal: false });
  await bench.clock.advance(1);
  expect((await poll(bench, key, id)).body).toEqual({
    id,
    status: 'expired',
    terminal: true,
    retry_after_seconds: null,
    reason: 'never_initiated',
  });
  expect(await refusal(await initiate(bench, key, id))).toMatchObject({
    status: 409,
    code: 'session_closed',
  });
  expect(await bench.service.statement()).toMatchObject({ pushes: 0 });
  expect(bench.received).toEqual([]);
});

test('a rejected push fails the session, and a replay returns the same error', async () => {
  const { bench, key } = await openMerchant({
    wrapRail: (rail) => ({ ...rail, push: async () => ({ kind: 'rejected', reason: 'barred' }) }),
  });
  const id = await create(bench, key);
  const first = await initiate(bench, key, id, 'i');
  const bytes = await first.clone().text();
  expect(await refusal(first)).toMatchObject({ status: 502, code: 'rail_refused' });
  const replay = await initiate(bench, key, id, 'i');
  expect([replay.status, await replay.text()]).toEqual([502, bytes]);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'failed', terminal: true });
});

test('a session whose rail never answers stays initiated, is never pushed again, and fails once an inquiry proves that it was not prompted', async () => {
  const bench = openBench({
    wrapRail: (rail, clock) => ({
      ...rail,
      async push(_, signal) {
        await clock.sleep(3_600_000, signal);
        throw new Error('no answer');
      },
    }),
  });
  const { key } = await newMerchant(bench);
  const id = await create(bench, key);
  const answer = initiate(bench, key, id, 'i');
  await bench.clock.advance(15_000);
  expect(await refusal(await answer)).toMatchObject({ status: 504, code: 'rail_unknown' });
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'initiated' });
  expect((await initiate(bench, key, id, 'i')).status).toBe(504);
  expect((await initiate(bench, key, id, 'j')).status).toBe(409);
  await bench.clock.advance(180_000);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'failed', reason: 'not_prompted' });
});

/** A rail after whose every push the disk refuses what `trigger` says. */
function failingAfterPush(trigger: string, answer: () => PushResult) {
  const bench: Bench = openBench({
    wrapRail: (rail) => ({
      ...rail,
      async push() {
        plantTrigger(
          bench.file,
          'full',
          `BEFORE UPDATE ${trigger} BEGIN SELECT RAISE(ABORT, 'no room'); END`,
        );
        return answer();
      },
    }),
  });
  return bench;
}

test.each<[string, string, () => PushResult]>([
  [
    'an unknown push',
    'OF body ON idempotency',
    () => {
      throw new Error('the answer was lost');
    },
  ],
  [
    'a refused push',
    `OF status ON payment_session WHEN NEW.status = 'failed'`,
    () => ({ kind: 'rejected', reason: 'barred' }),
  ],
])(
  'when the disk fails after %s, the response is rail_unknown and does not invite a second push',
  async (_, trigger, pushAnswer) => {
    const bench = failingAfterPush(trigger, pushAnswer);
    const { key } = await newMerchant(bench);
    const id = await create(bench, key);
    expect(await refusal(await initiate(bench, key, id, 'i'))).toMatchObject({
      status: 504,
      code: 'rail_unknown',
    });
    expect((await poll(bench, key, id)).body).toMatchObject({ status: 'initiated' });
    const replay = await initiate(bench, key, id, 'i');
    expect([replay.status, await json(replay)]).toEqual([
      200,
      expect.objectContaining({ status: 'initiated' }),
    ]);
    expect((await initiate(bench, key, id, 'j')).status).toBe(409);
    expect(bench.logged.filter((line) => line.includes('"level":"error"')).join('')).toContain(id);
    await bench.service.stop();
    removeTrigger(bench.file, 'full');
    await bench.restart();
    await bench.clock.advance(200_000);
    expect((await poll(bench, key, id)).body).toMatchObject({ status: 'failed', reason: 'not_prompted' });
  },
);

test('initiate needs the scope of its session’s mode and does not save the error; a poll needs no scope', async () => {
  const { bench, merchantId, key } = await openMerchant();
  const keyWith = async (...scopes: string[]) =>
    (await bench.service.createKey({ merchantId, livemode: false, scopes })).key;
  const [reading, web, offline] = [
    await keyWith('events:read', 'sessions:read'),
    await keyWith('collections:web'),
    await keyWith('collections:offline'),
  ];
  const webSession = await json(
    await post(bench, sessions, { key, body: { msisdn: goods.msisdn, amount_minor: 2_000, network: 'mtn' } }),
  );
  const cases = [
    [await create(bench, key), offline, web, 'collections:offline'],
    [String(webSession.id), web, offline, 'collections:web'],
  ] as const;
  for (const [id, able, unable, scope] of cases) {
    for (const other of [reading, unable]) {
      const answer = await initiate(bench, other, id, id);
      expect(errorBody.parse(await answer.clone().json()).error.message).toContain(scope);
      expect(await refusal(answer)).toMatchObject({ status: 403, code: 'scope_required' });
      expect((await poll(bench, other, id)).body).toMatchObject({ status: 'created' });
    }
    expect((await initiate(bench, able, id, id)).status).toBe(200);
  }
  expect((await bench.service.statement()).pushes).toBe(2);
});

test('a session keeps its status across a restart, and its prompt can still be approved', async () => {
  const { bench, key } = await openMerchant();
  const { id, promptId } = await pushed(bench, key);
  await bench.restart();
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'initiated' });
  await bench.service.phone.approve(promptId, '1234');
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'paid' });
});

test('an unknown address gets an error of the same form, and the health check needs no key', async () => {
  const bench: Bench = openBench();
  expect(await refusal(await post(bench, '/v2/payments', {}))).toMatchObject({
    status: 404,
    code: 'not_found',
  });
  expect((await bench.service.app.request('/healthz')).status).toBe(200);
});
