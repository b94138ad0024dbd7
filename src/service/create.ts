import type { OpenAPIHono } from '@hono/zod-openapi';
import { type Clock, type EpochMs, watchedClock } from '../shared/clock.ts';
import { UserError } from '../shared/errors.ts';
import { createRateLimit } from '../shared/limits/rate-limit.ts';
import { createSqliteStore } from '../sqlite/sqlite.ts';
import type { Store } from '../sqlite/store.ts';
import { auditStore } from './admin/audit-store.ts';
import { createAdminOperations } from './admin/operations.ts';
import { adminRoutes } from './admin/routes.ts';
import { type ApiError, apiErrors, isApiError } from './api-error.ts';
import { resolveSettings, type ServiceConfig, type ServiceOverrides, type Settings } from './config.ts';
import { eventStore } from './event/event-store.ts';
import { recordEvents } from './event/record.ts';
import { eventRoutes } from './event/routes.ts';
import { createFeeSchedules } from './fee/fee-schedules.ts';
import { feeStore } from './fee/fee-store.ts';
import { requireAdminToken } from './http/admin-token.ts';
import { createApp, type Env } from './http/app.ts';
import { referenceRoutes } from './http/reference/routes.ts';
import { createRouter } from './http/router.ts';
import { createAnswerCipher } from './idempotency/answer-cipher.ts';
import { idempotencyStore } from './idempotency/idempotency-store.ts';
import { createRunOnce } from './idempotency/run-once.ts';
import { authenticate } from './key/authenticate.ts';
import type { NewKey } from './key/create.ts';
import { keyStore } from './key/key-store.ts';
import { createLoop } from './loop.ts';
import { type Merchant, merchantStore } from './merchant/merchant-store.ts';
import { messageRoutes } from './otp/message-routes.ts';
import { otpStore } from './otp/otp-store.ts';
import { requestOtp } from './otp/request.ts';
import { otpRoutes } from './otp/routes.ts';
import { createSimulatedCarrier, type SimulatedCarrier } from './otp/simulated-carrier.ts';
import { useOtp } from './otp/use.ts';
import { verifyOtp } from './otp/verify.ts';
import { prune } from './prune.ts';
import { phoneRoutes } from './rail/phone-routes.ts';
import { promptStore } from './rail/prompt-store.ts';
import type { SelectRail } from './rail/rail.ts';
import type { SimulatedPhone } from './rail/simulated-phone.ts';
import { createSimulatedRail } from './rail/simulated-rail.ts';
import { openReview } from './review/open.ts';
import { resolveReview } from './review/resolve.ts';
import { reviewStore } from './review/review-store.ts';
import { reviewRoutes } from './review/routes.ts';
import { createSandbox } from './sandbox/advance.ts';
import { sandboxRoutes } from './sandbox/routes.ts';
import type { Livemode } from './schema.ts';
import { applyRailResult } from './session/apply-rail-result.ts';
import { closeSession } from './session/close.ts';
import { createSession } from './session/create.ts';
import { expireSessions } from './session/expire.ts';
import { initiateSession } from './session/initiate.ts';
import { sessionRoutes } from './session/routes.ts';
import { sessionStore } from './session/session-store.ts';
import { type Statement, statementReader } from './statement-query.ts';
import { attemptStore } from './webhook/attempt-store.ts';
import { createDeliverer } from './webhook/deliver.ts';
import { endpointStore } from './webhook/endpoint-store.ts';
import { createWebhookOperations } from './webhook/operations.ts';
import { createPooledFetch } from './webhook/pooled-fetch.ts';
import { createPublicFetch } from './webhook/public-fetch.ts';
import { webhookRoutes } from './webhook/routes.ts';
import { sendEvent } from './webhook/send.ts';
import type { NewEndpoint } from './webhook/set-endpoint.ts';

export type { ServiceConfig, ServiceOverrides } from './config.ts';

/** The back office's verbs throw a `UserError` here where its API would refuse. */
export type Service = {
  app: OpenAPIHono<Env>;
  /** Starts sending webhooks and ending what has run out. */
  start(): void;
  /** Stops the loops, abandons deliveries under way (they are made again), and closes the database. */
  stop(): Promise<void>;
  createMerchant(asked: { name: string }): Promise<Merchant>;
  listMerchants(): Promise<Merchant[]>;
  approveOffline(merchantId: string): Promise<Merchant>;
  /** The key is seen here and never again. */
  createKey(asked: NewKey): Promise<{ id: string; key: string }>;
  revokeKey(keyId: string): Promise<void>;
  setWebhook(asked: NewEndpoint): Promise<{ secret: string }>;
  rotateSecret(asked: { merchantId: string; livemode: boolean }): Promise<{ secret: string }>;
  /** Sessions beside the rail's own book. */
  statement(): Promise<Statement>;
  /** The simulated phone. */
  phone: SimulatedPhone;
  /** The text messages of test mode, which are sent to no one. */
  carrier: SimulatedCarrier;
};

