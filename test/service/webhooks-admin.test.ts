import { expect, test } from 'vitest';
import { Database } from '../../src/sqlite/driver.ts';
import { json, openBench, openLiveMerchant, openMerchant, refusal } from './support.ts';
import {
  admin,
  day,
  deliveries,
  delivery,
  endpoints,
  fails,
  hangs,
  hour,
  idOf,
  pay,
  payingRail,
  payLive,
  takes,
  url,
  withEndpoint,
} from './webhook-support.ts';

/** An endpoint that fails is switched off after a day, and tried every hour until then. */
const hourly = { webhook: { retryDelaysMs: Array<number>(100).fill(hour), disableAfterMs: day } };

test('the log of an event has each attempt: number, time, duration, status, error, URL', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  const other = 'https://merchant.example/other';
  bench.answers.webhook = hangs;
  await pay(bench, key);
  const id = idOf(bench.received[0]);
  expect((await delivery(bench, id)).log).toEqual([]);
  await bench.clock.advance(10_000);
  bench.answers.webhook = async () => Promise.reject(new TypeError('connection refused'));
  await bench.clock.advance(5_000);
  await bench.service.setWebhook({ merchantId, livemode: false, url: other });
  bench.answers.webhook = async () => new Response(null, { status: 204 });
  await bench.clock.advance(30_000);
  expect(await delivery(bench, id)).toMatchObject({
    event_id: id,
    livemode: false,
    state: 'delivered',
    attempts: 3,
    last_status: 204,
    last_error: null,
    log: [
      {
        ...{ number: 1, started_at: '2026-03-06T09:00:00.000Z', duration_ms: 10_000 },
        error: 'timeout',
        url,
      },
      { ...{ number: 2, started_at: '2026-03-06T09:00:15.000Z', duration_ms: 0 }, error: 'connection', url },
      { ...{ number: 3, started_at: '2026-03-06T09:00:45.000Z' }, status: 204, error: null, url: other },
    ],
  });
});

test('an attempt that a stop cut off is counted and has no entry in the log', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  bench.answers.webhook = hangs;
  await pay(bench, key);
  bench.answers.webhook = takes;
  await bench.restart();
  await bench.clock.advance(60_000);
  expect(await delivery(bench, idOf(bench.received[0]))).toMatchObject({
    state: 'delivered',
    attempts: 2,
    log: [{ number: 2, status: 200 }],
  });
});

test.each([
  ['delivered', takes, 0, 1],
  ['given_up', fails, 7 * day, 13],
] as const)(
  'a resend of an event that was %s sends the same bytes again',
  async (state, answers, ms, sent) => {
    const bench = openBench();
    const { key } = await withEndpoint(bench);
    bench.answers.webhook = answers;
    await pay(bench, key);
    await bench.clock.advance(ms);
    const id = idOf(bench.received[0]);
    expect(await delivery(bench, id)).toMatchObject({ state, attempts: sent });
    bench.answers.webhook = takes;
    const answer = await admin(bench, 'POST', `/events/${id}/resend`);
    expect(answer.status).toBe(200);
    expect(await json(answer)).toMatchObject({ event_id: id, state: 'waiting' });
    await bench.clock.advance(0);
    expect(bench.received).toHaveLength(sent + 1);
    expect(bench.received.at(-1)?.body).toBe(bench.received[0]?.body);
    expect(await delivery(bench, id)).toMatchObject({ state: 'delivered', attempts: sent + 1 });
  },
);

test('a resend begins the plan anew, and one under an idempotency key has its effect once', async () => {
  const bench = openBench();
  const { key } = await withEndpoint(bench);
  await pay(bench, key);
  const id = idOf(bench.received[0]);
  bench.answers.webhook = fails;
  const first = await admin(bench, 'POST', `/events/${id}/resend`, {}, 'resend-1');
  await bench.clock.advance(0);
  const again = await admin(bench, 'POST', `/events/${id}/resend`, {}, 'resend-1');
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await again.text()).toBe(await first.text());
  await bench.clock.advance(7 * day);
  expect(await delivery(bench, id)).toMatchObject({ state: 'given_up', attempts: 14 });
});

test('an event resent while an attempt runs is sent once more after it, and both are in the log', async () => {
  const bench = openBench({ config: { webhook: { retryDelaysMs: [] } } });
  const { key } = await withEndpoint(bench);
  bench.answers.webhook = hangs;
  await pay(bench, key);
  const id = idOf(bench.received[0]);
  await admin(bench, 'POST', `/events/${id}/resend`);
  await bench.clock.advance(0);
  expect(bench.received).toHaveLength(1);
  bench.answers.webhook = takes;
  await bench.clock.advance(10_000);
  expect(await delivery(bench, id)).toMatchObject({
    state: 'delivered',
    log: [
      { number: 1, error: 'timeout' },
      { number: 2, status: 200 },
    ],
  });
});

