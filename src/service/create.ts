import type { Hono } from 'hono';
import { apiErrors } from '../contract/service/api-errors.ts';
import { admission } from '../kit/admission.ts';
import { createSecretCipher, deriveKey } from '../kit/secret-cipher.ts';
import { UserError } from '../shared/errors.ts';
import { type AddressList, createAddressList } from '../shared/http/addresses.ts';
import type { Served } from '../shared/http/server.ts';
import { createRateLimit } from '../shared/limits/per-key.ts';
import { createLogSummary, type LogSummary } from '../shared/log-summary.ts';
import { createSqliteStore } from '../sqlite/sqlite.ts';
import { createAdminOperations } from './admin/operations.ts';
import { adminRoutes } from './admin/routes.ts';
import { resolveSettings, type ServiceConfig, type ServiceOverrides, type Settings } from './config.ts';
import { createStores, type ServiceContext } from './context.ts';
import { createFeeSchedules } from './fee/fee-store.ts';
import { createServiceApp, type Env, refusals } from './http/app.ts';
import { documentationRoutes } from './http/documentation.ts';
import { createNodeRoute } from './http/node-route.ts';
import { type ApiError, apiError, isApiError } from './http/response.ts';
import { createRouter, type MerchantAdmission } from './http/router.ts';
import { createRunOnce } from './idempotency-store.ts';
import { authenticate, checkAdminToken, createServiceAccess } from './key/authenticate.ts';
import type { NewKey } from './key/key-operations.ts';
import { createLoop } from './loop.ts';
import type { MerchantRow } from './merchant/merchant-store.ts';
import { createOtpOperations, messageRoutes, otpRoutes } from './otp/routes.ts';
import type { SimulatedCarrier } from './otp/sms.ts';
import { createPruning } from './prune.ts';
import { closeWhenLive, phoneRoutes, type SimulatedPhone } from './rail/simulated-phone.ts';
import type { SetSilent } from './rail/simulated-rail.ts';
import { reviewRoutes } from './review/review-operations.ts';
import { createServiceSandbox, sandboxRoutes } from './sandbox/test-clock.ts';
import { createSessionOperations, sessionRoutes } from './session/operations.ts';
import { type SettlementStatement, statementReader } from './statement-query.ts';
import type { NewEndpoint } from './webhook/change-endpoint.ts';
import { createDelivery } from './webhook/deliver.ts';
import { createWebhookOperations, eventRoutes, webhookRoutes } from './webhook/operations.ts';

export type { ServiceConfig, ServiceOverrides } from './config.ts';

const maxListedMerchants = 1_000;

/** A running Payment Collection Service. Its admin methods throw a `UserError` where the admin API returns an error. */
export type Service = {
  app: Hono<Env>;
  served: Served;
  /** Starts the loops that run the rails, deliver webhooks, expire sessions and delete old rows. */
  start(): void;
  /** Stops the loops and closes the database. Deliveries in flight are aborted and repeated after the next start. */
  stop(): Promise<void>;
  /** Creates a merchant with one platform. The merchant is not approved for offline collections yet. */
  createMerchant(merchant: { name: string }): Promise<MerchantRow>;
  /** Returns the first 1,000 merchants in the order of their identifiers. */
  listMerchants(): Promise<MerchantRow[]>;
  approveOffline(merchantId: string): Promise<MerchantRow>;
  /** Creates a secret key. The key itself is returned here and stored nowhere. */
  createKey(key: NewKey): Promise<{ id: string; key: string }>;
  revokeKey(keyId: string): Promise<void>;
  /** Sets the URL that receives the events of one platform and mode. Returns the secret that signs them. */
  setWebhook(endpoint: NewEndpoint): Promise<{ secret: string }>;
  rotateSecret(endpoint: { merchantId: string; livemode: boolean }): Promise<{ secret: string }>;
  /** Returns every session with the prompts and charges of the simulated rail, to reconcile a ledger with. */
  statement(): Promise<SettlementStatement>;
  /** The simulated phone, which answers the prompts of test sessions. */
  phone: SimulatedPhone;
  /** Makes the simulated rail silent, or ends its silence: meanwhile it reports nothing and answers no inquiry. */
  setRailSilent: SetSilent;
  /** The simulated SMS carrier, which stores the messages of test mode in memory. */
  carrier: SimulatedCarrier;
};

/**
 * Creates a Payment Collection Service on a database file of its own. `start` runs it.
 *
 * @throws UserError when the configuration contradicts itself or the database file cannot be used.
 */
