import { expect, test } from 'vitest';
import type { Notification } from '../../../src/gateway/notify/notification-store.ts';
import { notificationQueue } from '../../../src/gateway/notify/queue.ts';

/** A store in which four deliveries of one endpoint are due; `isLost` decides whether a claim fails. */
function storeOf(isLost: () => boolean): Parameters<typeof notificationQueue>[0]['notifications'] {
  const due = [1, 2, 3, 4].map(
    (n): Notification => ({
      ...{
        endpointId: 'ep_1',
        eventId: `evt_${n}`,
        merchantId: 'demo-shop',
        livemode: 0,
        type: 'payment.paid',
      },
      ...{
        collectionId: null,
        body: '{}',
        at: 0,
        state: 'waiting',
        nextAt: 0,
        fence: 0,
        plannedAt: 0,
        tries: 0,
      },
    }),
  );
  return {
    listWaiting: async () => [],
    listEndpoints: async () => [{ endpointId: 'ep_1', isActive: true, firstDue: 0 }],
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
