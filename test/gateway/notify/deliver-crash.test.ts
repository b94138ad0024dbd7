import { expect, test } from 'vitest';
import { createDeliver } from '../../../src/gateway/notify/deliver.ts';
import {
  endpointWrites,
  type NotificationEndpoint,
  notificationEndpointStore,
} from '../../../src/gateway/notify/endpoint-store.ts';
import {
  type Notification,
  notificationStore,
  notificationWrites,
} from '../../../src/gateway/notify/notification-store.ts';
import { notificationQueue } from '../../../src/gateway/notify/queue.ts';
import { giveUpAfterMs } from '../../../src/gateway/notify/retry-plan.ts';
import type { SendResult } from '../../../src/gateway/notify/send.ts';
import { createSilentLog } from '../../kit/log.ts';
import { createBench } from '../collection/bench.ts';

/** Returns a notification that is due, of a merchant's endpoint. */
function dueOf(merchantId: string, endpointId: string, n: number): Notification {
  return {
    ...{ endpointId, eventId: `evt_${n}`, merchantId, livemode: 0, type: 'payment.paid', collectionId: null },
    ...{ body: '{"data":{}}', at: 0, state: 'waiting', nextAt: 0, fence: 0, plannedAt: 0, tries: 0 },
  };
}

/** A store in which four deliveries of one endpoint are due; `isLost` decides whether a claim fails. */
function storeOf(isLost: () => boolean): Parameters<typeof notificationQueue>[0]['notifications'] {
  const due = [1, 2, 3, 4].map((n) => dueOf('demo-shop', 'ep_1', n));
  return {
    listWaiting: async () => [],
    listEndpoints: async () => [{ endpointId: 'ep_1', merchantId: 'demo-shop', isActive: true, firstDue: 0 }],
    listDue: async (_id: string, _now: number, limit: number) => due.slice(0, limit),
    async apply() {
      if (isLost()) throw new Error('the connection was lost');
      return true;
    },
  };
}

test('a claim that fails takes no place from later deliveries, and nothing from the claims beside it', async () => {
  let claims = 0;
  const notifications = storeOf(() => ++claims === 4);
  const queue = notificationQueue({ notifications, deliver: async () => {} }, 0);
  const sizes: number[] = [];
  for (let round = 1; round <= 4; round++) {
    const jobs = await queue.claim(round * 60_000, 16);
    await Promise.all(jobs.map((job) => job()));
    sizes.push(jobs.length);
  }
  expect(sizes).toEqual([3, 4, 4, 4]);
});

test('a round whose claims all fail reports the fault', async () => {
  const queue = notificationQueue({ notifications: storeOf(() => true), deliver: async () => {} }, 0);
  await expect(queue.claim(60_000, 16)).rejects.toThrow('the connection was lost');
});

/** A store with a number of slow merchants of ten endpoints each, and then one more merchant. */
function manyMerchants(slow: number): Parameters<typeof notificationQueue>[0]['notifications'] {
  const claimed = new Set<string>();
  const endpoints = [
    ...Array.from({ length: slow * 10 }, (_, at) => ({
      endpointId: `ep_${at}`,
      merchantId: `slow-${at % slow}`,
    })),
    { endpointId: 'ep_other', merchantId: 'other' },
  ].map((one, at) => ({ ...one, isActive: true, firstDue: at }));
  return {
    listWaiting: async () => [],
    listEndpoints: async () =>
      endpoints.filter(({ endpointId }) => endpointId !== 'ep_other' || !claimed.has('other')),
    async listDue(endpointId, _now, limit) {
      const merchantId = endpoints.find((one) => one.endpointId === endpointId)?.merchantId ?? '';
      const size = merchantId === 'other' ? 1 : limit;
      claimed.add(merchantId);
      return Array.from({ length: size }, (_, n) => dueOf(merchantId, endpointId, n));
    },
    apply: async () => true,
  };
}

