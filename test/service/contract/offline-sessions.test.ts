import { beforeAll, describe, expect, test } from 'vitest';
import { minor, prefixed, refusal } from './matchers.ts';
import { needed, openPeer } from './peer.ts';

const peer = await openPeer();

describe('POST /v1/payments/sessions, offline mode', () => {
  const reference = peer.unique('INV');
  let order: ReturnType<typeof peer.order>;
  let answer: Awaited<ReturnType<typeof peer.call>>;

  beforeAll(async () => {
    order = peer.order();
    answer = await peer.createOffline({ ...order, reference });
  });

  test('Success: 201 with the session fields listed under Resources', () => {
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: prefixed('pay'),
      mode: 'offline',
      channel: 'ussd',
      network: 'mtn',
      goods_minor: 2_000,
      amount_minor: minor,
      expected_fee_minor: minor,
      expected_net_minor: minor,
      status: 'created',
      reference,
      payer_msisdn: expect.stringMatching(/^0\d{9}$/),
    });
  });

  test('mode: `offline` for offline sessions', () => expect(answer.body.mode).toBe('offline'));
  test('channel: `ussd` for offline sessions', () => expect(answer.body.channel).toBe('ussd'));
  test("reference: merchant's own reference, sent in and returned on offline create", () =>
    expect(answer.body.reference).toBe(reference));
  test('payer_msisdn: returned in local 10-digit form beginning with 0', () =>
    expect(answer.body.payer_msisdn).toBe(`0${order.msisdn.slice(3)}`));
  test('Offline mode: amount_minor equals goods_minor plus expected_fee_minor; expected_net_minor equals goods_minor', () => {
    const { goods_minor, amount_minor, expected_fee_minor, expected_net_minor } = answer.body;
    expect(amount_minor).toBe(Number(goods_minor) + Number(expected_fee_minor));
    expect(expected_net_minor).toBe(goods_minor);
  });
  test('goods_minor: value of the goods, which is the amount_minor of the request', () =>
    expect(answer.body.goods_minor).toBe(order.amount_minor));
});

test('Idempotency-Key: mandatory in offline mode', async () => {
  const body = peer.order({ mode: 'offline', reference: peer.unique('INV') });
  const answer = await peer.call('POST', '/v1/payments/sessions', { body });
  expect(answer).toEqual(refusal(400, 'idempotency_key_required', 'Idempotency-Key'));
});

test('Idempotency-Key: a retry with the same key creates no second session', async () => {
  const body = peer.order({ mode: 'offline', reference: peer.unique('INV') });
  const idempotencyKey = peer.unique('offline');
  const first = await peer.call('POST', '/v1/payments/sessions', { body, idempotencyKey });
  const again = await peer.call('POST', '/v1/payments/sessions', { body, idempotencyKey });
  expect({ status: again.status, body: again.body }).toEqual({ status: 201, body: first.body });
});

test('otp_request_id: not used in offline mode', async () => {
  const answer = await peer.createOffline({ otp_request_id: 'otpr_of_nobody' });
  expect(answer.status).toBe(400);
});

test('offline_scope_required, 403: API key lacks the `collections:offline` scope', async (context) => {
  const key = needed(context, peer.keyWithoutScope, 'CONTRACT_KEY_WITHOUT_SCOPE');
  expect(await peer.createOffline({}, { key })).toEqual(refusal(403, 'offline_scope_required'));
});

test('Offline creation additionally requires the scope; web creation does not', async (context) => {
  const key = needed(context, peer.keyWithoutScope, 'CONTRACT_KEY_WITHOUT_SCOPE');
  expect(await peer.createWeb({}, { key })).toMatchObject({ status: 201 });
});

test('offline_mode_not_enabled, 403: merchant is not approved for offline collections', async (context) => {
  const key = needed(context, peer.unapprovedKey, 'CONTRACT_KEY_UNAPPROVED');
  expect(await peer.createOffline({}, { key })).toEqual(refusal(403, 'offline_mode_not_enabled'));
});

test('Offline creation additionally requires merchant approval; web creation does not', async (context) => {
  const key = needed(context, peer.unapprovedKey, 'CONTRACT_KEY_UNAPPROVED');
  expect(await peer.createWeb({}, { key })).toMatchObject({ status: 201 });
});

test.each([
  ['local form', '0244123456'],
  ['with a plus', '+233244123456'],
  ['11 digits', '23324412345'],
  ['13 digits', '2332441234567'],
  ['another country', '234244123456'],
  ['letters', '23324412345a'],
])('invalid_msisdn, 400: msisdn is exactly 12 digits in the form 233XXXXXXXXX (%s)', async (_, msisdn) => {
  expect(await peer.createOffline({ msisdn })).toEqual(refusal(400, 'invalid_msisdn', 'msisdn'));
});
