import { type AccessPolicy, publicAccess } from '../../shared/http/access.ts';
import { type AddressList, createAddressList } from '../../shared/http/addresses.ts';
import type { Served } from '../../shared/http/server.ts';
import type { Suspensions } from '../../shared/suspensions.ts';
import { defaultTimeZone } from '../../shared/time-text.ts';
import { accountStore } from '../accounts/account-store.ts';
import { tokenPrefix } from '../accounts/command-token.ts';
import { guardOpenAccounts } from '../accounts/open-account.ts';
import type { AccountDeps } from '../accounts/session.ts';
import { sumDay } from '../collection/store/sums-query.ts';
import { hasToken } from '../console/browser.ts';
import { createAnswerCallback } from '../dialogue/callback/answer-callback.ts';
import { createCallbackRoute, ussdRoute } from '../dialogue/callback/route.ts';
import { diallerStore } from '../dialogue/dialler-store.ts';
import type { ReplyGate } from '../dialogue/reply-gate.ts';
import { turnStore } from '../dialogue/turn-store.ts';
import { createDeliveryRoute, type WebhookRouteDeps, webhookRoute } from '../inbox/route.ts';
import { requestStore } from '../merchant-api/request-store.ts';
import { merchantApiRoute } from '../merchant-api/route.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Readiness } from '../metrics/readiness.ts';
import { metricsRoute } from '../metrics/route.ts';
import { blockQuery } from '../staff/block-query.ts';
import { configurationActor, mayBeConfigurationProof, readCredentials } from '../staff/caller.ts';
import { listDayCloses } from '../staff/day-close-query.ts';
import { merchantKeyStore } from '../staff/merchant-key-store.ts';
import type { StaffDeps } from '../staff/operation.ts';
import { staffOperations } from '../staff/operations.ts';
import { proposalStore } from '../staff/proposal-store.ts';
import { staffRoute } from '../staff/route.ts';
import { readAssignees } from '../support/action-query.ts';
import { createReadOperations } from '../support/read-operations.ts';
import { listUnplaced } from '../unplaced/list-query.ts';
import { suggestMatches } from '../unplaced/suggestions-query.ts';
import { createGatewayAccess, type GatewayApp } from './app.ts';
import { createAccountDeps, createConsole } from './console.ts';
import type { GatewayContext, Pages } from './context.ts';
import type { Jobs } from './jobs.ts';
import type { Alerts, Notifications, Outbound } from './outbound.ts';
import type { GatewayReader } from './reads.ts';
import type { PrepareReload } from './reload.ts';
import type { Storage } from './storage.ts';

/** The parts that routes use. */
type RouteParts = {
  storage: Storage;
  outbound: Outbound;
  jobs: Jobs;
  replyGate: ReplyGate;
  suspensions: Suspensions;
  metrics: Metrics;
  notifications: Notifications;
  alerts: Alerts;
  prepareReload: PrepareReload;
  readiness(): Promise<Readiness>;
  reader: GatewayReader;
};

/**
 * Adds the USSD callbacks, the webhooks and `/metrics` to the app.
 *
 * @returns which requests the server serves without a limit, the function that answers callbacks and deliveries without the app,
 *   and the function that ends streams of events, so that a stopping server does not wait for them.
 */
