import { expect, test } from 'vitest';
import { createDeliver } from '../../../src/gateway/notify/deliver.ts';
import { type Endpoint, endpointStore, endpointWrites } from '../../../src/gateway/notify/endpoint-store.ts';
import {
  type Notification,
  notificationStore,
  notificationWrites,
} from '../../../src/gateway/notify/notification-store.ts';
import { giveUpAfterMs } from '../../../src/gateway/notify/retry-plan.ts';
import type { SendResult } from '../../../src/gateway/notify/send.ts';
import { createSilentLog } from '../../kit/log.ts';
import { createBench } from '../collection/bench.ts';

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
      const endpoint: Endpoint = {
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
          body: '{}',
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
        ...{ notifications: notificationStore(mortal), endpoints: endpointStore(mortal), clock },
        ...{ cipher: { encrypt: (text) => text, decrypt: (text) => text }, ids: { random: () => 0.5 } },
        send: async () => answered(one.status),
        log: createSilentLog(),
      });
      await Promise.race([deliver(claimed), clock.advance(1_000)]);
      isRecorded = writes < lastWrite;
      const attempts = await notificationStore(store).listAttempts(claimed, 10);
      const after = await endpointStore(store).find('we_1');
      expect(attempts).toHaveLength(1);
      expect(after?.disabledReason).toBe(one.reason);
    }
  },
);
