import { expect, test } from 'vitest';
import { refusal } from './matchers.ts';
import { openPeer } from './peer.ts';

const peer = await openPeer();

test('All paths begin with the prefix `/v1`', async () => {
  for (const path of ['/otp/request', '/otp/verify', '/payments/sessions']) {
    expect((await peer.call('POST', path, { body: peer.order() })).status).toBe(404);
  }
});

test('Omitting `mode` keeps web behaviour unchanged when offline mode is added', async () => {
  const { body } = await peer.createWeb();
  expect(body).toMatchObject({ channel: 'web' });
  for (const field of ['mode', 'reference']) expect(body).not.toHaveProperty(field);
});

test('Request bodies are JSON with `Content-Type: application/json`', async () => {
  const body = JSON.stringify(peer.order());
  const answer = await peer.call('POST', '/v1/payments/sessions', {
    body,
    headers: { 'content-type': 'text/plain' },
  });
  expect(answer).toEqual(refusal(415, 'unsupported_media_type'));
});

test('All bodies are JSON: responses have the content type', async () => {
  for (const answer of [await peer.createWeb(), await peer.createWeb({ msisdn: 'none' })]) {
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  }
});

test('All bodies are JSON: any other body is rejected', async () => {
  expect((await peer.call('POST', '/v1/payments/sessions', { body: '{"msisdn":' })).status).toBe(400);
});

test('network: the value `mtn` is used in examples; an unknown network is rejected', async () => {
  expect((await peer.createWeb({ network: 'mtn' })).status).toBe(201);
  expect((await peer.createWeb({ network: 'no-such-network' })).status).toBe(400);
});

test('mode: `offline` selects offline collection; an unknown mode is rejected', async () => {
  expect((await peer.createOffline()).body).toMatchObject({ mode: 'offline', channel: 'ussd' });
  expect((await peer.createWeb({ mode: 'on the moon' })).status).toBe(400);
});

test('an Idempotency-Key with another request is rejected', async () => {
  const idempotencyKey = peer.unique('twice');
  expect(await peer.createOffline({}, { idempotencyKey })).toMatchObject({ status: 201 });
  const answer = await peer.createOffline({ amount_minor: 3_000 }, { idempotencyKey });
  expect(answer).toEqual(refusal(409, 'idempotency_key_reused', 'Idempotency-Key'));
});

test('initiate: Request body: empty JSON object', async () => {
  const { id } = (await peer.createWeb()).body;
  const path = `/v1/payments/sessions/${id}/initiate`;
  expect((await peer.call('POST', path, { body: { amount_minor: 1 } })).status).toBe(400);
});
