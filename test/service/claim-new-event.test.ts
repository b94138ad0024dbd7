import { expect, test } from 'vitest';
import { resolveSettings } from '../../src/service/config.ts';
import { type Event, eventStore } from '../../src/service/event/event-store.ts';
import { createDeliverer } from '../../src/service/webhook/deliver.ts';
import { attemptStore, webhookStore } from '../../src/service/webhook/webhook-store.ts';
import { testClock } from '../kit/clock.ts';
import { createSilentLog } from '../kit/log.ts';
import { openOwnStore } from '../kit/migrated.ts';

const endpoint = { platformId: 'plt_1', livemode: 0, merchantId: 'mch_1' } as const;
const url = 'https://shop.example/hook';

function eventOf(number: number): Event {
  return {
    ...{ id: `evt_${number}`, ...endpoint, type: 'payment.session.paid', sessionId: 'pay_1', body: '{}' },
    ...{ createdAt: 0, state: 'waiting', nextAt: 0, attempts: 0, tries: 0, repeats: 0 },
    ...{ lastAttemptAt: null, lastStatus: null, lastError: null },
  };
}

/** A deliverer of one endpoint with two slots, whose loop has run once. Deliveries end when `answer` is called. */
async function openDeliverer({ isRunning = true }: { isRunning?: boolean } = {}) {
  const clock = testClock();
  const { store } = openOwnStore('service', { clock });
  const [events, endpoints] = [eventStore(store), webhookStore(store)];
  await store.apply([endpoints.setUrl(endpoint, url, 1)]);
  const sent: { id: string; url: string }[] = [];
  const waiting: (() => void)[] = [];
  const woken: number[] = [];
  const config = resolveSettings({ databaseFile: '', adminToken: 'x'.repeat(16) }).webhook;
  const open = () =>
    createDeliverer({
      ...{ store, events, endpoints, attempts: attemptStore(store), clock, log: createSilentLog() },
      config: { ...config, maxInFlightPerEndpoint: 2 },
      async send({ id }, target) {
        sent.push({ id, url: target.url });
        await new Promise<void>((resolve) => waiting.push(resolve));
        return { durationMs: 0, status: 200, error: null, excerpt: null };
      },
      wake: (at) => void woken.push(at),
    });
  const deliverer = open();
  const stopping = new AbortController();
  if (isRunning) await deliverer.round(stopping.signal);
  const answer = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { clock, store, events, endpoints, sent, woken, deliverer, open, stopping, config, answer };
}

test('a claimed event is stored with its attempt counted, is sent without a round, and ends delivered', async () => {
  const { clock, store, events, sent, deliverer, config, answer } = await openDeliverer();
  const claimed = await deliverer.claimNew(eventOf(1));
  const leaseUntil = clock.now() + config.timeoutMs + 5_000;
  expect(claimed?.event).toMatchObject({
    attempts: 1,
    tries: 1,
    lastAttemptAt: clock.now(),
    nextAt: leaseUntil,
  });
  expect(sent).toEqual([]);
  claimed?.applied(await store.apply([events.insert(claimed.event)]));
  await expect.poll(() => sent).toEqual([{ id: 'evt_1', url }]);
  answer();
  await deliverer.drain();
  expect(await events.findAny('evt_1')).toMatchObject({ state: 'delivered', attempts: 1, nextAt: null });
});

test('an event whose batch was not stored is not sent, and its slot is free again', async () => {
  const { sent, deliverer } = await openDeliverer();
  const claims = [await deliverer.claimNew(eventOf(1)), await deliverer.claimNew(eventOf(2))];
  expect(await deliverer.claimNew(eventOf(3))).toBeUndefined();
  for (const claim of claims) claim?.applied(false);
  await deliverer.drain();
  expect(await deliverer.claimNew(eventOf(3))).toBeDefined();
  expect(sent).toEqual([]);
});

test('no event is claimed before the loop runs, after it stops, or for an endpoint that is unknown, failing or disabled', async () => {
  const before = await openDeliverer({ isRunning: false });
  expect(await before.deliverer.claimNew(eventOf(1))).toBeUndefined();

  const { store, endpoints, deliverer, stopping } = await openDeliverer();
  expect(await deliverer.claimNew({ ...eventOf(1), livemode: 1 })).toBeUndefined();
  const failure = { ...endpoint, url, lastFailureAfter: 0 };
  await store.apply([endpoints.recordFailure({ ...failure, now: 5, failingBefore: 0 })]);
  expect(await deliverer.claimNew(eventOf(1))).toBeUndefined();
  await store.apply([endpoints.recordFailure({ ...failure, now: 9, failingBefore: 9 })]);
  expect(await endpoints.find(endpoint)).toMatchObject({ disabledAt: 9 });
  expect(await deliverer.claimNew(eventOf(1))).toBeUndefined();
  await store.apply([endpoints.setUrl(endpoint, url, 10)]);
  stopping.abort();
  expect(await deliverer.claimNew(eventOf(1))).toBeUndefined();
});

test('a URL that is set while the batch is being written gets the event', async () => {
  const { store, events, endpoints, sent, deliverer, answer } = await openDeliverer();
  const claimed = await deliverer.claimNew(eventOf(1));
  await store.apply([endpoints.setUrl(endpoint, 'https://shop.example/next', 2)]);
  claimed?.applied(await store.apply([events.insert(claimed.event)]));
  await expect.poll(() => sent).toEqual([{ id: 'evt_1', url: 'https://shop.example/next' }]);
  answer();
  await deliverer.drain();
});

test('a claimed event whose process ends before it is sent is sent by the next one when its lease is over', async () => {
  const { clock, store, events, sent, deliverer, open, answer } = await openDeliverer();
  const claimed = await deliverer.claimNew(eventOf(1));
  const nextAt = claimed?.event.nextAt ?? 0;
  if (claimed) await store.apply([events.insert(claimed.event)]);
  const next = open();
  const { signal } = new AbortController();
  expect(await next.round(signal)).toBe(nextAt);
  await clock.advance(nextAt - clock.now());
  await next.round(signal);
  expect(sent).toEqual([{ id: 'evt_1', url }]);
  answer();
  await next.drain();
  expect(await events.findAny('evt_1')).toMatchObject({ state: 'delivered', attempts: 2 });
});

test('events that wait for a slot are sent when claimed ones end', async () => {
  const { clock, store, events, sent, woken, deliverer, answer } = await openDeliverer();
  const { signal } = new AbortController();
  for (const number of [1, 2]) {
    const claimed = await deliverer.claimNew(eventOf(number));
    claimed?.applied(await store.apply([events.insert(claimed.event)]));
  }
  await store.apply([events.insert({ ...eventOf(3), nextAt: clock.now() })]);
  await deliverer.round(signal);
  await expect.poll(() => sent).toHaveLength(2);
  woken.length = 0;
  answer();
  await deliverer.drain();
  expect(woken).toContain(clock.now());
  await deliverer.round(signal);
  expect(sent.map(({ id }) => id)).toEqual(['evt_1', 'evt_2', 'evt_3']);
  answer();
  await deliverer.drain();
});
