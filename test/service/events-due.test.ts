import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '../../src/db/sqlite.ts';
import { type Event, eventStore } from '../../src/service/event/event-store.ts';
import { endpointStore } from '../../src/service/webhook/endpoint-store.ts';
import { testClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';

function openEvents() {
  const store = openSqlite({
    file: join(temporaryFolder(), 'service.db'),
    schema: 'service',
    clock: testClock(),
  });
  onTestFinished(() => store.close());
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
      lastAttemptAt: null,
      lastStatus: null,
      lastError: null,
    };
    return store.apply([events.insert(event)]);
  };
  return { store, events, endpoints: endpointStore(store), wait };
}

const placesOf = (due: readonly Event[]) =>
  due.map(({ platformId, livemode, nextAt }) => `${platformId} ${livemode} ${nextAt}`);

test('what is due is the earliest of each place and mode, so that none hides another', async () => {
  const { events, wait } = openEvents();
  for (let at = 1; at <= 40; at++) await wait('plt_dead', 0, at);
  for (let at = 51; at <= 53; at++) {
    await wait('plt_dead', 1, at);
    await wait('plt_alive', 1, at + 10);
  }
  await wait('plt_zero', 0, 101);
  expect(placesOf(await events.due(100, 100, 2))).toEqual([
    'plt_dead 0 1',
    'plt_dead 0 2',
    'plt_dead 1 51',
    'plt_dead 1 52',
    'plt_alive 1 61',
    'plt_alive 1 62',
  ]);
  expect(placesOf(await events.due(100, 3, 2))).toHaveLength(3);
  expect(await events.due(0, 100, 2)).toEqual([]);
  expect(await events.nextDue(100)).toBe(101);
});

test('an event is not put aside when its place got an endpoint in the meantime', async () => {
  const { store, events, endpoints, wait } = openEvents();
  await wait('plt_1', 0, 1);
  const [event] = await events.due(1, 1, 1);
  const place = { platformId: 'plt_1', livemode: 0 } as const;
  const aside = { ...place, id: event?.id ?? '', attempts: 0, state: 'no_endpoint' } as const;
  const url = 'https://merchant.example/hook';
  await store.apply([endpoints.setUrl({ ...place, merchantId: 'mch_1' }, url, 1)]);
  expect(await store.apply([events.putAside(aside)])).toBe(false);
  const failure = { ...place, url, now: 5, failedBefore: 5 };
  await store.apply(endpoints.fails(failure));
  await store.apply(endpoints.fails(failure));
  expect(await store.apply([events.putAside(aside)])).toBe(true);
  expect(await events.findAny(aside.id)).toMatchObject({ state: 'no_endpoint', nextAt: null });
});
