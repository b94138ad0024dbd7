import { expect, onTestFinished, test } from 'vitest';
import { endpointWrites } from '../../../src/gateway/notify/endpoint-store.ts';
import { notificationStore, notificationWrites } from '../../../src/gateway/notify/notification-store.ts';
import { notificationQueue } from '../../../src/gateway/notify/queue.ts';
import { Worker } from '../../../src/gateway/worker/worker.ts';
import { settle } from '../../kit/clock.ts';
import { createSilentLog } from '../../kit/log.ts';
import { createBench } from '../collection/bench.ts';

/** Runs the worker of a gateway with these calls in flight to the service. No endpoint answers before the test ends. */
function createDeliveries(callsInFlight: number) {
  const { clock, store } = createBench();
  const started: string[] = [];
  const answered = Promise.withResolvers<void>();
  const queue = notificationQueue(
    {
      notifications: notificationStore(store),
      async deliver({ merchantId }) {
        started.push(merchantId);
        await answered.promise;
      },
    },
    0,
  );
  const log = createSilentLog();
  const worker = new Worker({ clock, log, queues: [queue] }, { inFlight: callsInFlight, maxIdleMs: 1_000 });
  worker.start();
  onTestFinished(async () => {
    const stopped = worker.stop();
    answered.resolve();
    await stopped;
  });
  return {
    count: (merchantId: string) => started.filter((one) => one === merchantId).length,
    /** Writes notifications for an endpoint of a merchant, and lets the worker look for them. */
    async notify(merchantId: string, endpointId: string, events: number): Promise<void> {
      const now = clock.now();
      const endpoint = {
        ...{ id: endpointId, merchantId, livemode: 0, createdAt: now },
        url: `https://shop.example/${endpointId}`,
        ...{ secret: 'secret', previousSecret: null, previousUntil: null, wholePayer: 0 },
        ...{ failingSince: null, lastFailedAt: null, disabledAt: null, disabledReason: null },
      };
      const waiting = Array.from({ length: events }, (_, n) =>
        notificationWrites.insert({
          ...{ endpointId, eventId: `evt_${n}`, merchantId, livemode: 0, type: 'payment.paid' },
          ...{ collectionId: 'col_1', body: '{}', at: now, state: 'waiting', nextAt: now },
          ...{ fence: 0, plannedAt: now, tries: 0 },
        }),
      );
      expect(await store.apply([endpointWrites.insert(endpoint, 10), ...waiting])).toBe(true);
      queue.expect();
      await clock.advance(2_000);
      await settle();
    },
  };
}

test.each([1, 16])(
  'merchants whose endpoints hang delay no notification of another one, with %i calls to the service in flight',
  async (callsInFlight) => {
    const { notify, count } = createDeliveries(callsInFlight);
    for (const merchant of ['slow-shop', 'slower-shop'])
      for (const endpoint of [1, 2]) await notify(merchant, `${merchant}-${endpoint}`, 20);
    await notify('quiet-shop', 'quiet-shop-1', 1);
    expect([count('slow-shop'), count('slower-shop'), count('quiet-shop')]).toEqual([8, 8, 1]);
  },
);
