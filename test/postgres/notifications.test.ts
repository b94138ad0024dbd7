import { expect, test, vi } from 'vitest';
import { prepareIntent } from '../../src/gateway/collection/opening/prepare-intent.ts';
import { createDeliver } from '../../src/gateway/notify/deliver.ts';
import { endpointWrites, notificationEndpointStore } from '../../src/gateway/notify/endpoint-store.ts';
import {
  type Notification,
  notificationStore,
  notificationWrites,
  notifyWrite,
} from '../../src/gateway/notify/notification-store.ts';
import type { PaymentEvent } from '../../src/gateway/notify/payment-events.ts';
import { notificationQueue } from '../../src/gateway/notify/queue.ts';
import { listOpened } from '../../src/gateway/notify/replay-query.ts';
import type { SendNotification, SendResult } from '../../src/gateway/notify/send.ts';
import type { Clock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import type { AmountMinor } from '../../src/shared/money.ts';
import type { Msisdn } from '../../src/shared/msisdn.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { noLimits } from '../gateway/collection/support.ts';
import { testClock } from '../kit/clock.ts';
import { createSilentLog } from '../kit/log.ts';
import {
  behindGate,
  closeGate,
  createDatabase,
  openPostgres,
  runSql,
  untilWaiting,
} from '../kit/postgres.ts';

/* Two gateways on one database, which notify the same endpoint. */

const endpointId = 'ep_1';
const accepted: SendResult = { durationMs: 1, status: 200, error: null, answer: '' };

async function createGateways(count: number) {
  const clock = testClock();
  const now = clock.now();
  const url = await createDatabase();
  const stores = [await openPostgres(url), await openPostgres(url)] as const;
  const waiting = Array.from({ length: count }, (_, index): Notification => {
    const eventId = `evt_${String(index).padStart(2, '0')}`;
    return {
      ...{
        endpointId,
        eventId,
        merchantId: 'demo-shop',
        livemode: 0,
        type: 'payment.paid',
        collectionId: null,
      },
      ...{ body: '{"data":{}}', at: now, state: 'waiting', nextAt: now, fence: 0, plannedAt: now, tries: 0 },
    };
  });
  const endpoint = {
    ...{
      id: endpointId,
      merchantId: 'demo-shop',
      livemode: 0,
      url: 'https://shop.example/hooks',
      wholePayer: 0,
    },
    ...{ secret: 'encrypted', previousSecret: null, previousUntil: null, createdAt: now, failingSince: null },
    ...{ lastFailedAt: null, disabledAt: null, disabledReason: null },
  };
  await stores[0].apply([endpointWrites.insert(endpoint, 10), ...waiting.map(notificationWrites.insert)]);

  function gatewayOn(store: Store, send: SendNotification) {
    const log = createSilentLog();
    const error = vi.spyOn(log, 'error');
    const notifications = notificationStore(store);
    const deliver = createDeliver({
      ...{
        notifications,
        endpoints: notificationEndpointStore(store),
        clock,
        log,
        send,
        ids: { random: () => 0.5 },
      },
      cipher: { encrypt: (secret) => secret, decrypt: () => 'whsec_test' },
    });
    return { queue: notificationQueue({ notifications, deliver }, 0), error };
  }
  return { clock, url, stores, gatewayOn, one: stores[0] };
}

/** A payment that is opened, and its notification. */
function preparePayment(clock: Clock) {
  const now = clock.now();
  const phone = '233244000101' as Msisdn;
  const { row, writes } = prepareIntent(systemIds(clock), {
    ...{ merchantId: 'demo-shop', livemode: 0, channel: 'africastalking', dialogueId: 'dlg_1' },
    ...{ payer: phone, dialler: phone, requestedBy: 'payer', network: 'mtn', retryOf: null },
    ...{ goodsMinor: 2_000 as AmountMinor, shownTotalMinor: null, reference: undefined, limits: noLimits },
    ...{ now, promptDelayMs: 1_500, promptDeadlineMs: 180_000 },
  });
  const opened: PaymentEvent = { id: 'evt_opened', type: 'payment.opened', at: now, collection: row };
  return { row, writes, opened };
}

const states = (store: Store) =>
  store.query('SELECT state, count(*) FROM notification GROUP BY state ORDER BY state', [], 'rows');

test('each notification is sent once by two gateways that look for them at the same time', async () => {
  const { clock, stores, gatewayOn, one } = await createGateways(20);
  const sent: string[] = [];
  const send: SendNotification = async ({ eventId }) => {
    sent.push(eventId);
    return accepted;
  };
  const gateways = stores.map((store) => gatewayOn(store, send));
  for (let round = 0; round < 10; round++) {
    const claimed = await Promise.all(gateways.map(({ queue }) => queue.claim(clock.now(), 16)));
    await Promise.all(claimed.flat().map((deliver) => deliver()));
    await clock.advance(1_000);
  }
  expect(sent.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `evt_${String(n).padStart(2, '0')}`));
  expect(await states(one)).toEqual([['delivered', 20]]);
});

