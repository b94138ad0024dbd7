import { expect, onTestFinished, test, vi } from 'vitest';
import { eventTypes } from '../../src/contract/service/event.ts';
import { eventEnvelope, tolerantPaidEventData } from '../../src/contract/service/reading.ts';
import { signPayload } from '../../src/service/webhook/attempt.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { startServer } from '../kit/local-server.ts';
import { newMerchant, openBench, openMerchant, poll, pushed } from './support.ts';
import {
  day,
  deliveries,
  delivery,
  fails,
  hangs,
  hmac,
  idOf,
  pay,
  secret,
  signatures,
  takes,
  url,
  withEndpoint,
} from './webhook-support.ts';

/** For what goes over real sockets on a busy machine. */
const patient = { timeout: 10_000 };

test('the signature of a known body has the expected value', () => {
  expect(signPayload(['whsec_test'], 1_772_787_600_999, '{"id":"evt_1"}')).toBe(
    't=1772787600,v1=145114ced78878c02480c153c6dc851677be7fcae112e8f7a8c88a570676a3a0',
  );
});

test('a paid session sends one event, signed over its exact bytes, with the documented headers and fields', async () => {
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
    livemode: false,
    data: {
      id,
      status: 'paid',
      reference: 'INV-7',
      client_trans_id: 'INV-7',
      goods_minor: 2_000,
      amount_minor: 2_020,
      expected_fee_minor: 20,
      expected_net_minor: 2_000,
      paid_minor: 2_020,
      paid_at: '2026-03-06T09:00:07.250Z',
    },
  });
  expect(tolerantPaidEventData.safeParse(event.data).success).toBe(true);
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
  'a session whose prompt was %s sends payment.session.failed with the status %s',
  async (what, status, reason) => {
    const bench = openBench();
    const { key } = await withEndpoint(bench);
    const { id, promptId } = await pushed(bench, key);
    if (what === 'declined') await bench.service.phone.decline(promptId);
    await bench.clock.advance(120_000);
    const events = bench.received.map((request) => eventEnvelope.parse(JSON.parse(request.body)));
    expect(events).toMatchObject([
      { type: eventTypes.failed, data: { id, status, reason, amount_minor: 2_020 } },
    ]);
  },
);

test('a failed delivery is retried on schedule with the same bytes and a new signature', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = fails;
  await pay(bench, key);
  expect(await deliveries(bench, merchantId)).toMatchObject([
    { state: 'waiting', attempts: 1, last_status: 500, next_attempt_at: '2026-03-06T09:00:05.000Z' },
  ]);
  await bench.clock.advance(4_999);
  expect(bench.received).toHaveLength(1);
  await bench.clock.advance(1);
  expect(bench.received).toHaveLength(2);
  bench.answers.webhook = async () => new Response(null, { status: 204 });
  await bench.clock.advance(30_000);
  await bench.clock.advance(7 * day);
  const [first, , third, ...more] = bench.received;
  expect(more).toEqual([]);
  expect(third?.body).toBe(first?.body);
  expect(Number(signatures(third).t)).toBe(Number(signatures(first).t) + 35);
  expect(signatures(third).v1).toEqual([hmac(secret, signatures(third).t, third?.body)]);
  expect(await deliveries(bench, merchantId)).toMatchObject([
    { state: 'delivered', attempts: 3, last_status: 204, next_attempt_at: null },
  ]);
});

test('after the last planned attempt an event is given up', async () => {
  const bench = openBench({ config: { webhook: { retryDelaysMs: [1_000, 2_000] } } });
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = async () => Promise.reject(new TypeError('connection refused'));
  await pay(bench, key);
  await bench.clock.advance(3_600_000);
  expect(bench.received).toHaveLength(3);
  expect(await deliveries(bench, merchantId)).toMatchObject([
    { state: 'given_up', attempts: 3, last_status: null, last_error: 'connection' },
  ]);
});

test('a delivery times out after 10 seconds and is retried', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = hangs;
  await pay(bench, key);
  await bench.clock.advance(10_000);
  expect(await deliveries(bench, merchantId)).toMatchObject([
    { state: 'waiting', attempts: 1, last_error: 'timeout' },
  ]);
  await bench.clock.advance(5_000);
  expect(bench.received).toHaveLength(2);
});

test('an endpoint that hangs does not delay other merchants', async () => {
  const bench = openBench();
  const stuck = await withEndpoint(bench);
  bench.answers.webhook = (request, signal) => (request.url === url ? hangs(request, signal) : takes());
  for (let count = 0; count < 40; count++) await pay(bench, stuck.key);
  expect(bench.received).toHaveLength(32);
  const other = await newMerchant(bench, 'Kofi Cosmetics');
  const otherUrl = 'https://other.example/hook';
  await bench.service.setWebhook({ merchantId: other.merchantId, livemode: false, url: otherUrl });
  await pay(bench, other.key);
  expect(bench.received.filter((request) => request.url === otherUrl)).toHaveLength(1);
});

