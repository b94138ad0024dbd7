import { beforeAll, describe, expect, test } from 'vitest';
import { isoMs, minor, prefixed, refusal } from './matchers.ts';
import { needed, openPeer } from './peer.ts';

const peer = await openPeer();

describe('POST /v1/payments/sessions, web mode', () => {
  let order: ReturnType<typeof peer.order>;
  let answer: Awaited<ReturnType<typeof peer.call>>;
  const trans = peer.unique('order');

  beforeAll(async () => {
    order = peer.order();
    answer = await peer.createWeb({ ...order, client_trans_id: trans });
  });

  test('Success: 201 with the session fields listed under Resources', () => {
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: prefixed('pay'),
      platform_id: prefixed('plt'),
      merchant_id: prefixed('mch'),
      channel: 'web',
      network: 'mtn',
      goods_minor: 2_000,
      amount_minor: 2_000,
      expected_fee_minor: minor,
      expected_net_minor: minor,
      status: 'created',
      client_trans_id: trans,
      payer_msisdn: order.msisdn,
      created_at: isoMs,
    });
  });

  test('id: string, prefix `pay_`', () => expect(answer.body.id).toEqual(prefixed('pay')));
  test('platform_id: string, prefix `plt_`, returned on web-mode create', () =>
    expect(answer.body.platform_id).toEqual(prefixed('plt')));
  test('merchant_id: string, prefix `mch_`, returned on web-mode create', () =>
    expect(answer.body.merchant_id).toEqual(prefixed('mch')));
  test('channel: `web` for web sessions', () => expect(answer.body.channel).toBe('web'));
  test('mode: returned only on offline responses', () => expect(answer.body).not.toHaveProperty('mode'));
  test("client_trans_id: merchant's own order reference, returned on web-mode create", () =>
    expect(answer.body.client_trans_id).toBe(trans));
  test("payer_msisdn: payer's phone number, web in 233XXXXXXXXX form", () =>
    expect(answer.body.payer_msisdn).toMatch(/^233\d{9}$/));
  test('created_at: ISO 8601 UTC timestamp with milliseconds', () => {
    expect(answer.body.created_at).toEqual(isoMs);
    expect(Math.abs(Date.parse(String(answer.body.created_at)) - Date.now())).toBeLessThan(300_000);
  });
  test('Web mode: amount_minor equals goods_minor; expected_net_minor equals amount_minor minus expected_fee_minor', () => {
    const { goods_minor, amount_minor, expected_fee_minor, expected_net_minor } = answer.body;
    expect(amount_minor).toBe(goods_minor);
    expect(expected_net_minor).toBe(Number(amount_minor) - Number(expected_fee_minor));
  });
  test('Amounts are in pesewas (minor units), integers', () => {
    const { goods_minor, amount_minor, expected_fee_minor, expected_net_minor } = answer.body;
    expect([goods_minor, amount_minor, expected_fee_minor, expected_net_minor]).toEqual(Array(4).fill(minor));
  });
});

test('otp_request_id: present when an OTP request was attached (web mode)', async (context) => {
  const codeSentTo = needed(context, peer.codeSentTo, 'a phone whose SMS can be read');
  const order = peer.order();
  const requested = await peer.call('POST', '/v1/otp/request', {
    body: { msisdn: order.msisdn, purpose: 'collection', collection: { amount_minor: order.amount_minor } },
  });
  const { otp_request_id } = requested.body;
  const code = await codeSentTo(order.msisdn);
  await peer.call('POST', '/v1/otp/verify', { body: { otp_request_id, code } });
  const answer = await peer.createWeb({ ...order, otp_request_id });
  expect(answer).toMatchObject({ status: 201, body: { otp_request_id } });
  expect((await peer.createWeb()).body).not.toHaveProperty('otp_request_id');
});

test('mode: when omitted, web behaviour applies', async () => {
  const answer = await peer.createWeb({});
  expect(answer).toMatchObject({ status: 201, body: { channel: 'web', status: 'created' } });
});

test('otp_request_id: web mode, optional', async () => {
  expect(await peer.createWeb({})).toMatchObject({ status: 201 });
});

test('Idempotency-Key: recommended in web mode, not required', async () => {
  const body = peer.order();
  expect(await peer.call('POST', '/v1/payments/sessions', { body })).toMatchObject({ status: 201 });
});

test('Idempotency-Key: recommended in web mode so a retry does not charge twice', async () => {
  const body = peer.order();
  const idempotencyKey = peer.unique('web');
  const first = await peer.call('POST', '/v1/payments/sessions', { body, idempotencyKey });
  const again = await peer.call('POST', '/v1/payments/sessions', { body, idempotencyKey });
  expect(first.status).toBe(201);
  expect({ status: again.status, body: again.body }).toEqual({ status: 201, body: first.body });
});

test('invalid_msisdn, 400: msisdn is not in the form 233XXXXXXXXX (web)', async () => {
  expect(await peer.createWeb({ msisdn: '0244123456' })).toEqual(refusal(400, 'invalid_msisdn', 'msisdn'));
});

test.each(['msisdn', 'amount_minor', 'network'])('%s: required', async (field) => {
  const answer = await peer.createWeb({ [field]: undefined });
  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
});

test('amount_minor: integer', async () => {
  for (const amount_minor of [20.5, '2000', -1]) {
    expect((await peer.createWeb({ amount_minor })).status).toBe(400);
  }
});