/**
 * Wires the Payment Collection Service on a database file of its own.
 *
 * @throws UserError when the admin token is too short, the file cannot be used, or a test clock meets a live rail.
 */
export function createService(config: ServiceConfig, overrides: ServiceOverrides): Service {
  if (config.adminToken.length < 16) {
    throw new UserError('The admin token of the collection service needs at least 16 characters.');
  }
  if (overrides.testClock && overrides.liveRail) {
    throw new UserError('A sandbox whose clock can be advanced has no live rail: leave out one of the two.');
  }
  const settings = resolveSettings(config);
  const sandbox = overrides.testClock !== undefined;
  const clock = overrides.testClock ?? overrides.clock;
  const broken = () => {
    overrides.log.fatal('the database has failed; this process must not write on');
    overrides.onDatabaseFailure?.();
  };
  const createStore = overrides.createStore ?? createSqliteStore;
  const store = createStore({ file: settings.databaseFile, schema: 'service', clock, onBroken: broken });
  const stores = createStores(store);
  const pushClock = watchedClock(clock);
  const common = { ...overrides, ...stores, store, clock, pushClock, sandbox };

  const sessionParts = createSessionParts(settings, { ...common, wake: (at) => sending.wakeBy(at) });
  const { rail, reviews, loops } = sessionParts;
  const { deliveries, sending, webhooks } = createWebhookParts(settings, {
    ...common,
    wallClock: overrides.clock,
  });
  const pruning = createLoop({ ...common, name: 'pruning', round: prune({ ...common, ...settings }) });
  loops.push(sending, pruning);
  const otps = createOtpParts(settings, common);
  const schedules = createFeeSchedules({ ...common, defaults: settings.fees });
  const operations = createAdminOperations({ ...common, schedules });

  const app = createApp(common);
  app.use(
    '/backoffice/*',
    requireAdminToken({
      adminToken: settings.adminToken,
      wallClock: overrides.clock,
      log: overrides.log,
    }),
  );
  const router = createRouter(app, {
    authenticate: authenticate(common),
    callLimit: createRateLimit(settings.limits.calls, clock),
    once: createRunOnce({
      store,
      kept: stores.answers,
      clock,
      idempotencyKeyLifetimeMs: settings.idempotencyKeyLifetimeMs,
    }),
    cipher: createAnswerCipher(settings.adminToken, overrides.ids),
    audit(action, subject, requestId) {
      return stores.audit.insert({
        id: overrides.ids.next('act'),
        at: clock.now(),
        requestId,
        action,
        subject,
      });
    },
    apply: store.apply,
  });
  sessionRoutes(router, { ...sessionParts, ...stores, reviews });
  otpRoutes(router, otps);
  phoneRoutes(router, rail.handset);
  reviewRoutes(router, sessionParts);
  const sandboxClock = createSandbox({
    clock: overrides.testClock,
    loops,
    pushWakesAt: pushClock.nextWake,
    written: () => store.apply([]),
    drained: deliveries.drain,
  });
  sandboxRoutes(router, sandboxClock);
  messageRoutes(router, otps.outbox);
  adminRoutes(router, operations);
  eventRoutes(router, stores.events);
  webhookRoutes(router, webhooks);
  referenceRoutes(app, router, {
    delivery: settings.webhook,
    isHealthy: () => store.read.get('SELECT EXISTS (SELECT 1 FROM merchant)').then(store.usable, () => false),
  });

  return {
    app,
    start() {
      for (const loop of loops) loop.start();
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      await deliveries.drain();
      await store.close();
    },
    createMerchant: operations.createMerchant,
    listMerchants: () => operations.listMerchants({ limit: 1_000 }),
    approveOffline: async (merchantId) => unwrap(await operations.approveOffline(merchantId)),
    createKey: async (asked) => unwrap(await operations.createKey(asked)),
    async revokeKey(keyId) {
      unwrap(await operations.revokeKey(keyId));
    },
    setWebhook: async (asked) => unwrap(await webhooks.setWebhook(asked)),
    rotateSecret: async (asked) => unwrap(await webhooks.rotateSecret(asked)),
    statement: statementReader(store),
    phone: rail.handset,
    carrier: otps.outbox,
  };
}