export function createService(config: ServiceConfig, overrides: ServiceOverrides): Service {
  const settings = resolveSettings(config, overrides);
  const context = createContext(settings, overrides);
  const { store } = context;
  const trustedProxies = createAddressList(settings.trustedProxies);

  const schedules = createFeeSchedules({ ...context, defaults: settings.fees });
  const delivery = createDelivery(settings, context);
  const wake = delivery.loop.wakeBy;
  const sessions = createSessionOperations(settings, {
    ...context,
    schedules,
    claimNewEvent: delivery.claimNew,
    wakeDeliveries: wake,
  });
  const otps = createOtpOperations(settings, context);
  const webhooks = createWebhookOperations({ ...context, overlapMs: settings.webhook.overlapMs, wake });
  const admin = createAdminOperations({ ...context, schedules });

  const pruning = createLoop({
    ...context,
    name: 'pruning',
    round: createPruning({ ...context, ...settings }),
  });
  const loops = [...sessions.loops, delivery.loop, pruning];
  const sandbox = createServiceSandbox({
    clock: overrides.testClock,
    loops,
    nextPushWake: sessions.nextPushWake,
    flushWrites: () => store.apply([]),
    drainDeliveries: delivery.drain,
  });

  const app = createServiceApp(context);
  const wrongTokens = createLogSummary(
    { ...context, clock: context.wallClock },
    'an admin API request had a wrong admin token',
  );
  const limitCalls = createRateLimit(settings.limits.calls, context.clock);
  const merchants: MerchantAdmission = {
    authenticate: authenticate(context),
    limit({ keyId }) {
      const retryAfterSeconds = limitCalls(keyId);
      return retryAfterSeconds === undefined
        ? undefined
        : apiError('too_many_requests', { retryAfterSeconds });
    },
  };
  const router = createServiceRouter(app, settings, {
    ...context,
    admission: merchants,
    wrongTokens,
    trustedProxies,
  });
  sessionRoutes(router, { ...context, ...sessions });
  otpRoutes(router, otps);
  phoneRoutes(router, sessions.phone);
  reviewRoutes(router, { ...context, ...sessions });
  sandboxRoutes(router, sandbox);
  messageRoutes(router, otps.simulatedCarrier);
  adminRoutes(router, admin);
  eventRoutes(router, webhooks);
  webhookRoutes(router, webhooks);
  documentationRoutes(app, router, {
    delivery: settings.webhook,
    isHealthy: () => store.read.get('SELECT EXISTS (SELECT 1 FROM merchant)').then(store.usable, () => false),
  });

  return {
    app,
    served: {
      fetch: (request, bindings) => app.fetch(request, bindings),
      access: createServiceAccess(context.wallClock, trustedProxies),
      answerDirectly: createNodeRoute({
        ...context,
        routes: router.merchantRoutes,
        admission: merchants,
      }),
    },
    start() {
      for (const loop of loops) loop.start();
    },
    async stop() {
      wrongTokens.stop();
      await Promise.all(loops.map((loop) => loop.stop()));
      await delivery.drain();
      await store.close();
    },
    createMerchant: admin.createMerchant,
    listMerchants: async () => (await admin.listMerchants(maxListedMerchants)).reverse(),
    approveOffline: async (merchantId) => unwrap(await admin.approveOffline(merchantId)),
    createKey: async (key) => unwrap(await admin.createKey(key)),
    async revokeKey(keyId) {
      unwrap(await admin.revokeKey(keyId));
    },
    setWebhook: async (endpoint) => unwrap(await webhooks.setWebhook(endpoint)),
    rotateSecret: async (endpoint) => unwrap(await webhooks.rotateSecret(endpoint)),
    statement: statementReader(store),
    phone: sessions.phone,
    setRailSilent: sessions.setRailSilent,
    carrier: otps.simulatedCarrier,
  };
}

function createContext(settings: Settings, overrides: ServiceOverrides): ServiceContext {
  const clock = overrides.testClock ?? overrides.clock;
  const store = (overrides.createStore ?? createSqliteStore)({
    file: settings.databaseFile,
    schema: 'service',
    clock,
    onExposed(file) {
      overrides.log.warn({ file }, 'other users could access this file; its mode is now 600');
    },
    onBroken() {
      overrides.log.fatal('the database has failed; this process must not write any more');
      overrides.onBroken?.();
    },
  });
  return {
    ...overrides,
    ...createStores(store),
    clock,
    wallClock: overrides.clock,
    sandbox: overrides.testClock !== undefined,
  };
}

function createServiceRouter(
  app: Hono<Env>,
  settings: Settings,
  context: ServiceContext & {
    admission: MerchantAdmission;
    wrongTokens: LogSummary;
    trustedProxies: AddressList;
  },
) {
  const { store, clock, ids, audit } = context;
  const { adminToken, idempotencyKeyLifetimeMs } = settings;
  const authenticateStaff = checkAdminToken({ ...context, adminToken });
  app.use('/backoffice/*', admission({ ...refusals, authenticate: authenticateStaff }));
  app.use(
    '/handset/*',
    closeWhenLive({ hasLiveRail: context.liveRail !== undefined, hasLiveKey: context.keys.hasLive }),
  );
  return createRouter(app, {
    admission: context.admission,
    once: createRunOnce({ ...context, idempotencyKeyLifetimeMs }),
    // A copy of the database does not reveal the secrets of saved responses: the key is derived from the admin token.
    cipher: createSecretCipher(deriveKey(adminToken, 'dialtill saved responses'), ids),
    audit: (action, subject, requestId) =>
      audit.insert({ id: ids.next('act'), at: clock.now(), requestId, action, subject }),
    apply: store.apply,
  });
}

function unwrap<Result>(result: Result | ApiError): Result {
  if (isApiError(result)) {
    throw new UserError(
      `The collection service returned an error: ${apiErrors[result.code].message} (${result.code})`,
    );
  }
  return result;
}