export function addRoutes(app: GatewayApp, context: GatewayContext, parts: RouteParts) {
  const { config, clock, log, directory, networkClock, rejections } = context;
  const { metrics, jobs } = parts;
  const trustedProxies = createAddressList(config.listen.trustedProxies);
  const allowed = createAddressList(config.metrics.allowFrom);
  const callbacks = createCallbackDeps(context, parts, trustedProxies);
  app.route('/', ussdRoute(callbacks));
  const deliveries: WebhookRouteDeps = {
    ...{ inbox: parts.storage.inbox, clock, log, signature: config.service.signature },
    ...{ forgeries: rejections.forgeries, trustedProxies },
    maxSecrets: () => directory.now().maxWebhookSecrets,
    merchant: (id) => directory.now().merchants.get(id),
    queue: jobs.events,
    onStored: () => jobs.worker.wake(),
    onReceived: metrics.received,
    ...{ onExchange: context.onServiceExchange, networkClock },
  };
  app.route('/', webhookRoute(deliveries));
  app.route('/', metricsRoute({ metrics, allowed, trustedProxies }));
  if (config.console && context.openAccounts.length > 0)
    for (const [path, guard] of guardOpenAccounts(new URL(config.console.publicUrl))) app.use(path, guard);
  const operations = createOperationDeps(context, parts);
  const accounts = createAccountDeps(context, parts.storage);
  if (accounts) app.route('/', createStaffRoute(context, { ...parts, operations, accounts, trustedProxies }));
  app.route('/', createMerchantApi(context, parts, operations));
  const pages = addPages(app, context, parts.storage);
  const { reader } = parts;
  const closing = new AbortController();
  const consoleApp =
    accounts &&
    parts.alerts &&
    createConsole(context, parts.storage, {
      alerts: parts.alerts.settings,
      ...{ accounts, operations, trustedProxies, reader, closing: closing.signal },
      condition: async () => ({
        readiness: await parts.readiness(),
        unavailable: parts.outbound.health.unavailableMerchants(),
        keysRejected: parts.outbound.keys.rejectedMerchants(),
      }),
    });
  if (consoleApp) {
    // Before the console, which answers every other path.
    // Relative: the gateway can be mounted below a path.
    app.get('/console/', publicAccess(), (c) => c.redirect('../console', 308));
    app.route('/console', consoleApp);
  }
  const access: AccessPolicy = createGatewayAccess({
    ...{ trustedProxies, clock: networkClock },
    openAreas: [...pages.map(({ area }) => area), ...(consoleApp ? ['console'] : [])],
    mayBeSignedIn: ({ cookie }) =>
      config.console !== undefined && hasToken(new URL(config.console.publicUrl), cookie),
    channel: (id) => directory.now().channels.get(id),
    mayBeStaff: (header) =>
      accounts !== undefined &&
      (mayBeConfigurationProof(header, clock.now()) ||
        (readCredentials(header)?.secret.startsWith(tokenPrefix) ?? false)),
    signatureHeader: config.service.signature.header,
  });
  const answerCallback = createCallbackRoute(callbacks);
  const answerDelivery = createDeliveryRoute({ ...deliveries, ids: context.ids });
  const answerDirectly: Required<Served>['answerDirectly'] = (incoming, outgoing, deny) =>
    answerCallback(incoming, outgoing) || answerDelivery(incoming, outgoing, deny);
  const closeStreams = () => {
    closing.abort();
    for (const { close } of pages) close?.();
  };
  return { access, answerDirectly, closeStreams };
}

/** Adds the pages of the overrides, if there are any. */
function addPages(app: GatewayApp, context: GatewayContext, { store }: Storage): Pages[] {
  const { createPages, livemode, networkClock: clock, ids, directory } = context;
  const channels = () => directory.now().channelSettings;
  const added = createPages.map((create) => create({ store, livemode, clock, ids, channels }));
  for (const { area, app: pages } of added) app.route(`/${area}`, pages);
  return added;
}

function createCallbackDeps(context: GatewayContext, parts: RouteParts, trustedProxies: AddressList) {
  const { config, clock, log, ids, directory, rejections } = context;
  const { storage, outbound, jobs, replyGate, suspensions, metrics } = parts;
  const { timings, limits, approvals } = config;
  const { networks } = config.service;
  const isShared = () => storage.members.count() > 1;
  const answer = createAnswerCallback({
    ...{ turns: turnStore(storage.store, isShared), diallers: diallerStore(storage.store) },
    ...{ collections: storage.collections, quotes: outbound.quotes, health: outbound.health },
    ...{ clock, ids, log, metrics, suspensions, gate: replyGate },
    notifyOpened: parts.notifications?.writesForOpened,
    async lookup(merchantId, effect, budgetMs) {
      const merchant = directory.now().merchants.get(merchantId);
      return merchant ? outbound.askLookup(merchant, effect, budgetMs) : { kind: 'none' };
    },
    isPaused: jobs.recovery.isPaused,
    onCollection: () => jobs.worker.wake(),
    loggedTurns: config.log.turns,
    settings: { ...timings, limits, networks, approvals, home: storage.members.name },
  });
  const { forbiddenAddresses } = rejections;
  const channel = (id: string) => directory.now().channels.get(id);
  return { answer, channel, clock, ids, log, trustedProxies, forbiddenAddresses };
}

