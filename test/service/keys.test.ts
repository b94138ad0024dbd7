import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import { ask } from './admin-client.ts';
import {
  type Bench,
  create,
  goods,
  initiate,
  json,
  newMerchant,
  openBench,
  openLiveMerchant,
  openMerchant,
  poll,
  post,
  refusal,
} from './support.ts';

const minute = 60_000;
const hour = 60 * minute;

/** An approved merchant with one test key of these scopes. */
async function keyed(bench: Bench, of: readonly string[] = allScopes) {
  const { merchantId, key: full } = await newMerchant(bench);
  const answer = await ask(bench, 'POST', `/merchants/${merchantId}/keys`, { livemode: false, scopes: of });
  expect(answer.status).toBe(201);
  const { id, key } = await json(answer);
  return { merchantId, full, id: String(id), key: String(key) };
}

/** What the call of a key is answered: its status, and the code when it is refused. */
async function outcome(answer: Response): Promise<[number, string?]> {
  if (answer.ok) return [answer.status];
  const { status, code } = await refusal(answer);
  return [status, code];
}

const get = async (bench: Bench, path: string, key: string) =>
  bench.service.app.request(path, { headers: { authorization: `Bearer ${key}` } });

let orders = 0;
const offline = (bench: Bench, key: string) =>
  post(bench, '/v1/payments/sessions', { key, idempotencyKey: `key-${++orders}`, body: goods });
const works = (bench: Bench, key: string) => get(bench, '/v1/payments/sessions', key).then(outcome);

describe('scopes', () => {
  const web = { msisdn: goods.msisdn, amount_minor: 2_000, network: 'mtn' };
  const otp = { msisdn: goods.msisdn, purpose: 'collection', collection: { amount_minor: 2_000 } };

  /** Each operation, the scope that it needs, and how it is refused without. */
  const operations: [string, string | undefined, [number, string], Ask][] = [
    [
      'an offline create',
      'collections:offline',
      [403, 'offline_scope_required'],
      (b, key) => offline(b, key),
    ],
    [
      'a web create',
      'collections:web',
      [403, 'scope_required'],
      (b, key) => post(b, '/v1/payments/sessions', { key, body: web }),
    ],
    [
      'an OTP request',
      'collections:web',
      [403, 'scope_required'],
      (b, key) => post(b, '/v1/otp/request', { key, body: otp }),
    ],
    [
      'an OTP verify',
      'collections:web',
      [403, 'scope_required'],
      (b, key) => post(b, '/v1/otp/verify', { key, body: { otp_request_id: 'otpr_none', code: '123456' } }),
    ],
    [
      'a look-up',
      'sessions:read',
      [403, 'scope_required'],
      (b, key, id) => get(b, `/v1/payments/sessions/${id}`, key),
    ],
    ['a list', 'sessions:read', [403, 'scope_required'], (b, key) => get(b, '/v1/payments/sessions', key)],
    ['the events', 'events:read', [403, 'scope_required'], (b, key) => get(b, '/v1/events', key)],
    ['one event', 'events:read', [403, 'scope_required'], (b, key) => get(b, '/v1/events/evt_none', key)],
    [
      'an initiate',
      'collections:offline',
      [403, 'scope_required'],
      (b, key, id) => post(b, `/v1/payments/sessions/${id}/initiate`, { key }),
    ],
    [
      'a poll',
      undefined,
      [403, 'scope_required'],
      (b, key, id) => get(b, `/v1/payments/sessions/${id}/status`, key),
    ],
  ];
  type Ask = (bench: Bench, key: string, session: string) => Promise<Response> | Response;

  test.each(operations)('%s needs the scope %s and no other', async (_, needed, refused, call) => {
    const bench = openBench();
    const { full, merchantId } = await keyed(bench);
    const session = await create(bench, full);
    const keyOf = async (of: readonly string[]) =>
      (await bench.service.createKey({ merchantId, livemode: false, scopes: of })).key;
    const others = allScopes.filter((scope) => scope !== needed);
    const without = await outcome(await call(bench, await keyOf(needed ? others : []), session));
    if (needed) expect(without).toEqual(refused);
    else expect(without).toEqual([200]);
    if (needed === undefined) return;
    const [status, code] = await outcome(await call(bench, await keyOf([needed]), session));
    expect([status, code]).not.toEqual(refused);
    // What is named does not exist; the scope let the call through to where that shows.
    expect([200, 201, 404]).toContain(status);
  });

  test('a key with an unknown scope is not created', async () => {
    const bench = openBench();
    const { id: merchantId } = await bench.service.createMerchant({ name: 'Ama Foods' });
    const asked = { livemode: false, scopes: ['collections:offline', 'everything'] };
    expect(await refusal(await ask(bench, 'POST', `/merchants/${merchantId}/keys`, asked))).toMatchObject({
      status: 400,
      code: 'invalid_scope',
    });
  });
});

