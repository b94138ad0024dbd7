import { describe, expect, test } from 'vitest';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import { type ApiErrorCode, apiErrors } from '../../src/contract/service/api-errors.ts';
import { Database } from '../../src/sqlite/driver.ts';
import {
  adminToken,
  type Bench,
  type BenchOptions,
  create,
  goods,
  initiate,
  json,
  newMerchant,
  openBench,
  payer,
  post,
  pushed,
} from './support.ts';

/** A merchant with its keys, and shortcuts for calls. */
type Scene = Awaited<ReturnType<typeof openScene>>;

async function openScene(options: BenchOptions = {}) {
  const bench = openBench(options);
  const { merchantId, key } = options.sandbox ? await testMerchant(bench) : await newMerchant(bench);
  const admin = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  let calls = 0;
  const liveKeys: string[] = [];
  return {
    bench,
    merchantId,
    key,
    /** Creates a live key. The simulated phone has no routes from then on. */
    async liveKey() {
      const { key: created } = await bench.service.createKey({
        merchantId,
        livemode: true,
        scopes: allScopes,
      });
      liveKeys.push(created);
      return created;
    },
    liveKeys,
    get: (path: string, token = key) =>
      bench.service.app.request(path, { headers: { authorization: `Bearer ${token}` } }),
    post: (path: string, body: unknown = {}, token = key) => post(bench, path, { key: token, body }),
    offline: (change: Record<string, unknown> = {}, token = key) =>
      post(bench, sessions, { key: token, idempotencyKey: `call-${++calls}`, body: { ...goods, ...change } }),
    web: (change: Record<string, unknown> = {}, token = key) =>
      post(bench, sessions, { key: token, body: { ...web, ...change } }),
    adminCall: (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') =>
      bench.service.app.request(`/backoffice${path}`, {
        method,
        headers: admin,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async keyWith(...scopes: string[]): Promise<string> {
      const made = await bench.service.createKey({ merchantId, livemode: false, scopes });
      return made.key;
    },
    async otp(): Promise<string> {
      const answer = await post(bench, '/v1/otp/request', { key, body: otp });
      expect(answer.status).toBe(201);
      return String((await json(answer)).otp_request_id);
    },
    verify: (id: string, code: string) =>
      post(bench, '/v1/otp/verify', { key, body: { otp_request_id: id, code } }),
    codeSent(): string {
      const [sms] = bench.service.carrier.messages(payer);
      return /\d{6}/.exec(sms?.text ?? '')?.[0] ?? '';
    },
  };
}

async function testMerchant(bench: Bench) {
  const { id: merchantId } = await bench.service.createMerchant({ name: 'Abena Stores' });
  await bench.service.approveOffline(merchantId);
  const { key } = await bench.service.createKey({ merchantId, livemode: false, scopes: allScopes });
  return { merchantId, key };
}

const sessions = '/v1/payments/sessions';
const web = { msisdn: payer, amount_minor: 2_000, network: 'mtn' };
const otp = { msisdn: payer, purpose: 'collection', collection: { amount_minor: 2_000 } };
const wrongFor = (code: string) => (code === '000000' ? '000001' : '000000');

type Case = {
  options?: BenchOptions;
  provoke(scene: Scene): Promise<Response> | Response;
  param?: string;
  /** The response has a Retry-After header. */
  comesAgain?: true;
};

/** For every error code, a call that returns it. */
const cases: Record<ApiErrorCode, Case> = {
  offline_mode_not_enabled: {
    async provoke({ bench, offline }) {
      const { id: merchantId } = await bench.service.createMerchant({ name: 'Not yet approved' });
      const { key } = await bench.service.createKey({ merchantId, livemode: false, scopes: allScopes });
      return offline({}, key);
    },
  },
  offline_scope_required: {
    provoke: async ({ offline, keyWith }) => offline({}, await keyWith('collections:web')),
  },
  invalid_msisdn: { provoke: ({ offline }) => offline({ msisdn: '0244123456' }), param: 'msisdn' },

  missing_api_key: { provoke: ({ bench }) => bench.service.app.request(sessions) },
  malformed_api_key: { provoke: ({ get }) => get(sessions, 'pk_test_1234567890') },
  invalid_api_key: { provoke: ({ get }) => get(sessions, 'sk_test_1234567890') },
  live_mode_off: {
    options: { sandbox: true },
    provoke: ({ get }) => get(sessions, 'sk_live_1234567890'),
  },
  scope_required: { provoke: async ({ get, keyWith }) => get(sessions, await keyWith('collections:web')) },
  invalid_admin_token: { provoke: ({ get }) => get('/backoffice/merchants') },
  too_many_guesses: {
    async provoke({ bench }) {
      const from = { incoming: { socket: { remoteAddress: '203.0.113.9' } } };
      const guess = async () => bench.service.app.request('/backoffice/merchants', {}, from);
      for (let tries = 0; tries < 10; tries++) expect((await guess()).status).toBe(401);
      return guess();
    },
    comesAgain: true,
  },

  unsupported_media_type: {
    provoke: ({ bench, key }) =>
      post(bench, sessions, { key, body: goods, headers: { 'content-type': 'text/plain' } }),
  },
  body_too_large: { provoke: ({ offline }) => offline({ reference: 'x'.repeat(64 * 1024) }) },
  invalid_json: { provoke: ({ bench, key }) => post(bench, sessions, { key, body: '[1]' }) },
  missing_field: { provoke: ({ offline }) => offline({ network: undefined }), param: 'network' },
  unknown_field: { provoke: ({ offline }) => offline({ amuont_minor: 1 }), param: 'amuont_minor' },
  invalid_field: { provoke: ({ get }) => get(`${sessions}?limit=0`), param: 'limit' },
  invalid_amount: { provoke: ({ offline }) => offline({ amount_minor: 20.5 }), param: 'amount_minor' },
  amount_below_fee: { provoke: ({ web }) => web({ amount_minor: 10 }), param: 'amount_minor' },
  unknown_network: { provoke: ({ offline }) => offline({ network: 'glo' }), param: 'network' },
  invalid_reference: { provoke: ({ offline }) => offline({ reference: '' }), param: 'reference' },
  invalid_mode: { provoke: ({ offline }) => offline({ mode: 'online' }), param: 'mode' },
  invalid_cursor: { provoke: ({ get }) => get('/v1/events?cursor=evt_none'), param: 'cursor' },

  idempotency_key_required: {
    provoke: ({ bench, key }) => post(bench, sessions, { key, body: goods }),
    param: 'Idempotency-Key',
  },
  invalid_idempotency_key: {
    provoke: ({ bench, key }) => post(bench, sessions, { key, idempotencyKey: 'x'.repeat(256), body: goods }),
    param: 'Idempotency-Key',
  },
  idempotency_key_reused: {
    async provoke({ bench, key }) {
      await post(bench, sessions, { key, idempotencyKey: 'one', body: goods });
      return post(bench, sessions, { key, idempotencyKey: 'one', body: { ...goods, amount_minor: 2_001 } });
    },
    param: 'Idempotency-Key',
  },
  idempotency_in_progress: {
    async provoke({ bench, key }) {
      const id = await create(bench, key, { msisdn: '233244123908' });
      const first = initiate(bench, key, id, 'one');
      await bench.clock.advance(1_000);
      const second = await initiate(bench, key, id, 'one');
      await bench.clock.advance(10_000);
      expect((await first).status).toBe(200);
      return second;
    },
    comesAgain: true,
  },

  invalid_purpose: {
    provoke: ({ post }) => post('/v1/otp/request', { ...otp, purpose: 'login' }),
    param: 'purpose',
  },
  invalid_code: { provoke: ({ verify }) => verify('otpr_1', '12a456'), param: 'code' },
  sender_not_approved: {
    provoke: ({ post }) => post('/v1/otp/request', { ...otp, sender_id: 'ABENA' }),
    param: 'sender_id',
  },
  otp_not_found: { provoke: ({ verify }) => verify('otpr_none', '123456'), param: 'otp_request_id' },
  otp_expired: {
    async provoke({ bench, otp, verify, codeSent }) {
      const id = await otp();
      await bench.clock.advance(60 * 60_000);
      return verify(id, codeSent());
    },
    param: 'otp_request_id',
  },
  otp_locked: {
    async provoke({ otp, verify, codeSent }) {
      const id = await otp();
      for (let tries = 0; tries < 5; tries++) await verify(id, wrongFor(codeSent()));
      return verify(id, codeSent());
    },
    param: 'otp_request_id',
  },
  otp_used: {
    async provoke({ otp, verify, codeSent, web }) {
      const id = await otp();
      await verify(id, codeSent());
      expect((await web({ otp_request_id: id })).status).toBe(201);
      return web({ otp_request_id: id });
    },
    param: 'otp_request_id',
  },
  otp_not_verified: {
    provoke: async ({ otp, web }) => web({ otp_request_id: await otp() }),
    param: 'otp_request_id',
  },
  otp_mismatch: {
    async provoke({ otp, verify, codeSent, web }) {
      const id = await otp();
      await verify(id, codeSent());
      return web({ otp_request_id: id, amount_minor: 2_001 });
    },
    param: 'otp_request_id',
  },
  sms_unavailable: {
    provoke: async ({ post, liveKey }) => post('/v1/otp/request', otp, await liveKey()),
    comesAgain: true,
  },

  too_many_requests: {
    options: { config: { limits: { calls: { burst: 1, perMinute: 60 } } } },
    async provoke({ get }) {
      await get(sessions);
      return get(sessions);
    },
    comesAgain: true,
  },
  too_many_prompts: {
    options: { config: { limits: { prompts: { burst: 1, perMinute: 1 } } } },
    async provoke({ bench, key }) {
      await pushed(bench, key);
      return initiate(bench, key, await create(bench, key));
    },
    comesAgain: true,
  },
  too_many_otps: {
    async provoke({ otp: sent, post }) {
      await sent();
      return post('/v1/otp/request', otp);
    },
    comesAgain: true,
  },

  session_not_found: { provoke: ({ get }) => get(`${sessions}/pay_none`) },
  session_already_initiated: {
    async provoke({ bench, key }) {
      const { id } = await pushed(bench, key);
      return initiate(bench, key, id);
    },
  },
  session_closed: {
    async provoke({ bench, key }) {
      const id = await create(bench, key);
      await bench.clock.advance(31 * 60_000);
      return initiate(bench, key, id);
    },
  },
  rail_refused: {
    provoke: async ({ bench, key }) =>
      initiate(bench, key, await create(bench, key, { msisdn: '233244123907' })),
  },
  rail_unknown: {
    async provoke({ bench, key }) {
      const answer = initiate(bench, key, await create(bench, key, { msisdn: '233244123909' }));
      await bench.clock.advance(60_000);
      return answer;
    },
  },
  rail_not_attached: {
    provoke: async ({ bench, liveKey }) => {
      const key = await liveKey();
      return initiate(bench, key, await create(bench, key));
    },
    comesAgain: true,
  },
  event_not_found: { provoke: ({ get }) => get('/v1/events/evt_none') },

  prompt_not_found: { provoke: ({ bench }) => post(bench, '/handset/prompts/prm_none/decline', {}) },
  prompt_closed: {
    async provoke({ bench, key }) {
      const { promptId } = await pushed(bench, key);
      await post(bench, `/handset/prompts/${promptId}/decline`, {});
      return post(bench, `/handset/prompts/${promptId}/decline`, {});
    },
  },
  prompt_automatic: {
    async provoke({ bench, key }) {
      const msisdn = '233244123901';
      await initiate(bench, key, await create(bench, key, { msisdn }));
      const [prompt] = await bench.service.phone.pending(msisdn);
      return post(bench, `/handset/prompts/${prompt?.id}/decline`, {});
    },
  },
  invalid_pin: {
    provoke: ({ bench }) => post(bench, '/handset/prompts/prm_none/approve', { body: { pin: '12' } }),
    param: 'pin',
  },
  wrong_pin: {
    async provoke({ bench, key }) {
      const { promptId } = await pushed(bench, key);
      return post(bench, `/handset/prompts/${promptId}/approve`, { body: { pin: '0000' } });
    },
  },
  pin_limit_reached: {
    async provoke({ bench, key }) {
      const { promptId } = await pushed(bench, key);
      const wrong = () => post(bench, `/handset/prompts/${promptId}/approve`, { body: { pin: '0000' } });
      await wrong();
      await wrong();
      return wrong();
    },
  },

  statement_too_long: {
    async provoke({ bench, key, merchantId, adminCall }) {
      await create(bench, key);
      const other = new Database(bench.file);
      other.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 20000)
        INSERT INTO payment_session (id, merchant_id, platform_id, livemode, mode, channel, network, payer, reference,
          goods_minor, amount_minor, fee_minor, net_minor, status, created_at, paid_at, paid_minor, closed_at)
        SELECT 'pay_' || i, merchant_id, platform_id, livemode, mode, channel, network, payer, reference, goods_minor,
          amount_minor, fee_minor, net_minor, 'paid', created_at, created_at, amount_minor, created_at FROM payment_session, n`);
      other.close();
      return adminCall(`/merchants/${merchantId}/statement?date=2026-03-06`);
    },
  },
  merchant_not_found: { provoke: ({ adminCall }) => adminCall('/merchants/mch_none') },
  platform_not_found: {
    provoke: ({ adminCall, merchantId }) =>
      adminCall(`/merchants/${merchantId}/keys`, { livemode: false, platform_id: 'plt_none' }),
    param: 'platform_id',
  },
  key_not_found: { provoke: ({ adminCall }) => adminCall('/keys/key_none/revoke', {}) },
  key_revoked: {
    async provoke({ bench, adminCall, merchantId }) {
      const { id } = await bench.service.createKey({ merchantId, livemode: false, scopes: allScopes });
      await bench.service.revokeKey(id);
      return adminCall(`/keys/${id}/rotate`, {});
    },
  },
  endpoint_not_found: {
    provoke: ({ adminCall, merchantId }) =>
      adminCall(`/merchants/${merchantId}/webhook/rotate`, { livemode: false }),
  },
  invalid_url: {
    provoke: ({ adminCall, merchantId }) =>
      adminCall(`/merchants/${merchantId}/webhook`, { livemode: false, url: 'ftp://shop.test/' }, 'PUT'),
    param: 'url',
  },
  private_url: {
    provoke: ({ adminCall, merchantId }) =>
      adminCall(`/merchants/${merchantId}/webhook`, { livemode: true, url: 'https://10.0.0.1/' }, 'PUT'),
    param: 'url',
  },
  invalid_secret: {
    provoke: ({ adminCall, merchantId }) =>
      adminCall(
        `/merchants/${merchantId}/webhook`,
        { livemode: false, url: 'http://shop.test/', secret: 'short' },
        'PUT',
      ),
    param: 'secret',
  },
  invalid_scope: {
    provoke: ({ adminCall, merchantId }) =>
      adminCall(`/merchants/${merchantId}/keys`, { livemode: false, scopes: ['everything'] }),
    param: 'scopes.0',
  },
  invalid_schedule: {
    provoke: ({ adminCall, merchantId }) =>
      adminCall(`/merchants/${merchantId}/fees/ussd`, { basis_points: 10_001 }, 'PUT'),
    param: 'basis_points',
  },
  invalid_sender: {
    provoke: ({ adminCall, merchantId }) => adminCall(`/merchants/${merchantId}/senders/A%21`, {}, 'PUT'),
    param: 'name',
  },
  review_not_found: {
    async provoke({ bench, key, adminCall }) {
      return adminCall(`/sessions/${await create(bench, key)}/review`, { resolution: 'accepted' });
    },
  },
  refund_not_due: {
    async provoke({ bench, key, adminCall }) {
      return adminCall(`/sessions/${await create(bench, key)}/refund`, { reference: 'MP26030', by: 'Ama' });
    },
  },
  review_closed: {
    async provoke({ bench, key, adminCall }) {
      const id = await create(bench, key, { msisdn: '233244123906' });
      await initiate(bench, key, id);
      await bench.clock.advance(5_000);
      expect((await adminCall(`/sessions/${id}/review`, { resolution: 'rejected' })).status).toBe(200);
      return adminCall(`/sessions/${id}/review`, { resolution: 'accepted' });
    },
  },
  test_clock_off: { provoke: ({ adminCall }) => adminCall('/clock') },

  not_found: { provoke: ({ get }) => get('/v1/payments') },
  method_not_allowed: { provoke: ({ bench }) => post(bench, '/v1/events', {}) },
  unavailable: {
    async provoke({ bench, offline }) {
      const other = new Database(bench.file);
      other.exec('BEGIN IMMEDIATE');
      const answer = offline();
      // How long the store waits for the other process to release the file.
      await bench.clock.advance(60_000);
      await answer;
      other.exec('ROLLBACK');
      other.close();
      return answer;
    },
    comesAgain: true,
  },
  internal_error: {
    async provoke({ bench, get }) {
      const other = new Database(bench.file);
      other.exec("UPDATE api_key SET scopes = 'no JSON'");
      other.close();
      return get(sessions);
    },
  },
};

/** What an error response must never contain: a source location, an SQL statement, a secret, the text of an exception. */
const inner =
  /\bat .+:\d+:\d+|\.[jt]s\b|node_modules|\b(SELECT|INSERT|UPDATE|DELETE|SQLITE|ZodError|SyntaxError)\b|whsec_/;

test.each(Object.entries(cases) as [ApiErrorCode, Case][])(
  '%s',
  async (code, { options, provoke, param, comesAgain }) => {
    const scene = await openScene(options);
    const answer = await provoke(scene);
    const text = await answer.text();
    const { status, message } = apiErrors[code];
    expect(answer.status, text).toBe(status);
    expect(JSON.parse(text), text).toEqual({
      error: { code, message: expect.stringContaining(message), ...(param === undefined ? {} : { param }) },
      request_id: answer.headers.get('request-id'),
    });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
    expect(answer.headers.has('retry-after'), 'Retry-After').toBe(comesAgain === true);

    expect(text).not.toMatch(inner);
    for (const secret of [scene.key, ...scene.liveKeys, adminToken]) {
      expect(text).not.toContain(secret);
    }
  },
);

test('an error response never repeats a rejected key or token, wherever the request had it', async () => {
  const { bench, key, adminCall, merchantId } = await openScene();
  const secret = 'sk_test_put-in-the-wrong-place';
  const answers = [
    await bench.service.app.request(sessions, { headers: { authorization: `Basic ${secret}` } }),
    await post(bench, sessions, { key, idempotencyKey: `${secret}\u00e9`, body: goods }),
    await post(bench, sessions, { key, body: { ...goods, network: secret } }),
    await post(bench, sessions, { key, body: `{"api_key":"${secret}"` }),
    await adminCall(`/merchants/${merchantId}/keys`, { livemode: secret, scopes: [secret] }),
    await adminCall(`/keys/${secret}/revoke`, {}),
    await bench.service.app.request(`/v1/${secret}`),
  ];
  for (const answer of answers) {
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await answer.text()).not.toContain(secret);
  }
});

describe('a body that is not an interchangeable JSON object is rejected before validation', () => {
  test.each([
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['cut off', '{"msisdn":'],
    ['two objects', '{}{}'],
    ['half a character', '{"reference":"\\ud800"}'],
    ['half a character in a name', '{"\\udfff":1}'],
    ['a number beyond any', '{"amount_minor":1e400}'],
    ['a number of 400 digits', `{"amount_minor":${'9'.repeat(400)}}`],
    ['deeper than any body', `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`],
    ['as deep as fits', `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`],
    ['30,000 lists', '['.repeat(30_000)],
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
    ['half a character in UTF-8', new Uint8Array([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s', async (_, body) => {
    const { bench, key } = await openScene();
    const answer = await bench.service.app.request(sessions, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': 'one',
      },
      body,
    });
    expect((await json(answer)).error).toMatchObject({ code: 'invalid_json' });
  });

  test('names of built-in properties are fields like others', async () => {
    const { bench, key } = await openScene();
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const body = JSON.stringify(goods).replace('{', `{"${name}":{"mode":"web"},`);
      const answer = await post(bench, sessions, { key, body });
      expect((await json(answer)).error).toMatchObject({ code: 'unknown_field', param: name });
    }
  });
});

test('a parameter that is sent twice is rejected', async () => {
  const { get } = await openScene();
  const answer = await get(`${sessions}?reference=INV-7&reference=INV-8`);
  expect((await json(answer)).error).toMatchObject({ code: 'invalid_field', param: 'reference' });
});

test('every error code has a case', () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(apiErrors).sort());
});