test('an event kept while no URL was set is sent by a resend once there is one', async () => {
  const { bench, key, merchantId } = await openMerchant();
  await pay(bench, key);
  const [event] = await deliveries(bench, merchantId);
  expect(event).toMatchObject({ state: 'no_endpoint', attempts: 0 });
  await bench.service.setWebhook({ merchantId, livemode: false, url });
  await bench.clock.advance(day);
  expect(bench.received).toEqual([]);
  await admin(bench, 'POST', `/events/${event?.event_id}/resend`);
  await bench.clock.advance(0);
  expect(bench.received.map(idOf)).toEqual([event?.event_id]);
});

test('events and endpoints that do not exist are refused by their codes', async () => {
  const { bench, merchantId } = await openMerchant();
  for (const [method, path, code, body] of [
    ['GET', '/events/evt_none', 'event_not_found', undefined],
    ['POST', '/events/evt_none/resend', 'event_not_found', {}],
    ['GET', '/merchants/mch_none/webhooks', 'merchant_not_found', undefined],
    ['POST', `/merchants/${merchantId}/webhook/rotate`, 'endpoint_not_found', { livemode: false }],
  ] as const) {
    expect(await refusal(await admin(bench, method, path, body))).toMatchObject({ status: 404, code });
  }
});

test('an endpoint is failing from its first failure to its next success', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  expect(await endpoints(bench, merchantId)).toMatchObject([{ url, failing_since: null, disabled_at: null }]);
  bench.answers.webhook = fails;
  await bench.clock.advance(60_000);
  await pay(bench, key);
  await bench.clock.advance(600_000);
  expect(await endpoints(bench, merchantId)).toMatchObject([{ failing_since: '2026-03-06T09:01:00.000Z' }]);
  bench.answers.webhook = takes;
  await pay(bench, key);
  expect(await endpoints(bench, merchantId)).toMatchObject([{ failing_since: null, disabled_at: null }]);
});

test('an endpoint that fails for too long is disabled, and set again it gets every event', async () => {
  const bench = openBench({ config: hourly });
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = fails;
  await pay(bench, key);
  await bench.clock.advance(day - hour);
  expect(await endpoints(bench, merchantId)).toMatchObject([{ disabled_at: null }]);
  await bench.clock.advance(hour);
  expect(await endpoints(bench, merchantId)).toMatchObject([
    { failing_since: '2026-03-06T09:00:00.000Z', disabled_at: '2026-03-07T09:00:00.000Z' },
  ]);
  const sent = bench.received.length;
  await pay(bench, key);
  await bench.clock.advance(3 * day);
  expect(bench.received).toHaveLength(sent);
  expect(await deliveries(bench, merchantId)).toMatchObject([
    { state: 'endpoint_disabled', attempts: 0 },
    { state: 'endpoint_disabled', attempts: sent },
  ]);

  bench.answers.webhook = takes;
  bench.received.length = 0;
  await bench.service.setWebhook({ merchantId, livemode: false, url });
  await bench.clock.advance(0);
  expect(await deliveries(bench, merchantId)).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
  expect(new Set(bench.received.map(idOf)).size).toBe(2);
  expect(await endpoints(bench, merchantId)).toMatchObject([{ failing_since: null, disabled_at: null }]);
});