describe('approval', () => {
  test("an offline create needs the merchant's approval, and granting or withdrawing it takes effect at once", async () => {
    const bench = openBench();
    const { id } = await bench.service.createMerchant({ name: 'Ama Foods' });
    const { key } = await bench.service.createKey({ merchantId: id, livemode: false, scopes: allScopes });
    expect(await outcome(await offline(bench, key))).toEqual([403, 'offline_mode_not_enabled']);
    await ask(bench, 'POST', `/merchants/${id}/approve-offline`);
    expect(await outcome(await offline(bench, key))).toEqual([201]);
    const session = await create(bench, key);
    const withdrawn = await ask(bench, 'POST', `/merchants/${id}/withdraw-offline`);
    expect(await json(withdrawn)).toMatchObject({ id, offline_approved_at: null });
    expect(await outcome(await offline(bench, key))).toEqual([403, 'offline_mode_not_enabled']);
    expect((await post(bench, `/v1/payments/sessions/${session}/initiate`, { key })).status).toBe(200);
  });

  test('a missing scope is reported before a missing approval, in the order of the interface', async () => {
    const bench = openBench();
    const { merchantId, key } = await keyed(bench, ['collections:web']);
    await ask(bench, 'POST', `/merchants/${merchantId}/withdraw-offline`);
    expect(await outcome(await offline(bench, key))).toEqual([403, 'offline_scope_required']);
  });
});

describe('rotation', () => {
  async function rotated(bench: Bench, id: string, body: object = {}) {
    const answer = await ask(bench, 'POST', `/keys/${id}/rotate`, body);
    expect(answer.status).toBe(201);
    return json(answer);
  }

  test('the old and the new key both work during the overlap, to the millisecond, then only the new one', async () => {
    const bench = openBench();
    const { id, key } = await keyed(bench, ['sessions:read']);
    const made = await rotated(bench, id, { overlap_seconds: 3_600 });
    expect(made.old_key_expires_at).toBe('2026-03-06T10:00:00.000Z');
    const next = String(made.key);
    expect([await works(bench, key), await works(bench, next)]).toEqual([[200], [200]]);
    await bench.clock.advance(hour - 1);
    expect([await works(bench, key), await works(bench, next)]).toEqual([[200], [200]]);
    await bench.clock.advance(1);
    expect([await works(bench, key), await works(bench, next)]).toEqual([[401, 'invalid_api_key'], [200]]);
  });

  test('the new key has the merchant, platform, mode and scopes of the old one', async () => {
    const bench = openBench();
    const { merchantId, id } = await keyed(bench, ['events:read']);
    const made = await rotated(bench, id);
    const { data: keys } = await json(await ask(bench, 'GET', `/merchants/${merchantId}/keys`));
    const rows = keys as Record<string, unknown>[];
    const [old, next] = [id, made.id].map((one) => rows.find((row) => row.id === one));
    expect(old).toMatchObject({ expires_at: '2026-03-07T09:00:00.000Z', scopes: ['events:read'] });
    expect(next).toMatchObject({
      platform_id: old?.platform_id,
      livemode: false,
      scopes: ['events:read'],
      expires_at: null,
    });
  });

  test('without an overlap the old key expires at once', async () => {
    const bench = openBench();
    const { id, key } = await keyed(bench);
    await rotated(bench, id, { overlap_seconds: 0 });
    expect(await works(bench, key)).toEqual([401, 'invalid_api_key']);
  });

  test('a second rotation never extends the life of a key', async () => {
    const bench = openBench();
    const { id, key } = await keyed(bench);
    await rotated(bench, id, { overlap_seconds: 60 });
    expect(await rotated(bench, id, { overlap_seconds: 3_600 })).toMatchObject({
      old_key_expires_at: '2026-03-06T09:01:00.000Z',
    });
    await bench.clock.advance(minute);
    expect(await works(bench, key)).toEqual([401, 'invalid_api_key']);
  });

  test('an expired or revoked key cannot be rotated', async () => {
    const bench = openBench();
    const revoked = await keyed(bench);
    await ask(bench, 'POST', `/keys/${revoked.id}/revoke`);
    const expired = await keyed(bench);
    await rotated(bench, expired.id, { overlap_seconds: 1 });
    await bench.clock.advance(1_000);
    for (const { id } of [revoked, expired]) {
      expect(await outcome(await ask(bench, 'POST', `/keys/${id}/rotate`, {}))).toEqual([409, 'key_revoked']);
    }
  });

  test.each([[{ overlap_seconds: -1 }], [{ overlap_seconds: 7 * 86_400 + 1 }], [{ overlap_seconds: '60' }]])(
    'an overlap of %j is refused',
    async (body) => {
      const bench = openBench();
      const { id } = await keyed(bench);
      const refused = await ask(bench, 'POST', `/keys/${id}/rotate`, body);
      expect(await refusal(refused)).toEqual({
        status: 400,
        code: 'invalid_field',
        param: 'overlap_seconds',
      });
    },
  );

  test('the rotation of an unknown key is rejected', async () => {
    const refused = await ask(openBench(), 'POST', '/keys/key_none/rotate', {});
    expect(await refusal(refused)).toMatchObject({ status: 404, code: 'key_not_found' });
  });
});

