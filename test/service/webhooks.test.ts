import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { eventEnvelope, eventTypes, paidEventData } from '../../src/contract/event.ts';
import { signatureOf } from '../../src/service/webhook/sign.ts';
import {
  adminToken,
  type Bench,
  json,
  newMerchant,
  openBench,
  poll,
  pushed,
  type Received,
} from './support.ts';

const url = 'https://merchant.example/hook';
const secret = 'a-secret-of-the-merchant';

async function withEndpoint(bench: Bench) {
  const merchant = await newMerchant(bench);
  await bench.service.setWebhook({ merchantId: merchant.merchantId, livemode: false, url, secret });
  return merchant;
}

async function pay(bench: Bench, key: string) {
  const { id, promptId } = await pushed(bench, key);
  await bench.service.handset.approve(promptId, '1234');
  await bench.clock.advance(0);
  return id;
}

async function deliveries(bench: Bench, merchantId: string) {
  const answer = await bench.service.app.request(`/backoffice/merchants/${merchantId}/deliveries`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  return z.array(z.record(z.string(), z.unknown())).parse((await json(answer)).deliveries);
}

function signatures(received: Received | undefined) {
  const [t, ...v1] = (received?.headers.get('service-signature') ?? '').split(',');
  return { t: t?.slice(2), v1: v1.map((part) => part.slice(3)) };
}

const hmac = (key: string, t: string | undefined, body: string | undefined) =>
  createHmac('sha256', key).update(`${t}.${body}`).digest('hex');

test('the signature of a known body is exactly this', () => {
  expect(signatureOf(['whsec_test'], 1_772_787_600_999, '{"id":"evt_1"}')).toBe(
    't=1772787600,v1=145114ced78878c02480c153c6dc851677be7fcae112e8f7a8c88a570676a3a0',
  );
});

test('a paid session is told once, signed over its exact bytes, with the documented headers and fields', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  await bench.clock.advance(7_250);
  const id = await pay(bench, key);
  expect(bench.received).toHaveLength(1);
  const [request] = bench.received;
  const event = eventEnvelope.parse(JSON.parse(request?.body ?? ''));
  expect(event).toEqual({
    id: expect.stringMatching(/^evt_/),
    type: 'payment.session.paid',
    created_at: '2026-03-06T09:00:07.250Z',
    data: {
      id,
      status: 'paid',
      goods_minor: 2_000,
      amount_minor: 2_020,
      expected_fee_minor: 20,
      expected_net_minor: 2_000,
      paid_at: '2026-03-06T09:00:07.250Z',
    },
  });
  expect(paidEventData.safeParse(event.data).success).toBe(true);
  expect(request?.url).toBe(url);
  expect(request?.redirect).toBe('manual');
  expect(request?.headers.get('content-type')).toBe('application/json');
  expect(request?.headers.get('service-event-id')).toBe(event.id);
  const { t, v1 } = signatures(request);
  expect(t).toBe(String(Math.floor(Date.parse('2026-03-06T09:00:07Z') / 1000)));
  expect(v1).toEqual([hmac(secret, t, request?.body)]);
});

test.each([
  ['declined', 'failed', 'declined'],
  ['left unanswered', 'expired', 'prompt_expired'],
])(
  'a session whose prompt was %s is told as payment.session.failed, status %s',
  async (what, status, reason) => {
    const bench = openBench();
    const { key } = await withEndpoint(bench);
    const { id, promptId } = await pushed(bench, key);
    if (what === 'declined') await bench.service.handset.decline(promptId);
    await bench.clock.advance(120_000);
    const events = bench.received.map((request) => eventEnvelope.parse(JSON.parse(request.body)));
    expect(events).toMatchObject([
      { type: eventTypes.failed, data: { id, status, reason, amount_minor: 2_020 } },
    ]);
  },
);