test('an attempt that a stop interrupted is repeated', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  bench.answers.webhook = hangs;
  await pay(bench, key);
  bench.answers.webhook = takes;
  await bench.restart();
  await bench.clock.advance(60_000);
  expect(bench.received).toHaveLength(2);
  expect(bench.received[1]?.body).toBe(bench.received[0]?.body);
});

test('the retry schedule has thirteen attempts in three days, and each is logged', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = fails;
  const start = bench.clock.now();
  await pay(bench, key);
  await bench.clock.advance(10 * day);
  const [event] = await deliveries(bench, merchantId);
  expect(event).toMatchObject({ state: 'given_up', attempts: 13, last_status: 500, next_attempt_at: null });
  const { log } = await delivery(bench, event?.event_id);
  expect(log.map((attempt) => (Date.parse(String(attempt.started_at)) - start) / 1_000)).toEqual([
    ...[0, 5, 35, 155, 755, 2_555],
    ...[1, 3, 6, 12, 24, 48, 72].map((hours) => 2_555 + hours * 3_600),
  ]);
  expect(new Set(bench.received.map(({ body }) => body)).size).toBe(1);
  expect(new Set(bench.received.map(idOf))).toEqual(new Set([event?.event_id]));
});

test('an event that failed may arrive after a later one', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  const first = await pay(bench, key);
  bench.answers.webhook = fails;
  const second = await pay(bench, key);
  bench.answers.webhook = takes;
  const third = await pay(bench, key);
  await bench.clock.advance(5_000);
  const taken = bench.received.filter((_, index) => index !== 1);
  expect(taken.map(({ body }) => JSON.parse(body).data.id)).toEqual([first, third, second]);
});

test('a failing endpoint gets one event at a time until it accepts one', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  bench.answers.webhook = fails;
  for (let count = 0; count < 6; count++) await pay(bench, key);
  bench.received.length = 0;
  bench.answers.webhook = hangs;
  await bench.clock.advance(9_000);
  expect(bench.received).toHaveLength(1);
  bench.answers.webhook = takes;
  await bench.clock.advance(60_000);
  expect(new Set(bench.received.map(idOf)).size).toBe(6);
});

test('a response with the status 200 and a broken or endless body is a delivery', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  let cancelled = 0;
  bench.answers.webhook = async () =>
    new Response(
      new ReadableStream({
        cancel() {
          cancelled++;
          return Promise.reject(new Error('it broke'));
        },
      }),
    );
  await pay(bench, key);
  expect(await deliveries(bench, merchantId)).toMatchObject([{ state: 'delivered', last_status: 200 }]);
  await bench.clock.advance(1_000);
  expect(cancelled).toBe(1);
});

test('closed events are deleted with their log after 90 days; waiting events stay', async () => {
  const bench = openBench({ config: { webhook: { retryDelaysMs: [200 * day] } } });
  const { key, merchantId } = await withEndpoint(bench);
  const old = await pay(bench, key);
  bench.answers.webhook = fails;
  const waiting = await pay(bench, key);
  await bench.clock.skip(89 * day);
  expect(await deliveries(bench, merchantId)).toHaveLength(2);
  await bench.clock.skip(2 * day);
  expect(await deliveries(bench, merchantId)).toMatchObject([{ session_id: waiting, state: 'waiting' }]);
  await bench.service.stop();
  const file = new Database(bench.file, { readonly: true });
  onTestFinished(() => {
    file.close();
  });
  const logged = file.prepare('SELECT event_id AS id FROM delivery_attempt').all();
  expect(logged).toEqual([{ id: idOf(bench.received[1]) }]);
  expect(bench.received[0]?.body).toContain(old);
  await bench.restart();
});

test('an event without a URL is stored and not sent; live events do not go to the test URL', async () => {
  const { bench, key, merchantId } = await openMerchant();
  await bench.service.setWebhook({ merchantId, livemode: true, url });
  const id = await pay(bench, key);
  expect(bench.received).toEqual([]);
  expect(await deliveries(bench, merchantId)).toMatchObject([
    { session_id: id, state: 'no_endpoint', attempts: 0 },
  ]);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'paid' });
});

test('a redirect is a failure and is not followed', async () => {
  const { port, questions } = await startServer((response) =>
    response.writeHead(307, { location: '/elsewhere' }).end(),
  );
  const { bench, key, merchantId } = await openMerchant({ fetch });
  await bench.service.setWebhook({ merchantId, livemode: false, url: `http://127.0.0.1:${port}/hook` });
  await pay(bench, key);
  await vi.waitFor(
    async () =>
      expect(await deliveries(bench, merchantId)).toMatchObject([{ state: 'waiting', last_status: 307 }]),
    patient,
  );
  expect(questions.map(({ path }) => path)).toEqual(['/hook']);
});