test('a revoked key is rejected from the next call on, and a second revocation changes nothing', async () => {
  const bench = openBench();
  const { merchantId, id, key } = await keyed(bench);
  expect(await works(bench, key)).toEqual([200]);
  await ask(bench, 'POST', `/keys/${id}/revoke`);
  expect(await works(bench, key)).toEqual([401, 'invalid_api_key']);
  await bench.clock.advance(hour);
  expect((await ask(bench, 'POST', `/keys/${id}/revoke`)).status).toBe(200);
  const { data: keys } = await json(await ask(bench, 'GET', `/merchants/${merchantId}/keys`));
  expect(keys).toContainEqual(expect.objectContaining({ id, revoked_at: '2026-03-06T09:00:00.000Z' }));
});

test('the last use of a key is stored at most once a minute', async () => {
  const bench = openBench();
  const { merchantId, id, key } = await keyed(bench);
  const lastUse = async () => {
    await bench.clock.advance(0);
    const { data: keys } = await json(await ask(bench, 'GET', `/merchants/${merchantId}/keys`));
    return (keys as Record<string, unknown>[]).find((one) => one.id === id)?.last_used_at;
  };
  expect(await lastUse()).toBeNull();
  await works(bench, key);
  expect(await lastUse()).toBe('2026-03-06T09:00:00.000Z');
  await bench.clock.advance(minute - 1);
  await works(bench, key);
  expect(await lastUse()).toBe('2026-03-06T09:00:00.000Z');
  await bench.clock.advance(1);
  await works(bench, key);
  expect(await lastUse()).toBe('2026-03-06T09:01:00.000Z');
});

test('a key cannot read the sessions of the other mode', async () => {
  const { bench, key, liveKey } = await openLiveMerchant();
  const [testSession, liveSession] = [await create(bench, key), await create(bench, liveKey)];
  expect([testSession, liveSession].every((id) => id.startsWith('pay_'))).toBe(true);
  for (const [mine, own, other] of [
    [key, testSession, liveSession],
    [liveKey, liveSession, testSession],
  ] as const) {
    expect((await poll(bench, mine, own)).status).toBe(200);
    expect((await poll(bench, mine, other)).status).toBe(404);
    const { data } = await json(await get(bench, '/v1/payments/sessions', mine));
    expect(data).toEqual([expect.objectContaining({ id: own })]);
    const again = await post(bench, `/v1/payments/sessions/${other}/initiate`, { key: mine });
    expect(await outcome(again)).toEqual([404, 'session_not_found']);
  }
});

test('a sandbox neither creates nor accepts live keys', async () => {
  const bench = openBench({ sandbox: true });
  const { id } = await bench.service.createMerchant({ name: 'Ama Foods' });
  const made = await ask(bench, 'POST', `/merchants/${id}/keys`, { livemode: true });
  expect(await refusal(made)).toEqual({ status: 403, code: 'live_mode_off', param: 'livemode' });
  expect(await works(bench, `sk_live_${'x'.repeat(43)}`)).toEqual([403, 'live_mode_off']);
  const { key } = await bench.service.createKey({ merchantId: id, livemode: false, scopes: allScopes });
  expect(await works(bench, key)).toEqual([200]);
});

test('a malformed, an unknown and a missing key get different errors', async () => {
  const { bench, key } = await openMerchant();
  expect(await works(bench, 'pk_test_1')).toEqual([401, 'malformed_api_key']);
  expect(await works(bench, `${key}x`)).toEqual([401, 'invalid_api_key']);
  expect(await works(bench, key.slice(0, -1))).toEqual([401, 'invalid_api_key']);
  const bare = await bench.service.app.request('/v1/payments/sessions');
  expect(await outcome(bare)).toEqual([401, 'missing_api_key']);
});