test('however many events a disabled endpoint has kept, setting it again sends them all', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  await pay(bench, key);
  await bench.service.stop();
  const file = new Database(bench.file);
  file
    .prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      INSERT INTO event (id, merchant_id, platform_id, livemode, type, session_id, body, created_at, state,
                         attempts, tries, repeats)
      SELECT printf('evt_0%025d', i), merchant_id, platform_id, livemode, type, session_id, body, created_at,
             'endpoint_disabled', 0, 0, 0 FROM event, n`)
    .run();
  file.close();
  await bench.restart();
  bench.received.length = 0;
  await bench.service.setWebhook({ merchantId, livemode: false, url });
  for (let count = 0; count < 1_000 && bench.received.length < 1_200; count++) await bench.clock.advance(0);
  expect(new Set(bench.received.map(idOf)).size).toBe(1_200);
  expect(await deliveries(bench, merchantId, '?state=endpoint_disabled')).toEqual([]);
});

test('one success is enough to keep an endpoint from being disabled', async () => {
  const bench = openBench({ config: hourly });
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = fails;
  await pay(bench, key);
  await bench.clock.advance(20 * hour);
  bench.answers.webhook = takes;
  await pay(bench, key);
  bench.answers.webhook = fails;
  await bench.clock.advance(23 * hour);
  expect(await endpoints(bench, merchantId)).toMatchObject([
    { failing_since: '2026-03-07T06:00:00.000Z', disabled_at: null },
  ]);
});

test('time in which nothing was tried is not time of failing: one failure after it disables nothing', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = fails;
  await pay(bench, key);
  await bench.clock.advance(4 * day);
  expect(await deliveries(bench, merchantId)).toMatchObject([{ state: 'given_up', attempts: 13 }]);
  await bench.clock.skip(60 * day);
  await pay(bench, key);
  const blip = new Date(bench.clock.now()).toISOString();
  expect(await endpoints(bench, merchantId)).toMatchObject([{ failing_since: blip, disabled_at: null }]);
  bench.answers.webhook = takes;
  await bench.clock.advance(5_000);
  expect((await deliveries(bench, merchantId))[0]).toMatchObject({ state: 'delivered', attempts: 2 });
});

test('nor is time in which the service was down', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = fails;
  await pay(bench, key);
  await bench.clock.advance(day);
  await bench.service.stop();
  await bench.clock.skip(6 * day);
  await bench.restart();
  await bench.clock.advance(0);
  expect(await endpoints(bench, merchantId)).toMatchObject([{ disabled_at: null }]);
  expect(await deliveries(bench, merchantId)).toMatchObject([{ state: 'waiting', last_status: 500 }]);
});

test('an endpoint that fails whatever is sent to it, a day apart, is disabled after five days', async () => {
  const bench = openBench();
  const { key, merchantId } = await withEndpoint(bench);
  bench.answers.webhook = fails;
  const since = new Date(bench.clock.now()).toISOString();
  await pay(bench, key);
  await bench.clock.advance(3 * day + hour);
  await pay(bench, key);
  await bench.clock.advance(2 * day - 2 * hour);
  expect(await endpoints(bench, merchantId)).toMatchObject([{ failing_since: since, disabled_at: null }]);
  await bench.clock.advance(day);
  expect(await endpoints(bench, merchantId)).toMatchObject([
    { failing_since: since, disabled_at: expect.any(String) },
  ]);
});

test('a URL is kept in its plain form, without blanks around it or line ends within', async () => {
  const { bench, merchantId } = await openMerchant();
  const answer = await admin(bench, 'PUT', `/merchants/${merchantId}/webhook`, {
    livemode: false,
    url: ' HTTPS://Merchant.example:443/h\nook ',
  });
  expect(await json(answer)).toMatchObject({ url });
  expect(await endpoints(bench, merchantId)).toMatchObject([{ url }]);
});

test("what a URL did is not counted against the one set in its stead, nor one mode's against the other's", async () => {
  const bench = openBench({ config: hourly });
  const { key, merchantId } = await withEndpoint(bench);
  await bench.service.setWebhook({ merchantId, livemode: true, url });
  bench.answers.webhook = hangs;
  await pay(bench, key);
  await bench.service.setWebhook({ merchantId, livemode: false, url: 'https://merchant.example/new' });
  await bench.clock.advance(10_000);
  expect(await endpoints(bench, merchantId)).toMatchObject([
    { livemode: false, url: 'https://merchant.example/new', failing_since: null },
    { livemode: true, failing_since: null },
  ]);
});

test('the list of endpoints shows no secret', async () => {
  const { bench, merchantId } = await openMerchant();
  const { secret } = await bench.service.setWebhook({ merchantId, livemode: false, url });
  const shown = JSON.stringify(await endpoints(bench, merchantId));
  expect(shown).toContain(url);
  expect(shown).not.toContain(secret);
  expect(shown).not.toContain('whsec_');
});

test('deliveries are listed by mode, platform and state, and older than a given one', async () => {
  const { bench, key, liveKey, merchantId } = await openLiveMerchant({ liveRail: payingRail });
  const first = await pay(bench, key);
  await bench.service.setWebhook({ merchantId, livemode: false, url });
  const second = await pay(bench, key);
  const live = await payLive(bench, liveKey);
  const [newest] = await deliveries(bench, merchantId);
  const of = async (query: string) =>
    (await deliveries(bench, merchantId, query)).map(({ session_id: id }) => id);
  expect(await of('')).toEqual([second, first]);
  expect(await of('?livemode=true')).toEqual([live]);
  expect(await of('?state=no_endpoint')).toEqual([first]);
  expect(await of(`?platform_id=${newest?.platform_id}&state=delivered`)).toEqual([second]);
  expect(await of('?platform_id=plt_none')).toEqual([]);
  expect(await of(`?cursor=${newest?.event_id}`)).toEqual([first]);
});
