import { createSecretCipher } from '../../kit/secret-cipher.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Write } from '../../sqlite/store.ts';
import { isRecorded, type StaffAction } from '../access/action-store.ts';
import type { Collection, CollectionIntent } from '../collection/collection.ts';
import type { Fact } from '../collection/fact.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createDeliver, type Delivery } from '../notify/deliver.ts';
import { endpointStore } from '../notify/endpoint-store.ts';
import { createNotifyFetch } from '../notify/fetch.ts';
import { notificationStore, notifyWrite } from '../notify/notification-store.ts';
import { listEvents } from '../notify/payment-events.ts';
import { notificationPruneJob } from '../notify/prune-job.ts';
import { pruneNotifications } from '../notify/prune-store.ts';
import { notificationQueue } from '../notify/queue.ts';
import { eventsOfCollection, listOpened, type ReplayRange } from '../notify/replay-query.ts';
import { createSend } from '../notify/send.ts';
import type { GatewayContext, GatewayOverrides } from './context.ts';
import type { Storage } from './storage.ts';

/** The notifications to merchants' own systems; `undefined` without `notify` in the configuration. */
export type Notifications = ReturnType<typeof createNotifications>;

/** Creates the queue of notifications and what writes them. Starts nothing. */
export function createNotifications(
  { config, directory, clock, networkClock, ids, log, livemode }: GatewayContext,
  { store }: Storage,
  metrics: Metrics,
  overrides: GatewayOverrides,
) {
  const { notify } = config;
  if (!notify) return undefined;
  const notifications = notificationStore(store);
  const endpoints = endpointStore(store);
  const cipher = createSecretCipher(notify.secretsKey, ids);
  const network = createNotifyFetch({
    livemode: livemode === 1,
    allowPrivate: (id) => directory.now().merchants.get(id)?.notify?.allowPrivate ?? notify.allowPrivate,
  });
  const send = createSend({
    fetchFor: (merchantId) => overrides.notifyFetch ?? network.fetchFor(merchantId),
    networkClock,
  });
  const onAttempt = (delivery: Delivery) => {
    metrics.notified(delivery.endpoint.merchantId, delivery.isDelivered ? 'delivered' : 'failed');
    overrides.onDelivery?.(delivery);
  };
  const deliver = createDeliver({ notifications, endpoints, cipher, send, clock, ids, log, onAttempt });
  const queue = notificationQueue({ notifications, deliver }, livemode);
  return {
    notifications,
    endpoints,
    cipher,
    queue,
    pruneJob: notificationPruneJob(
      (before, limit) => pruneNotifications(store, before, limit),
      config.retention.eventBodiesMs,
    ),
    /** Returns the writes that notify of these facts. They belong to the batch of the facts. */
    writesFor(before: Collection | undefined, facts: readonly Fact[], at: EpochMs): Write[] {
      return listEvents(
        before,
        facts.map((fact) => ({ ...fact, at })),
      ).map(notifyWrite);
    },
    /** Returns the writes that notify of a collection that is opened. */
    writesForOpened(intent: CollectionIntent): Write[] {
      queue.expect();
      return listEvents(undefined, [{ kind: 'accepted', data: intent, at: intent.openedAt }]).map(
        notifyWrite,
      );
    },
    replays: {
      listOpened: (range: ReplayRange, page: Parameters<typeof listOpened>[2]) =>
        listOpened(store, range, page),
      eventsOf: (collectionId: string) => eventsOfCollection(store, collectionId),
      isRecorded: (action: StaffAction, now: EpochMs) => isRecorded(store, action, now),
    },
    isUrlAllowed: network.isUrlAllowed,
    close: network.close,
  };
}