describe('a response that contains a key', () => {
  const scan = (bench: Bench) =>
    [bench.file, `${bench.file}-wal`]
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'latin1'))
      .join('');

  test('is replayed under its idempotency key, also after a restart, without a second key', async () => {
    const bench = openBench();
    const { merchantId, id } = await keyed(bench);
    const calls = [
      () =>
        ask(bench, 'POST', `/merchants/${merchantId}/keys`, { livemode: true }, { idempotencyKey: 'make' }),
      () => ask(bench, 'POST', `/keys/${id}/rotate`, {}, { idempotencyKey: 'turn' }),
    ];
    for (const call of calls) {
      const first = await call();
      const text = await first.text();
      expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
      await bench.restart();
      const again = await call();
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(await again.text()).toBe(text);
    }
    const { data: keys } = await json(await ask(bench, 'GET', `/merchants/${merchantId}/keys`));
    expect(keys).toHaveLength(4);
  });

  test('is not stored in plain text', async () => {
    const bench = openBench();
    const { merchantId, id, key } = await keyed(bench);
    const made = await json(
      await ask(bench, 'POST', `/merchants/${merchantId}/keys`, { livemode: false }, { idempotencyKey: 'a' }),
    );
    const turned = await json(await ask(bench, 'POST', `/keys/${id}/rotate`, {}, { idempotencyKey: 'b' }));
    expect(scan(bench)).toContain(String(made.id));
    for (const secret of [key, made.key, turned.key].map(String)) {
      expect(secret).toMatch(/^sk_test_.{43}$/);
      expect(scan(bench)).not.toContain(secret.slice('sk_test_'.length));
    }
  });
});

test('a test key for which no scopes are named collects offline, on the web and by code, and may not read lists', async () => {
  const { bench, merchantId } = await openMerchant();
  const { key } = await bench.service.createKey({ merchantId, livemode: false });
  const id = await create(bench, key);
  expect((await initiate(bench, key, id)).status).toBe(200);
  expect((await poll(bench, key, id)).status).toBe(200);
  const payer = { msisdn: '233244123457' };
  const web = { ...payer, amount_minor: 2_000, network: 'mtn' };
  const otp = { ...payer, purpose: 'collection', collection: { amount_minor: 2_000 } };
  expect((await post(bench, '/v1/payments/sessions', { key, body: web })).status).toBe(201);
  expect((await post(bench, '/v1/otp/request', { key, body: otp })).status).toBe(201);
  for (const path of [`/v1/payments/sessions/${id}`, '/v1/events'])
    expect(await outcome(await get(bench, path, key))).toEqual([403, 'scope_required']);
});

test('a live key for which no scopes are named collects offline only', async () => {
  const { bench, merchantId } = await openMerchant();
  const { key } = await bench.service.createKey({ merchantId, livemode: true });
  expect(await outcome(await offline(bench, key))).toEqual([201]);
  const body = { msisdn: '233244123456', amount_minor: 2_000, network: 'mtn' };
  const answer = await post(bench, '/v1/payments/sessions', { key, body });
  const { error } = await json(answer);
  expect(error).toMatchObject({ code: 'scope_required' });
  // The merchant of a live service does not have the commands of its operator.
  expect(JSON.stringify(error)).not.toContain('dialtill service');
});

test('in test mode, the error of a key or a merchant that may not do it names the command', async () => {
  const bench = openBench();
  const messageOf = async (answer: Response) => (await json(answer)).error;
  const web = await keyed(bench, ['collections:web']);
  expect(await messageOf(await get(bench, '/v1/events', web.key))).toMatchObject({
    message: expect.stringContaining(
      'The scope is events:read. Create a key with it: dialtill service keys create --scopes collections:web,events:read',
    ),
  });
  expect(await messageOf(await offline(bench, web.key))).toMatchObject({
    code: 'offline_scope_required',
    message: expect.stringContaining('--scopes collections:web,collections:offline'),
  });
  const { id: merchantId } = await bench.service.createMerchant({ name: 'Not Approved' });
  const { key } = await bench.service.createKey({ merchantId, livemode: false });
  expect(await messageOf(await offline(bench, key))).toMatchObject({
    code: 'offline_mode_not_enabled',
    message: expect.stringContaining(`dialtill service merchants approve ${merchantId}`),
  });
});
