import { createSecretCipher } from '../../kit/secret-cipher.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Write } from '../../sqlite/store.ts';
import { isRecorded, type StaffAction } from '../access/action-store.ts';
import { createServiceClient } from '../collection/calls/client.ts';
import { createKeyRates } from '../collection/calls/key-rates.ts';
import { observeProvider } from '../collection/calls/provider.ts';
import { createKeyHealth, createServiceHealth } from '../collection/calls/service-health.ts';
import { createTransport } from '../collection/calls/transport.ts';
import type { Collection, CollectionIntent } from '../collection/collection.ts';
import type { Fact } from '../collection/fact.ts';
import { createQuotes } from '../collection/quote/quote.ts';
import { createLookupTransport } from '../lookup/call-url.ts';
import { createLookups } from '../lookup/lookup.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { alertJob } from '../notify/alert-job.ts';
import { alertStore } from '../notify/alert-store.ts';
import { createDeliver, type NotificationDelivery } from '../notify/deliver.ts';
import { notificationEndpointStore } from '../notify/endpoint-store.ts';
import { createNotifyFetch } from '../notify/fetch.ts';
import { createMailer } from '../notify/mail.ts';
import { notificationStore, notifyWrite } from '../notify/notification-store.ts';
import { listPaymentEvents } from '../notify/payment-events.ts';
import { notificationPruneJob, pruneNotifications } from '../notify/prune-store.ts';
import { notificationQueue } from '../notify/queue.ts';
import { eventsOfCollection, listOpened, type ReplayRange } from '../notify/replay-query.ts';
import { createSend } from '../notify/send.ts';
import type { GatewayContext, GatewayOverrides } from './context.ts';
import type { Storage } from './storage.ts';

/** The requests that the gateway sends: calls and quotes to the service, and lookups to merchants' own systems. */
export type Outbound = ReturnType<typeof createOutbound>;

/** Creates the clients of the service and of merchants' own systems. */
export function createOutbound(
  context: GatewayContext,
  { quotes: quoteStore, members }: Storage,
  metrics: Metrics,
  overrides: GatewayOverrides,
) {
  const { config, clock, networkClock, ids, log, keyOf, directory, onServiceExchange } = context;
  const { connectTimeoutMs, callTimeoutMs } = config.timings;
  const { callsInFlight, callsPerSecond, errorCodePointer, url } = config.service;

  const transport = overrides.fetch
    ? { fetch: overrides.fetch, close: async () => {} }
    : createTransport({ connectTimeoutMs, callTimeoutMs, callsInFlight });
  const client = createServiceClient({
    ...{ url, fetch: transport.fetch, clock: networkClock },
    ...{ callTimeoutMs, errorCodePointer, onExchange: onServiceExchange },
  });
  const health = createServiceHealth({ clock, log }, config.service.outage);
  const provider = observeProvider(client, (key, call, outcome) => {
    for (const id of directory.now().merchantsWithKey(key)) {
      health.record(id, call, outcome);
      metrics.called(id, call, outcome.kind, outcome.ms);
    }
  });
  const rates = createKeyRates({ clock, log, members }, callsPerSecond);
  const keys = createKeyHealth(clock, metrics.keyRejected);
  const quotes = createQuotes({
    ...{ quotes: quoteStore, provider, rates, keys, keyOf, clock, networkClock, ids, log, callsInFlight },
    onDone: metrics.quoted,
  });

  const lookupTransport = createLookupTransport({ livemode: config.environment === 'live' });
  const lookups = createLookups({
    ...{ fetch: lookupTransport.fetch, networkClock, ids, log },
    onDone: metrics.lookedUp,
  });

  return {
    provider,
    rates,
    keys,
    health,
    quotes,
    askLookup: overrides.lookup ?? lookups.ask,
    /** Closes the connections. Close `quotes` first: their calls in flight use these connections. */
    async close() {
      await Promise.all([transport.close(), lookupTransport.close()]);
    },
  };
}

/** The alerts of people; `undefined` without `console` in the configuration. */
export type Alerts = ReturnType<typeof createAlerts>;

/** Creates the job that sends alerts to people, and what sets them. Starts nothing. */
export function createAlerts(
  { config, alarms, clock, networkClock, ids, log, livemode }: GatewayContext,
  { store }: Storage,
  overrides: GatewayOverrides,
) {
  if (!config.console) return undefined;
  const { publicUrl, secretsKey } = config.console;
  // A person chooses the address: the networks that the configuration opens for merchants are not for people.
  const network = createNotifyFetch({ livemode: livemode === 1, allowPrivate: () => [] });
  const targets = alertStore(store);
  const sendWebhook = createSend({
    fetchFor: (merchantId) => overrides.notifyFetch ?? network.fetchFor(merchantId),
    networkClock,
  });
  const job = alertJob({
    ...{ alerts: targets, alarms, sendWebhook, publicUrl, clock, ids, log },
    cipher: createSecretCipher(secretsKey, ids),
    sendMail: config.smtp && createMailer(config.smtp, { isTlsOptional: livemode === 0 }),
  });
  const isUrlAllowed = (url: URL) => network.isUrlAllowed(url, '');
  const settings = { targets, isUrlAllowed, hasMail: config.smtp !== undefined, publicUrl };
  return { job, settings, close: network.close };
}

/** The notifications to merchants' own systems; `undefined` without `notify` in the configuration. */
export type Notifications = ReturnType<typeof createNotifications>;

/** Creates the queue of notifications and what writes them. Starts nothing. */
export function createNotifications(
  { config, directory, clock, networkClock, ids, log, livemode }: GatewayContext,
  { store, moved }: Storage,
  metrics: Metrics,
  overrides: GatewayOverrides,
) {
  const { notify } = config;
  if (!notify) return undefined;
  const notifications = notificationStore(store, moved);
  const endpoints = notificationEndpointStore(store);
  const cipher = createSecretCipher(notify.secretsKey, ids);
  const network = createNotifyFetch({
    livemode: livemode === 1,
    allowPrivate: (id) => directory.now().merchants.get(id)?.notify?.allowPrivate ?? notify.allowPrivate,
  });
  const send = createSend({
    fetchFor: (merchantId) => overrides.notifyFetch ?? network.fetchFor(merchantId),
    networkClock,
  });
  const onAttempt = (delivery: NotificationDelivery) => {
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
      return listPaymentEvents(
        before,
        facts.map((fact) => ({ ...fact, at })),
      ).map(notifyWrite);
    },
    /** Returns the writes that notify of a collection that is opened. */
    writesForOpened(intent: CollectionIntent): Write[] {
      queue.expect();
      return listPaymentEvents(undefined, [{ kind: 'accepted', data: intent, at: intent.openedAt }]).map(
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
