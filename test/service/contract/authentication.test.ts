import { expect, test } from 'vitest';
import { needed, openPeer } from './peer.ts';

const peer = await openPeer();

/** Every endpoint of the interface, called without effect. */
const endpoints = [
  ['POST', '/v1/otp/request', { msisdn: 'none', purpose: 'collection', collection: { amount_minor: 1 } }],
  ['POST', '/v1/otp/verify', { otp_request_id: 'otpr_of_nobody', code: '000000' }],
  ['POST', '/v1/payments/sessions', { msisdn: 'none', amount_minor: 1, network: 'mtn' }],
  ['POST', '/v1/payments/sessions/pay_of_nobody/initiate', {}],
  ['GET', '/v1/payments/sessions/pay_of_nobody/status', undefined],
] as const;

test.each(endpoints)('All endpoints require authentication: %s %s', async (method, path, body) => {
  const answer = await peer.call(method, path, { key: null, body });
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ error: { code: 'missing_api_key', message: expect.any(String) } });
});

test.each([
  ['without Bearer', { authorization: 'sk_test_x' }],
  ['another scheme', { authorization: `Basic ${btoa('sk_test_x:')}` }],
  ['no secret key', { authorization: 'Bearer pk_test_x' }],
  ['an unknown key', { authorization: `Bearer sk_test_${'x'.repeat(43)}` }],
])('Every API call carries `Authorization: Bearer <API_KEY>` (%s)', async (_, headers) => {
  const answer = await peer.call('GET', '/v1/payments/sessions/pay_of_nobody/status', { key: null, headers });
  expect(answer.status).toBe(401);
});

test('the key is a secret key with prefix `sk_test_` (test) or `sk_live_` (live)', () => {
  expect(peer.key).toMatch(/^sk_test_/);
  expect(peer.liveKey ?? 'sk_live_').toMatch(/^sk_live_/);
});

test.each(endpoints)('Both kinds are accepted on all endpoints listed: %s %s', async (method, path, body) => {
  const keys = [peer.key, peer.liveKey].filter((key) => key !== undefined);
  for (const key of keys) {
    const answer = await peer.call(method, path, { key, body });
    expect([400, 404]).toContain(answer.status);
  }
});

test('a live key cannot read a test session', async (context) => {
  const key = needed(context, peer.liveKey, 'CONTRACT_LIVE_KEY');
  const { id } = (await peer.createWeb()).body;
  expect((await peer.poll(id, { key })).status).toBe(404);
});