function createMerchantApi(context: GatewayContext, parts: RouteParts, operations: StaffDeps) {
  const { clock, log, livemode } = context;
  const { store } = parts.storage;
  const { hasMerchant, merchantKeys: keys } = operations;
  const cipher = parts.notifications?.cipher;
  const once = { requests: requestStore(store), cipher, now: () => clock.now() };
  return merchantApiRoute({
    ...{ store, reader: parts.reader, operations, once, keys, livemode, hasMerchant, clock, log },
  });
}

function createStaffRoute(
  { config, clock, log, rejections, openAccounts }: GatewayContext,
  parts: Pick<RouteParts, 'storage' | 'reader'> & {
    operations: StaffDeps;
    accounts: AccountDeps;
    trustedProxies: AddressList;
  },
) {
  const { operations: staff, accounts, trustedProxies, reader, storage } = parts;
  const requests = requestStore(storage.store);
  const { wrongStaffSecrets, wrongSignIns } = rejections;
  return staffRoute({
    ...{ staff, accounts, openAccounts, trustedProxies, clock, log },
    operations: [...staffOperations, ...createReadOperations(reader)],
    configurationKey: config.console?.secretsKey,
    acceptProof: (proof) =>
      requests.accept({ keyId: configurationActor, idempotencyKey: proof }, clock.now()),
    ...{ wrongStaffSecrets, wrongSignIns },
  });
}

/** Creates the dependencies of operations: the changes of people and merchants' own systems, and their reads besides payments. */
function createOperationDeps(
  { clock, ids, livemode, config, directory, openAccounts }: GatewayContext,
  { storage, jobs, notifications, prepareReload, reader }: RouteParts,
): StaffDeps {
  const { collections, ledger, moved, store, unplaced } = storage;
  return {
    ...{
      collections,
      ledger,
      unplaced,
      clock,
      ids,
      livemode,
      notifications,
      prepareReload,
      ...config.decisions,
    },
    proposals: proposalStore(store),
    reconciliation: jobs.reconciliation,
    blocks: blockQuery(store),
    merchantKeys: merchantKeyStore(store),
    days: {
      sum: (owner, span) => sumDay(store, owner, span),
      closes: (mode, date) => listDayCloses(store, mode, date),
    },
    statements: {
      getFormat: (id) => directory.now().merchants.get(id)?.statement ?? config.statement,
      reader,
    },
    accounts: accountStore(store),
    unplacedLists: {
      list: (filter, page) => listUnplaced(store, filter, page),
      suggest: (payment, limit) => suggestMatches(store, payment, limit),
    },
    findAssignee: async (id) => (await readAssignees(store, [id]))[id],
    hasMerchant: (id) => directory.now().merchants.has(id),
    placeOf: (id) => moved.get(id),
    merchantIds: () => [...directory.now().merchants.keys()],
    menus: (merchantId) =>
      [...directory.now().merchants.values()].filter(({ id }) => merchantId === null || id === merchantId),
    channelIds: (merchantId) =>
      directory
        .now()
        .channelSettings.filter(({ merchant }) => merchantId === null || merchant === merchantId)
        .map(({ id }) => id),
    timeZone: (merchantId) => directory.now().merchants.get(merchantId ?? '')?.timeZone ?? defaultTimeZone,
    isOpenAccount: (name) => openAccounts.some((open) => open.name === name),
    onDue: () => jobs.worker.wake(),
  };
}