type Stores = ReturnType<typeof createStores>;

function createStores(store: Store) {
  return {
    merchants: merchantStore(store),
    keys: keyStore(store),
    sessions: sessionStore(store),
    otps: otpStore(store),
    reviews: reviewStore(store),
    fees: feeStore(store),
    answers: idempotencyStore(store),
    endpoints: endpointStore(store),
    attempts: attemptStore(store),
    events: eventStore(store),
    audit: auditStore(store),
  };
}

type SessionParts = ServiceOverrides &
  Stores & {
    store: Store;
    /** What a push waits by; a sandbox stops wherever one goes on. */
    pushClock: Clock;
    /** Told that an event is due. */
    wake(at: EpochMs): void;
  };

/** The life of a session: created, pushed to the rail, closed by what the rail reports or by time. */
function createSessionParts(settings: Settings, parts: SessionParts) {
  const { clock, pushClock, reviews } = parts;
  const record = recordEvents(parts);
  const close = closeSession({ ...parts, recordEvent: record.closed });
  const report = applyRailResult({
    ...parts,
    close,
    openReview: openReview({ ...parts, recordEvent: record.review }),
  });
  const rail = createSimulatedRail({
    ...parts,
    clock: pushClock,
    prompts: promptStore(parts.store),
    config: settings.rail,
    report,
    wake: (at) => closing[0].wakeBy(at),
  });
  const testRail = parts.wrapRail?.(rail, report) ?? rail;
  const liveRail = parts.liveRail?.(report);
  const rails: SelectRail = (livemode) => (livemode === 0 ? testRail : liveRail);
  const expire = expireSessions({ ...parts, close });
  const closingLoop = (livemode: Livemode) =>
    createLoop({
      ...parts,
      name: livemode === 0 ? 'closing test sessions' : 'closing live sessions',
      // No session is given up while its rail still has results to report: one of them may be its payment.
      async round() {
        const next = await rails(livemode)?.round();
        if (next !== undefined && next <= clock.now()) return next;
        return earliest(next, await expire(livemode));
      },
    });
  // One for each mode: a live rail that fails keeps no test session waiting.
  const closing = { 0: closingLoop(0), 1: closingLoop(1) };
  const expiresBy = (at: EpochMs, livemode: Livemode) => closing[livemode].wakeBy(at);
  const fees = createFeeSchedules({ ...parts, defaults: settings.fees });
  return {
    rail,
    reviews,
    create: createSession({
      ...parts,
      fees,
      useOtp: useOtp({ ...parts, config: settings.otp }),
      expiresBy,
    }),
    initiate: initiateSession({
      ...parts,
      clock: pushClock,
      close,
      rails,
      promptLifetimeMs: settings.rail.promptLifetimeMs,
      promptLimit: createRateLimit(settings.limits.prompts, clock),
      expiresBy,
    }),
    resolveReview: resolveReview({ ...parts, close }),
    loops: [closing[0], closing[1]],
  };
}

/** One-time codes: by the carrier in live mode, to the simulated phone in test mode. */
function createOtpParts(settings: Settings, parts: ServiceOverrides & Stores & { store: Store }) {
  const outbox = createSimulatedCarrier(parts.clock);
  const common = { ...parts, config: settings.otp };
  return {
    outbox,
    request: requestOtp({ ...common, carriers: (livemode) => (livemode === 0 ? outbox : parts.sms) }),
    verify: verifyOtp(common),
  };
}

/** What sends events, and what the back office does about them. */
function createWebhookParts(
  { webhook: config }: Settings,
  parts: ServiceOverrides & Stores & { store: Store; wallClock: Clock },
) {
  const wake = (at: EpochMs) => sending.wakeBy(at);
  const send = sendEvent({
    ...parts,
    config,
    fetch: parts.fetch ?? createPooledFetch(parts.wallClock),
    fetchPublic: parts.fetchPublic ?? createPublicFetch(),
  });
  const deliveries = createDeliverer({ ...parts, config, send, wake });
  const sending = createLoop({ ...parts, name: 'deliveries', round: deliveries.round });
  return {
    deliveries,
    sending,
    webhooks: createWebhookOperations({ ...parts, overlapMs: config.overlapMs, wake }),
  };
}

function earliest(one: EpochMs | undefined, other: EpochMs | undefined): EpochMs | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

function unwrap<Result extends { kind: string }>(result: Result | ApiError): Exclude<Result, ApiError> {
  if (isApiError(result)) {
    throw new UserError(`The collection service refused: ${apiErrors[result.code].message} (${result.code})`);
  }
  return result as Exclude<Result, ApiError>;
}
