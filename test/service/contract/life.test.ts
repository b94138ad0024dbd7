import { expect, test } from 'vitest';
import { isoMs, prefixed } from './matchers.ts';
import { needed, openPeer } from './peer.ts';

const peer = await openPeer();
const number = () => ({ msisdn: peer.paying ?? peer.number() });

test('created -> initiate -> initiated: web returns `id`, `status`, `initiated_at`', async () => {
  const { id } = (await peer.createWeb(number())).body;
  const answer = await peer.initiate(id);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ id, status: 'initiated', initiated_at: isoMs });
});

test('created -> initiate -> initiated: offline returns `id`, `status`, `mode`, `channel`', async () => {
  const { id } = (await peer.createOffline(number())).body;
  const answer = await peer.initiate(id);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ id, status: 'initiated', mode: 'offline', channel: 'ussd' });
});

test('In offline mode the call returns as soon as the rail accepts the push, without waiting for payer approval', async () => {
  // The prompts of this number get no answer.
  const { id } = (await peer.createOffline({ msisdn: peer.number() })).body;
  expect(await peer.initiate(id)).toMatchObject({ status: 200, body: { status: 'initiated' } });
  expect((await peer.poll(id)).body).toMatchObject({ status: 'initiated', terminal: false });
});

test('initiate: session exists', async () => {
  const answer = await peer.initiate('pay_of_nobody');
  expect(answer).toMatchObject({ status: 404, body: { error: { code: 'session_not_found' } } });
});

test('initiate: a created session', async () => {
  const { id } = (await peer.createOffline({ msisdn: peer.number() })).body;
  await peer.initiate(id);
  expect(await peer.initiate(id)).toMatchObject({
    status: 409,
    body: { error: { code: 'session_already_initiated' } },
  });
});

test('Status poll result: id, status, terminal, retry_after_seconds; no paid_at before it is paid', async () => {
  const { id } = (await peer.createWeb()).body;
  const answer = await peer.poll(id);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    id,
    status: 'created',
    terminal: false,
    retry_after_seconds: expect.toSatisfy(Number.isSafeInteger, 'integer'),
  });
});

test('Status poll result of a paid session: paid_at present when paid, retry_after_seconds null on a terminal result', async (context) => {
  const msisdn = needed(context, peer.paying, 'CONTRACT_MSISDN_PAID');
  for (const create of [peer.createWeb, peer.createOffline]) {
    const { id } = (await create({ msisdn })).body;
    await peer.initiate(id);
    const answer = await peer.pollUntilFinal(id);
    expect(answer.body).toMatchObject({
      id,
      status: 'paid',
      terminal: true,
      paid_at: isoMs,
      retry_after_seconds: null,
    });
  }
});

test('A result with `terminal` true is final', async (context) => {
  const msisdn = needed(context, peer.paying, 'CONTRACT_MSISDN_PAID');
  const { id } = (await peer.createOffline({ msisdn })).body;
  await peer.initiate(id);
  const { body } = await peer.pollUntilFinal(id);
  expect(await peer.initiate(id)).toMatchObject({ status: 409, body: { error: { code: 'session_closed' } } });
  expect((await peer.poll(id)).body).toEqual(body);
});

test('the merchant server learns the result by polling status until the session is failed', async (context) => {
  const msisdn = needed(context, peer.declining, 'CONTRACT_MSISDN_DECLINED');
  const { id } = (await peer.createOffline({ msisdn })).body;
  await peer.initiate(id);
  const answer = await peer.pollUntilFinal(id);
  expect(answer.body).toMatchObject({ id, status: 'failed', terminal: true, retry_after_seconds: null });
  expect(answer.body).not.toHaveProperty('paid_at');
});

test('poll: an unknown session', async () => {
  expect(await peer.poll('pay_of_nobody')).toMatchObject({
    status: 404,
    body: { error: { code: 'session_not_found' } },
  });
});

test('id: session identifier, the same in every response', async () => {
  const { id } = (await peer.createWeb(number())).body;
  expect(id).toEqual(prefixed('pay'));
  expect((await peer.initiate(id)).body.id).toBe(id);
  expect((await peer.poll(id)).body.id).toBe(id);
});
