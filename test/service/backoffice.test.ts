import { expect, test } from 'vitest';
import { adminToken, type Bench, create, json, newMerchant, openBench, refusal } from './support.ts';

function ask(bench: Bench, method: string, path: string, body?: unknown, token = adminToken) {
  return bench.service.app.request(`/backoffice${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

test('a merchant is made, approved, keyed and wired over the API, and can then collect', async () => {
  const bench = openBench();
  const made = await ask(bench, 'POST', '/merchants', { name: 'Ama Foods' });
  expect(made.status).toBe(201);
  const { id } = await json(made);
  expect(id).toMatch(/^mch_/);
  const approved = await json(await ask(bench, 'POST', `/merchants/${id}/approve-offline`));
  expect(approved).toMatchObject({ name: 'Ama Foods', offline_approved_at: '2026-03-06T09:00:00.000Z' });
  const key = await json(await ask(bench, 'POST', `/merchants/${id}/keys`, { livemode: false }));
  expect(key.key).toMatch(/^sk_test_/);
  const hook = await ask(bench, 'PUT', `/merchants/${id}/webhook`, {
    livemode: false,
    url: 'http://localhost:8080/hook',
  });
  expect(await json(hook)).toMatchObject({ livemode: false, secret: expect.stringMatching(/^whsec_.{43}$/) });
  expect(await create(bench, String(key.key))).toMatch(/^pay_/);
  expect(await json(await ask(bench, 'GET', '/merchants'))).toMatchObject({ merchants: [{ id }] });
});

test('a key is shown once; the list names its end and its scopes, and a revoked key opens nothing', async () => {
  const bench = openBench();
  const { id } = await bench.service.createMerchant({ name: 'Ama Foods' });
  const { id: keyId, key } = await json(
    await ask(bench, 'POST', `/merchants/${id}/keys`, { livemode: true }),
  );
  expect(key).toMatch(/^sk_live_/);
  const revoked = await ask(bench, 'POST', `/keys/${keyId}/revoke`);
  expect(await json(revoked)).toEqual({ id: keyId, revoked: true });
  const listed = await (await ask(bench, 'GET', `/merchants/${id}/keys`)).text();
  expect(JSON.parse(listed)).toMatchObject({
    keys: [
      {
        id: keyId,
        livemode: true,
        ending: String(key).slice(-4),
        scopes: ['collections:offline', 'collections:web', 'sessions:read', 'events:read'],
        revoked_at: '2026-03-06T09:00:00.000Z',
      },
    ],
  });
  expect(listed).not.toContain(String(key));
});

test('without the admin token nothing in the back office answers, and a merchant key is no admin token', async () => {
  const bench = openBench();
  const { key } = await newMerchant(bench);
  for (const token of ['', key, `${adminToken}x`, adminToken.slice(0, -1)]) {
    for (const path of ['/merchants', '/keys/key_1/revoke', '/nothing']) {
      expect(await refusal(await ask(bench, 'GET', path, undefined, token))).toMatchObject({
        status: 401,
        code: 'invalid_admin_token',
      });
    }
  }
});

test.each([
  ['POST', '/merchants', {}, 400, 'missing_field'],
  ['POST', '/merchants', { name: ' ' }, 400, 'invalid_field'],
  ['POST', '/merchants', { name: 'x', admin: true }, 400, 'unknown_field'],
  ['POST', '/merchants/mch_none/approve-offline', undefined, 404, 'merchant_not_found'],
  ['POST', '/merchants/mch_none/keys', { livemode: false }, 404, 'merchant_not_found'],
  ['POST', '/merchants/mch_none/keys', { livemode: 'yes' }, 400, 'invalid_field'],
  ['POST', '/keys/key_none/revoke', undefined, 404, 'key_not_found'],
  [
    'PUT',
    '/merchants/mch_none/webhook',
    { livemode: false, url: 'http://a.example' },
    404,
    'merchant_not_found',
  ],
  ['PUT', '/merchants/mch_none/webhook', { livemode: false, url: 'ftp://a.example' }, 400, 'invalid_url'],
  [
    'PUT',
    '/merchants/mch_none/webhook',
    { livemode: false, url: 'http://u:p@a.example' },
    400,
    'invalid_url',
  ],
  ['PUT', '/merchants/mch_none/webhook', { livemode: false, url: 'a.example' }, 400, 'invalid_url'],
  ['POST', '/merchants/mch_none/webhook/rotate', { livemode: false }, 404, 'merchant_not_found'],
  ['GET', '/nothing', undefined, 404, 'not_found'],
])('%s %s %j is refused with %i %s', async (method, path, body, status, code) => {
  const bench = openBench();
  expect(await refusal(await ask(bench, method, path, body))).toMatchObject({ status, code });
});

test('a secret that is too short is refused, and setting a URL again keeps the secret', async () => {
  const bench = openBench();
  const { merchantId } = await newMerchant(bench);
  const path = `/merchants/${merchantId}/webhook`;
  const hook = { livemode: false, url: 'http://a.example/hook' };
  expect(await refusal(await ask(bench, 'PUT', path, { ...hook, secret: 'short' }))).toMatchObject({
    status: 400,
    code: 'invalid_secret',
  });
  const { secret } = await json(await ask(bench, 'PUT', path, hook));
  const moved = await json(await ask(bench, 'PUT', path, { ...hook, url: 'http://b.example/hook' }));
  expect(moved).toMatchObject({ url: 'http://b.example/hook', secret });
  const rotated = await json(await ask(bench, 'POST', `${path}/rotate`, { livemode: false }));
  expect(rotated.secret).not.toBe(secret);
});

test('an embedding program gets a refusal as an error with words', async () => {
  const bench = openBench();
  await expect(bench.service.approveOffline('mch_none')).rejects.toThrow(/no such merchant/);
});

test('a short admin token is refused at once', () => {
  expect(() => openBench({ config: { adminToken: 'short' } })).toThrow(/at least 16 characters/);
});