test.each([1, 2, 5, 20, 60])(
  'the endpoints of %i slow merchants delay no other merchant, whose event is due last',
  async (slow) => {
    const sent: string[] = [];
    const never = new Promise<void>(() => {});
    const deliver = async ({ merchantId }: Notification) => {
      sent.push(merchantId);
      if (merchantId !== 'other') await never;
    };
    const queue = notificationQueue({ notifications: manyMerchants(slow), deliver }, 0);
    for (let round = 1; round <= 3; round++)
      for (const job of await queue.claim(round * 60_000, 100)) void job();
    expect(sent.filter((one) => one === 'other')).toHaveLength(1);
    const counts = Map.groupBy(sent, (one) => one);
    for (const [merchant, all] of counts) expect([merchant, all.length <= 8]).toEqual([merchant, true]);
    expect(counts.size).toBe(slow + 1);
  },
);

const answered = (status: number): SendResult => ({ durationMs: 1, status, error: null, answer: null });

test.each([
  { title: 'an endpoint that answers 410', status: 410, failedForMs: 0, reason: 'gone' },
  {
    title: 'an endpoint that has failed for five days',
    status: 500,
    failedForMs: giveUpAfterMs,
    reason: 'failing',
  },
  { title: 'an endpoint that fails', status: 500, failedForMs: giveUpAfterMs - 1, reason: null },
])(
  '$title: a process that is killed after any write leaves no recorded attempt beside another state',
  async (one) => {
    let isRecorded = false;
    for (let lastWrite = 1; !isRecorded; lastWrite++) {
      const { store, clock } = createBench();
      const now = clock.now();
      const failingSince = one.failedForMs === 0 ? null : now - one.failedForMs;
      const endpoint: NotificationEndpoint = {
        ...{
          id: 'we_1',
          merchantId: 'demo-shop',
          livemode: 0,
          url: 'https://shop.example/hooks',
          wholePayer: 0,
        },
        ...{ secret: 'one', previousSecret: null, previousUntil: null, createdAt: now - giveUpAfterMs },
        ...{
          failingSince,
          lastFailedAt: failingSince && now - 1_000,
          disabledAt: null,
          disabledReason: null,
        },
      };
      const claimed: Notification = {
        ...{
          endpointId: 'we_1',
          eventId: 'evt_1',
          merchantId: 'demo-shop',
          livemode: 0,
          type: 'payment.paid',
        },
        ...{
          collectionId: null,
          body: '{"data":{}}',
          at: now,
          state: 'waiting',
          nextAt: now,
          fence: 1,
          plannedAt: now,
          tries: 0,
        },
      };
      await store.apply([endpointWrites.insert(endpoint, 10), notificationWrites.insert(claimed)]);
      let writes = 0;
      /** After its last write, the process neither reads nor writes. */
      const killed = () => (writes >= lastWrite ? new Promise<never>(() => {}) : undefined);
      const mortal = {
        ...store,
        query: async (...query: Parameters<typeof store.query>) => (await killed()) ?? store.query(...query),
        apply: async (...batch: Parameters<typeof store.apply>) => {
          await killed();
          const isApplied = await store.apply(...batch);
          writes += 1;
          return isApplied;
        },
      };
      const deliver = createDeliver({
        ...{ notifications: notificationStore(mortal), endpoints: notificationEndpointStore(mortal), clock },
        ...{ cipher: { encrypt: (text) => text, decrypt: (text) => text }, ids: { random: () => 0.5 } },
        send: async () => answered(one.status),
        log: createSilentLog(),
      });
      await Promise.race([deliver(claimed), clock.advance(1_000)]);
      isRecorded = writes < lastWrite;
      const attempts = await notificationStore(store).listAttempts(claimed, 10);
      const after = await notificationEndpointStore(store).find('we_1');
      expect(attempts).toHaveLength(1);
      expect(after?.disabledReason).toBe(one.reason);
    }
  },
);
