import { expect, test } from 'vitest';
import { resolveSettings } from '../../src/service/config.ts';
import { type Event, eventStore } from '../../src/service/event/event-store.ts';
import { createDeliverer } from '../../src/service/webhook/deliver.ts';
import { attemptStore, webhookStore } from '../../src/service/webhook/webhook-store.ts';
import { testClock } from '../kit/clock.ts';
import { createSilentLog } from '../kit/log.ts';
import { openOwnStore } from '../kit/migrated.ts';

const clock = testClock();

function openEvents() {
  const { store } = openOwnStore('service', { clock });
  const events = eventStore(store);
  let made = 0;
  const wait = (platformId: string, livemode: 0 | 1, nextAt: number) => {
    const event: Event = {
      id: `evt_${String(++made).padStart(26, '0')}`,
      merchantId: 'mch_1',
      ...{ platformId, livemode, nextAt },
      type: 'payment.session.paid',
      sessionId: 'pay_1',
      body: '{}',
      createdAt: 0,
      state: 'waiting',
      attempts: 0,
      tries: 0,
      repeats: 0,
      lastAttemptAt: null,
      lastStatus: null,
      lastError: null,
    };
    return store.apply([events.insert(event)]);
  };
  return { store, events, endpoints: webhookStore(store), wait };
}

test('every endpoint with due events is found, the longest overdue first, whatever the number of waiting events', async () => {
  const { events, wait } = openEvents();
  for (let at = 1; at <= 40; at++) await wait('plt_dead', 0, at);
  for (let at = 51; at <= 53; at++) {
    await wait('plt_dead', 1, at);
    await wait('plt_alive', 1, at + 10);
  }
  await wait('plt_zero', 0, 101);
  expect(await events.endpointsDue(100)).toEqual([
    { platformId: 'plt_dead', livemode: 0 },
    { platformId: 'plt_dead', livemode: 1 },
    { platformId: 'plt_alive', livemode: 1 },
  ]);
  expect(await events.endpointsDue(0)).toEqual([]);
  expect(await events.nextDue(100)).toBe(101);
});

test('the due events of one endpoint are found, the longest overdue first', async () => {
  const { events, wait } = openEvents();
  for (const at of [30, 10, 20, 101]) await wait('plt_1', 0, at);
  await wait('plt_1', 1, 1);
  await wait('plt_2', 0, 1);
  const place = { platformId: 'plt_1', livemode: 0 } as const;
  const timesOf = (due: readonly Event[]) => due.map(({ nextAt }) => nextAt);
  expect(timesOf(await events.due(place, 100, 2))).toEqual([10, 20]);
  expect(timesOf(await events.due(place, 100, 9))).toEqual([10, 20, 30]);
});

test('an event is not marked undeliverable when its endpoint is set in the meantime', async () => {
  const { store, events, endpoints, wait } = openEvents();
  await wait('plt_1', 0, 1);
  const place = { platformId: 'plt_1', livemode: 0 } as const;
  const [event] = await events.due(place, 1, 1);
  const aside = { ...place, id: event?.id ?? '', attempts: 0, state: 'no_endpoint' } as const;
  const url = 'https://merchant.example/hook';
  await store.apply([endpoints.setUrl({ ...place, merchantId: 'mch_1' }, url, 1)]);
  expect(await store.apply([events.markUndeliverable(aside)])).toBe(false);
  const failure = { ...place, url, now: 5, failingBefore: 5, lastFailureAfter: 0 };
  await store.apply([endpoints.recordFailure(failure)]);
  await store.apply([endpoints.recordFailure(failure)]);
  expect(await store.apply([events.markUndeliverable(aside)])).toBe(true);
  expect(await events.findAny(aside.id)).toMatchObject({ state: 'no_endpoint', nextAt: null });
});

test('an event whose endpoint is set while it is being marked undeliverable is sent in the next round', async () => {
  const { store, events, endpoints, wait } = openEvents();
  await wait('plt_1', 0, 1);
  const place = { platformId: 'plt_1', livemode: 0 } as const;
  const sent: string[] = [];
  const { round, drain } = createDeliverer({
    store,
    events,
    attempts: attemptStore(store),
    endpoints: {
      ...endpoints,
      async find(asked) {
        const found = await endpoints.find(asked);
        await store.apply([endpoints.setUrl({ ...place, merchantId: 'mch_1' }, 'https://shop.example/', 1)]);
        return found;
      },
    },
    config: { ...resolveSettings({ databaseFile: '', adminToken: 'x'.repeat(16) }).webhook },
    clock,
    log: createSilentLog(),
    async send({ id }) {
      sent.push(id);
      return { durationMs: 0, status: 200, error: null, excerpt: Promise.resolve(null) };
    },
    wake: () => undefined,
  });
  const { signal } = new AbortController();
  expect(await round(signal)).toBe(clock.now());
  await round(signal);
  await drain();
  expect(sent).toHaveLength(1);
});
