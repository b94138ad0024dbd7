import { aggregators } from '../aggregators/registry.ts';
import type { AccessPolicy } from '../shared/http/access.ts';
import { type AddressList, createAddressList } from '../shared/http/address-list.ts';
import type { Served } from '../shared/http/server.ts';
import { createAccessPolicy } from './access.ts';
import type { GatewayApp } from './app.ts';
import type { GatewayContext } from './context.ts';
import { createAnswerCallback } from './dialogue/callback/answer-callback.ts';
import { createNodeRoute } from './dialogue/callback/node-route.ts';
import { ussdRoute } from './dialogue/callback/route.ts';
import { createChannel, type UssdChannel } from './dialogue/channel.ts';
import { diallerStore } from './dialogue/dialler-store.ts';
import type { ReplyGate } from './dialogue/reply-gate.ts';
import { turnStore } from './dialogue/turn-store.ts';
import { createDeliveryRoute } from './inbox/node-route.ts';
import { type WebhookRouteDeps, webhookRoute } from './inbox/route.ts';
import type { Jobs } from './jobs.ts';
import { merchantKeyStore } from './merchant-api/key-store.ts';
import { merchantApiRoute } from './merchant-api/route.ts';
import type { Metrics } from './metrics/metrics.ts';
import { metricsRoute } from './metrics/route.ts';
import type { Notifications } from './notifications.ts';
import type { Outbound } from './outbound.ts';
import { type Authenticate, createAuthenticate } from './staff/authenticate.ts';
import { blockQuery } from './staff/block-query.ts';
import { staffOperations } from './staff/operations.ts';
import { proposalStore } from './staff/proposal-store.ts';
import { staffRoute } from './staff/route.ts';
import type { Storage } from './storage.ts';
import { listUnplaced } from './unplaced/list-query.ts';
import { suggestMatches } from './unplaced/suggestions-query.ts';

/** The parts that routes use. */
type RouteParts = {
  storage: Storage;
  outbound: Outbound;
  jobs: Jobs;
  replyGate: ReplyGate;
  metrics: Metrics;
  notifications: Notifications;
};

/**
 * Adds the USSD callbacks, the webhooks and `/metrics` to the app.
 *
 * @returns which requests the server serves without a limit, and the function that answers callbacks and deliveries without the app.
 */
export function addRoutes(app: GatewayApp, context: GatewayContext, parts: RouteParts) {
  const { config, clock, log, merchants, networkClock, rejections } = context;
  const { metrics, jobs } = parts;
  const trustedProxies = createAddressList(config.listen.trustedProxies);
  const allowed = createAddressList(config.metrics.allowFrom);
  const channels = channelsOf(context);
  const callbacks = createCallbackDeps(context, parts, { channels, trustedProxies });
  app.route('/', ussdRoute(callbacks));
  const deliveries: WebhookRouteDeps = {
    ...{ inbox: parts.storage.inbox, clock, log, signature: config.service.signature },
    ...{ forgeries: rejections.forgeries, trustedProxies },
    maxSecrets: () => Math.max(...config.merchants.map(({ webhookSecrets }) => webhookSecrets.length)),
    merchant: (id) => merchants.get(id),
    onStored: () => jobs.worker.wake(),
    onReceived: metrics.received,
  };
  app.route('/', webhookRoute(deliveries));
  app.route('/', metricsRoute({ metrics, allowed, trustedProxies }));
  const authenticateStaff = createAuthenticate(config.staff);
  if (config.staff.length > 0)
    app.route('/', createStaffRoute(context, parts, { authenticateStaff, trustedProxies }));
  app.route('/', createMerchantApi(context, parts));
  const access: AccessPolicy = createAccessPolicy({
    ...{ trustedProxies, clock: networkClock },
    channel: (id) => channels.get(id),
    authenticateStaff,
    signatureHeader: config.service.signature.header,
  });
  const answerCallback = createNodeRoute(callbacks);
  const answerDelivery = createDeliveryRoute({ ...deliveries, ids: context.ids });
  const answerDirectly: Required<Served>['answerDirectly'] = (incoming, outgoing, deny) =>
    answerCallback(incoming, outgoing) || answerDelivery(incoming, outgoing, deny);
  return { access, answerDirectly };
}

type Callers = { channels: ReadonlyMap<string, UssdChannel>; trustedProxies: AddressList };

function createCallbackDeps(
  context: GatewayContext,
  parts: RouteParts,
  { channels, trustedProxies }: Callers,
) {
  const { config, clock, log, ids, merchants, rejections } = context;
  const { storage, outbound, jobs, replyGate, metrics } = parts;
  const { timings, limits, approvals } = config;
  const { networks } = config.service;
  const answer = createAnswerCallback({
    ...{ turns: turnStore(storage.store), diallers: diallerStore(storage.store) },
    ...{ collections: storage.collections, quotes: outbound.quotes, health: outbound.health },
    ...{ clock, ids, log, metrics, gate: replyGate },
    notifyOpened: parts.notifications?.writesForOpened,
    async lookup(merchantId, effect, budgetMs) {
      const merchant = merchants.get(merchantId);
      return merchant ? outbound.askLookup(merchant, effect, budgetMs) : { kind: 'none' };
    },
    isPaused: jobs.recovery.isPaused,
    onCollection: () => jobs.worker.wake(),
    loggedTurns: config.log.turns,
    settings: { ...timings, limits, networks, approvals, home: storage.members.name },
  });
  const { forbiddenAddresses } = rejections;
  const channel = (id: string) => channels.get(id);
  return { answer, channel, clock, ids, log, trustedProxies, forbiddenAddresses };
}

function createMerchantApi({ clock, log, livemode, merchants }: GatewayContext, { storage }: RouteParts) {
  const { store } = storage;
  const hasMerchant = (id: string) => merchants.has(id);
  return merchantApiRoute({ store, keys: merchantKeyStore(store), livemode, hasMerchant, clock, log });
}

type StaffCallers = { authenticateStaff: Authenticate; trustedProxies: AddressList };

function createStaffRoute(
  { clock, ids, log, livemode, rejections, config, merchants }: GatewayContext,
  { storage, jobs, notifications }: RouteParts,
  { authenticateStaff, trustedProxies }: StaffCallers,
) {
  const { collections, ledger, store, unplaced } = storage;
  return staffRoute({
    ...{ collections, ledger, unplaced, clock, ids, log, livemode, trustedProxies, ...config.decisions },
    ...{
      proposals: proposalStore(store),
      reconcile: jobs.submitDeps,
      blocks: blockQuery(store),
      merchantKeys: merchantKeyStore(store),
      notifications,
    },
    unplacedLists: {
      list: (filter, page) => listUnplaced(store, filter, page),
      suggest: (payment, limit) => suggestMatches(store, payment, limit),
    },
    staffNames: new Set(config.staff.map(({ name }) => name)),
    hasMerchant: (id) => merchants.has(id),
    authenticate: authenticateStaff,
    operations: staffOperations,
    wrongStaffSecrets: rejections.wrongStaffSecrets,
    onDue: () => jobs.worker.wake(),
  });
}

function channelsOf({ config, merchants }: GatewayContext) {
  return new Map(
    config.channels.flatMap((channel) => {
      const merchant = merchants.get(channel.merchant);
      const aggregator = aggregators[channel.aggregator];
      if (!merchant || !aggregator) return [];
      const { promptDelayMs } = config.timings;
      return [[channel.id, createChannel(aggregator, channel, merchant, promptDelayMs)] as const];
    }),
  );
}
