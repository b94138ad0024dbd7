import { expect, test } from 'vitest';
import { isoMs, prefixed, refusal } from './matchers.ts';
import { needed, openPeer } from './peer.ts';

const peer = await openPeer();

function request(change: object = {}, call: object = {}) {
  const body = {
    msisdn: peer.number(),
    purpose: 'collection',
    collection: { amount_minor: 2_000 },
    ...change,
  };
  return peer.call('POST', '/v1/otp/request', { ...call, body });
}

const idempotencyKey = peer.unique('otp');
const order = peer.order();
let requestedOnce: ReturnType<typeof request> | undefined;

/** One request serves several tests: a service may reject a second SMS to the same number. */
function requested(): ReturnType<typeof request> {
  requestedOnce ??= request({ msisdn: order.msisdn }, { idempotencyKey });
  return requestedOnce;
}

test('otp/request: Success: 201 with `otp_request_id` and `expires_at`', async () => {
  const answer = await requested();
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ otp_request_id: prefixed('otpr'), expires_at: isoMs });
});

test('An OTP request has an expiry given by the returned `expires_at`', async () => {
  const { expires_at } = (await requested()).body;
  expect(Date.parse(String(expires_at))).toBeGreaterThan(Date.now());
});

test('otp/request: Idempotency-Key optional; a retry with the same key returns the same request', async () => {
  const first = await requested();
  const again = await request({ msisdn: order.msisdn }, { idempotencyKey });
  expect({ status: again.status, body: again.body }).toEqual({ status: 201, body: first.body });
});

test.each([
  ['msisdn', { msisdn: undefined }],
  ['purpose', { purpose: undefined }],
  ['collection, for purpose `collection`,', { collection: undefined }],
  ['collection.amount_minor', { collection: {} }],
])('otp/request: %s is required', async (_, change) => {
  expect((await request(change)).status).toBe(400);
});

test('otp/request: msisdn is 233XXXXXXXXX', async () => {
  expect(await request({ msisdn: '0244123456' })).toEqual(refusal(400, 'invalid_msisdn', 'msisdn'));
});

test('otp/request: allowed value shown for purpose is `collection`', async () => {
  expect((await request({ purpose: 'login' })).status).toBe(400);
});

test('otp/request: collection.amount_minor is an integer', async () => {
  expect((await request({ collection: { amount_minor: 20.5 } })).status).toBe(400);
});

test('otp/request: sender_id is an approved merchant sender', async () => {
  expect((await request({ sender_id: 'NOBODYS' })).status).toBe(403);
});

test('otp/verify: response is `verified` (boolean)', async (context) => {
  const codeSentTo = needed(context, peer.codeSentTo, 'a phone whose SMS can be read');
  const msisdn = peer.number();
  const { otp_request_id } = (await request({ msisdn })).body;
  const code = await codeSentTo(msisdn);
  const wrong = code.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
  const verify = (typed: string) =>
    peer.call('POST', '/v1/otp/verify', { body: { otp_request_id, code: typed } });
  expect(await verify(wrong)).toMatchObject({ status: 200, body: { verified: false } });
  const right = await verify(code);
  expect({ status: right.status, body: right.body }).toEqual({ status: 200, body: { verified: true } });
});

test('otp/verify: `code` is a string, the numeric code as typed by the payer', async (context) => {
  const codeSentTo = needed(context, peer.codeSentTo, 'a phone whose SMS can be read');
  const msisdn = peer.number();
  const { otp_request_id } = (await request({ msisdn })).body;
  expect(await codeSentTo(msisdn)).toMatch(/^\d+$/);
  for (const code of [123456, 'abcdef']) {
    expect((await peer.call('POST', '/v1/otp/verify', { body: { otp_request_id, code } })).status).toBe(400);
  }
});

test('otp/verify: an unknown OTP request', async () => {
  const body = { otp_request_id: 'otpr_of_nobody', code: '123456' };
  expect((await peer.call('POST', '/v1/otp/verify', { body })).status).toBe(404);
});

test('a web create with an unverified OTP request is rejected', async () => {
  const { otp_request_id } = (await requested()).body;
  const answer = await peer.createWeb({ ...order, otp_request_id });
  expect(answer).toEqual(refusal(409, 'otp_not_verified', 'otp_request_id'));
});