test('an endpoint that is gone is disabled once, and its notifications are cancelled', async () => {
  const { clock, stores, gatewayOn, one } = await createGateways(8);
  const gateways = stores.map((store) =>
    gatewayOn(store, async () => ({ durationMs: 1, status: 410, error: null, answer: '' })),
  );
  const claimed = await Promise.all(gateways.map(({ queue }) => queue.claim(clock.now(), 16)));
  await Promise.all(claimed.flat().map((deliver) => deliver()));
  await clock.advance(1_000);
  await gateways[0]?.queue.claim(clock.now(), 16);
  const alarms = gateways.flatMap(({ error }) =>
    error.mock.calls.filter(([line]) => JSON.stringify(line).includes('endpoint_disabled')),
  );
  expect(alarms).toHaveLength(1);
  expect(await states(one)).toEqual([['cancelled', 8]]);
});

test('what a gateway writes for an endpoint while another one disables it is cancelled, and not sent when it is enabled', async () => {
  const { clock, url, stores, gatewayOn, one } = await createGateways(0);
  const { opened } = preparePayment(clock);
  const openGate = await closeGate(url);
  const writing = stores[1].apply([notifyWrite(opened), behindGate]);
  await untilWaiting(url, 1);
  await one.apply([endpointWrites.disable({ id: endpointId, now: clock.now(), reason: 'person' })]);
  await openGate();
  expect(await writing).toBe(true);
  expect(await states(one)).toEqual([['waiting', 1]]);
  const { queue } = gatewayOn(one, async () => accepted);
  expect(await queue.claim(clock.now(), 16)).toEqual([]);
  expect(await states(one)).toEqual([['cancelled', 1]]);
  await one.apply([endpointWrites.enable({ id: endpointId })]);
  await clock.advance(1_000);
  expect(await queue.claim(clock.now(), 16)).toEqual([]);
});

test('all that waits for a disabled endpoint is cancelled, also more than one batch takes', async () => {
  const { clock, gatewayOn, one } = await createGateways(450);
  await one.apply([endpointWrites.disable({ id: endpointId, now: clock.now(), reason: 'person' })]);
  const { queue } = gatewayOn(one, async () => accepted);
  for (let round = 0; round < 3; round++) {
    expect(await queue.claim(clock.now(), 16)).toEqual([]);
    await clock.advance(50);
  }
  expect(await states(one)).toEqual([['cancelled', 450]]);
});

test('a replay contains a payment that a gateway began to write while the endpoint was disabled', async () => {
  const { clock, url, stores, one } = await createGateways(0);
  const now = clock.now();
  await one.apply([endpointWrites.disable({ id: endpointId, now, reason: 'person' })]);
  const { row, writes, opened } = preparePayment(clock);
  const openGate = await closeGate(url);
  const writing = stores[1].apply([...writes, notifyWrite(opened), behindGate]);
  await untilWaiting(url, 1);
  await one.apply([endpointWrites.enable({ id: endpointId })]);
  const range = { merchantId: 'demo-shop', livemode: 0, from: now - 1, to: now + 1 };
  const listing = listOpened(one, range, { after: undefined, limit: 10 });
  await Promise.race([listing, runSql(url, 'SELECT pg_sleep(0.5)')]);
  await openGate();
  expect(await writing).toBe(true);
  expect(await states(one)).toEqual([]);
  expect(await listing).toEqual([{ id: row.id, openedAt: now }]);
});

test('the delivery of a gateway that was killed is taken over when its lease ends, and a late answer changes nothing', async () => {
  const { clock, stores, gatewayOn, one } = await createGateways(1);
  const first = gatewayOn(stores[0], async () => ({ durationMs: 1, status: 500, error: null, answer: '' }));
  const second = gatewayOn(stores[1], async () => accepted);
  const [suspended] = await first.queue.claim(clock.now(), 16);
  await clock.advance(10_000);
  expect(await second.queue.claim(clock.now(), 16)).toEqual([]);
  await clock.advance(12_000);
  const [taken] = await second.queue.claim(clock.now(), 16);
  await taken?.();
  expect(await states(one)).toEqual([['delivered', 1]]);
  await suspended?.();
  expect(await states(one)).toEqual([['delivered', 1]]);
});

test('a retry that is planned while another gateway takes the delivery over keeps its time', async () => {
  const { clock, stores, gatewayOn, one } = await createGateways(1);
  const first = gatewayOn(stores[0], async () => ({ durationMs: 1, status: 500, error: null, answer: '' }));
  const [slow] = await first.queue.claim(clock.now(), 16);
  await clock.advance(22_000);
  // The lease is over and the other gateway has listed the delivery. Before it claims it, the answer to the first attempt arrives.
  const store: Store = {
    ...stores[1],
    async apply(batch) {
      await slow?.();
      return stores[1].apply(batch);
    },
  };
  const second = gatewayOn(store, async () => accepted);
  expect(await second.queue.claim(clock.now(), 16)).toEqual([]);
  const [nextAt] = (await one.query('SELECT next_at FROM notification', [], 'row')) as [number];
  expect(nextAt).toBeGreaterThan(clock.now());
});

test('a delivery that a person sends again after it was listed is claimed by one gateway', async () => {
  const { clock, stores, gatewayOn, one } = await createGateways(1);
  const key = { endpointId, eventId: 'evt_00' };
  const store: Store = {
    ...stores[1],
    async apply(batch) {
      await one.apply([notificationWrites.resend({ ...key, now: clock.now() })]);
      return stores[1].apply(batch);
    },
  };
  expect(await gatewayOn(store, async () => accepted).queue.claim(clock.now(), 16)).toEqual([]);
  const [claimed] = await gatewayOn(one, async () => accepted).queue.claim(clock.now(), 16);
  await claimed?.();
  expect(await states(one)).toEqual([['delivered', 1]]);
});