test('a refused delivery is tried again on the plan with the same bytes and a new signature', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = async () => new Response('no', { status: 500 });
  await pay(bench, key);
  expect(await deliveries(bench, merchantId)).toMatchObject([
    { state: 'waiting', attempts: 1, last_status: 500, next_attempt_at: '2026-03-06T09:00:01.000Z' },
  ]);
  await bench.clock.advance(999);
  expect(bench.received).toHaveLength(1);
  await bench.clock.advance(1);
  expect(bench.received).toHaveLength(2);
  bench.answers.webhook = async () => new Response(null, { status: 204 });
  await bench.clock.advance(5_000);
  await bench.clock.advance(24 * 3_600_000);
  const [first, , third, ...more] = bench.received;
  expect(more).toEqual([]);
  expect(third?.body).toBe(first?.body);
  expect(Number(signatures(third).t)).toBe(Number(signatures(first).t) + 6);
  expect(signatures(third).v1).toEqual([hmac(secret, signatures(third).t, third?.body)]);
  expect(await deliveries(bench, merchantId)).toMatchObject([
    { state: 'delivered', attempts: 3, last_status: 204, next_attempt_at: null },
  ]);
});

test('after the last planned attempt an event is given up', async () => {
  const bench = openBench({ config: { webhook: { retryMs: [1_000, 2_000] } } });
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = async () => Promise.reject(new TypeError('connection refused'));
  await pay(bench, key);
  await bench.clock.advance(3_600_000);
  expect(bench.received).toHaveLength(3);
  expect(await deliveries(bench, merchantId)).toMatchObject([
    { state: 'given_up', attempts: 3, last_status: null, last_error: 'connection' },
  ]);
});

test('an endpoint that does not answer is left after 10 seconds and tried again', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  await pay(bench, key);
  await bench.clock.advance(10_000);
  expect(await deliveries(bench, merchantId)).toMatchObject([
    { state: 'waiting', attempts: 1, last_error: 'timeout' },
  ]);
  await bench.clock.advance(1_000);
  expect(bench.received).toHaveLength(2);
});

test('a merchant whose endpoint hangs does not hold up the others', async () => {
  const bench = openBench();
  const stuck = await withEndpoint(bench);
  bench.answers.webhook = (request, signal) =>
    request.url === url
      ? new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        })
      : Promise.resolve(Response.json({ received: true }));
  for (let count = 0; count < 40; count++) await pay(bench, stuck.key);
  expect(bench.received).toHaveLength(4);
  const other = await newMerchant(bench, 'Kofi Cosmetics');
  const otherUrl = 'https://other.example/hook';
  await bench.service.setWebhook({ merchantId: other.merchantId, livemode: false, url: otherUrl });
  await pay(bench, other.key);
  expect(bench.received.filter((request) => request.url === otherUrl)).toHaveLength(1);
});

test('an attempt that a stop cut off is made again', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  bench.answers.webhook = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  await pay(bench, key);
  bench.answers.webhook = async () => Response.json({ received: true });
  await bench.restart();
  await bench.clock.advance(60_000);
  expect(bench.received).toHaveLength(2);
  expect(bench.received[1]?.body).toBe(bench.received[0]?.body);
});

test('during a rotation deliveries carry a signature of each secret, afterwards of the new one alone', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  const { secret: fresh } = await bench.service.rotateSecret({ merchantId, livemode: false });
  await pay(bench, key);
  const during = bench.received[0];
  const { t, v1 } = signatures(during);
  expect(v1).toEqual([hmac(fresh, t, during?.body), hmac(secret, t, during?.body)]);
  await bench.clock.advance(24 * 3_600_000);
  await pay(bench, key);
  const after = bench.received[1];
  expect(signatures(after).v1).toEqual([hmac(fresh, signatures(after).t, after?.body)]);
});

test('an event made while no URL is set is kept and not sent; live events do not go to the test URL', async () => {
  const bench = openBench();
  const { key, merchantId } = await newMerchant(bench);
  await bench.service.setWebhook({ merchantId, livemode: true, url });
  const id = await pay(bench, key);
  expect(bench.received).toEqual([]);
  expect(await deliveries(bench, merchantId)).toMatchObject([{ session_id: id, state: 'no_endpoint' }]);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'paid' });
});

test('a redirect is a failure and is never followed', async () => {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(String(request.url));
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const bench = openBench({ fetch });
  const { key, merchantId } = await newMerchant(bench);
  const { port } = server.address() as AddressInfo;
  await bench.service.setWebhook({ merchantId, livemode: false, url: `http://127.0.0.1:${port}/hook` });
  await pay(bench, key);
  await vi.waitFor(async () =>
    expect(await deliveries(bench, merchantId)).toMatchObject([{ state: 'waiting', last_status: 307 }]),
  );
  expect(paths).toEqual(['/hook']);
});
