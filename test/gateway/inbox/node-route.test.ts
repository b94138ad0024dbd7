import { expect, test } from 'vitest';
import { signPayload } from '../../../src/service/webhook/attempt.ts';
import type { Served } from '../../../src/shared/http/server.ts';
import { StoreFault } from '../../../src/sqlite/store.ts';
import { serve } from '../../kit/local-server.ts';
import { createTill, type Till, webhookSecret } from '../../kit/till.ts';

type Sent = { path?: string; method?: string; headers?: Record<string, string>; body: string };

const eventOf = (id: string) =>
  JSON.stringify({
    ...{ id, type: 'payment.session.failed', created_at: '2026-03-06T09:00:30.000Z' },
    data: { id: 'pay_unknown' },
  });

/** Serves one gateway with and without the direct route. */
async function openBoth(options: Parameters<typeof createTill>[0] = {}) {
  const till = await createTill(options);
  const { app, access, answerDirectly } = till.gateway();
  let direct = 0;
  const counted: NonNullable<Served['answerDirectly']> = (...given) => {
    const isAnswered = answerDirectly(...given);
    if (isAnswered === true) direct++;
    return isAnswered;
  };
  const urls = [
    (await serve({ fetch: app.fetch, access, answerDirectly: counted })).url,
    (await serve({ fetch: app.fetch, access })).url,
  ];
  /** Sends one event each way and returns both answers, without what differs from request to request. */
  const both = async (make: (event: string) => Sent) => {
    const before = direct;
    const answers = [];
    for (const [way, url] of urls.entries()) {
      const { path = '/webhooks/demo-shop', ...init } = make(eventOf(`evt_${way}_${before}`));
      const answer = await fetch(`${url}${path}`, { method: 'POST', ...init });
      const headers = [...answer.headers].filter(
        ([name]) => !['x-request-id', 'date', 'content-length'].includes(name),
      );
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
      answers.push({ status: answer.status, headers, body: await answer.text() });
    }
    expect(answers[0]).toEqual(answers[1]);
    return { isDirect: direct > before, status: answers[0]?.status };
  };
  return { till, both, urls, url: urls[0] ?? '' };
}

function signed(till: Till, body: string, changed: Record<string, string> = {}): Sent {
  const signature = signPayload([webhookSecret], till.clock.now(), body);
  const headers = { 'content-type': 'application/json', 'service-signature': signature, ...changed };
  return { headers, body };
}

test('a usual delivery gets the same answer with and without Hono', async () => {
  const { till, both } = await openBoth();
  const forged = { 'service-signature': 't=1,v1=00' };
  expect(await both((event) => signed(till, event))).toEqual({ isDirect: true, status: 200 });
  expect(await both((event) => signed(till, event, forged))).toEqual({ isDirect: true, status: 401 });
  expect(await both(() => signed(till, '{"broken'))).toEqual({ isDirect: true, status: 400 });
  expect(await both((event) => signed(till, event, { 'content-type': 'text/plain' }))).toEqual({
    isDirect: true,
    status: 415,
  });
  expect(await both((event) => ({ ...signed(till, event), path: '/webhooks/none' }))).toEqual({
    isDirect: true,
    status: 401,
  });
  expect(await till.inbox()).toHaveLength(2);
});

test('an unusual delivery is left to Hono', async () => {
  const { till, both } = await openBoth();
  const unusual: [status: number, sent: (event: string) => Sent][] = [
    [401, (body) => ({ body, headers: { 'content-type': 'application/json' } })],
    [413, () => signed(till, 'x'.repeat(64 * 1024 + 1))],
    [404, (event) => ({ ...signed(till, event), path: '/webhooks/demo-shop/more' })],
    [401, (event) => ({ ...signed(till, event), path: '/webhooks/demo%20shop' })],
    [404, (event) => ({ ...signed(till, event), method: 'PUT' })],
  ];
  for (const [status, sent] of unusual) expect(await both(sent)).toEqual({ isDirect: false, status });
  expect(await till.inbox()).toEqual([]);
});

test('forged deliveries over the limit of unauthenticated requests get 429, and a valid one is stored', async () => {
  const { till, url } = await openBoth();
  const send = async (changed: Record<string, string> = {}) =>
    (await fetch(`${url}/webhooks/demo-shop`, { method: 'POST', ...signed(till, eventOf('evt_1'), changed) }))
      .status;
  const statuses = new Set<number>();
  for (let n = 0; n < 150; n++) statuses.add(await send({ 'service-signature': 't=1,v1=00' }));
  expect([...statuses]).toEqual([401, 429]);
  expect(await send()).toBe(200);
  expect(await till.inbox()).toHaveLength(1);
});

test('a valid delivery that cannot be stored gets 503, however many there were, and no 429', async () => {
  let isFull = false;
  const { till, urls } = await openBoth({
    wrapStore: (store) => ({
      ...store,
      apply: (batch, signal) =>
        isFull ? Promise.reject(new StoreFault('full', 'no space')) : store.apply(batch, signal),
    }),
  });
  for (const [way, url] of urls.entries()) {
    isFull = true;
    const send = async () => {
      const sent = signed(till, eventOf(`evt_${way}`));
      return (await fetch(`${url}/webhooks/demo-shop`, { method: 'POST', ...sent })).status;
    };
    const statuses = new Set<number>();
    for (let n = 0; n < 110; n++) statuses.add(await send());
    expect([...statuses]).toEqual([503]);
    isFull = false;
    expect(await send()).toBe(200);
  }
});
