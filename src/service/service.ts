import type { OpenAPIHono } from '@hono/zod-openapi';
import { openSqlite } from '../db/sqlite.ts';
import type { Store } from '../db/store.ts';
import type { EpochMs } from '../shared/clock.ts';
import { UserError } from '../shared/errors.ts';
import { auditStore } from './backoffice/audit-store.ts';
import { backOfficeRoutes } from './backoffice/routes.ts';
import { backOffice } from './backoffice/verbs.ts';
import { type Book, readBook } from './book-store.ts';
import { type ServiceConfig, type ServiceOverrides, type Settings, settingsOf } from './config.ts';
import { eventStore } from './event/event-store.ts';
import { recordEvents } from './event/record.ts';
import { feeStore } from './fee/fee-store.ts';
import { makeFees } from './fee/fees.ts';
import { promptStore } from './handset/prompt-store.ts';
import { handsetRoutes } from './handset/routes.ts';
import { type Handset, simulatedRail } from './handset/simulated-rail.ts';
import { answer, respond } from './http/answer.ts';
import { type Env, makeApp } from './http/app.ts';
import { makeEndpoints } from './http/endpoint.ts';
import { idempotencyStore } from './idempotency/idempotency-store.ts';
import { makeOnce } from './idempotency/once.ts';
import { makeSeal } from './idempotency/seal.ts';
import { authenticate } from './key/authenticate.ts';
import type { NewKey } from './key/create.ts';
import { keyStore } from './key/key-store.ts';
import { makeLimit } from './limit/limit.ts';
import { makeLoop } from './loop.ts';
import { type Merchant, merchantStore } from './merchant/merchant-store.ts';
import { prune } from './prune.ts';
import { type Refused, refusals, refuse } from './refusal.ts';
import { openReview } from './review/open.ts';
import { reviewStore } from './review/review-store.ts';
import { closeSession } from './session/close.ts';
import { createSession } from './session/create.ts';
import { expireSessions } from './session/expire.ts';
import { initiateSession } from './session/initiate.ts';
import { sessionRoutes } from './session/routes.ts';
import { sessionStore } from './session/session-store.ts';
import { settleSession } from './session/settle.ts';
import { deliverer } from './webhook/deliver.ts';
import { endpointStore } from './webhook/endpoint-store.ts';
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
  book(): Promise<Book>;
  /** The simulated phone. */
  handset: Handset;
};

/**
 * Wires the Payment Collection Service on a database file of its own.
 *
 * @throws UserError when the admin token is too short or the file cannot be used.
 */
export function buildService(config: ServiceConfig, overrides: ServiceOverrides): Service {
  if (config.adminToken.length < 16) {
    throw new UserError('The admin token of the collection service needs at least 16 characters.');
  }
  const settings = settingsOf(config);
  const sandbox = overrides.testClock !== undefined;
  const clock = overrides.testClock ?? overrides.clock;
  const store = openSqlite({ file: settings.databaseFile, schema: 'service', clock });
  const stores = openStores(store);
  const common = { ...overrides, ...stores, store, clock, sandbox };

  const sessionParts = wireSessions(settings, { ...common, wake: (at) => sending.wakeBy(at) });
  const { rail, reviews, loops } = sessionParts;
  const deliveries = deliverer({ ...common, config: settings.webhook, wake: (at) => sending.wakeBy(at) });
  const sending = makeLoop({ ...common, name: 'deliveries', round: deliveries.round });
  const pruning = makeLoop({ ...common, name: 'pruning', round: prune({ ...common, ...settings }) });
  loops.push(sending, pruning);
  const verbs = backOffice(common);

  const app = makeApp(common);
  app.get('/healthz', async () => {
    await store.read.get('SELECT 1');
    return respond(answer(200, { status: 'ok' }));
  });
  const serve = makeEndpoints(app, {
    authenticate: authenticate(common),
    callLimit: makeLimit(settings.limits.calls, clock),
    once: makeOnce({ store, kept: stores.answers, clock, keyLifeMs: settings.keyLifeMs }),
    adminToken: settings.adminToken,
    seal: makeSeal(settings.adminToken, overrides.ids),
    async audit(action, subject, requestId, along) {
      const row = { id: overrides.ids.next('act'), at: clock.now(), requestId, action, subject };
      await store.apply([stores.audit.insert(row), ...along]);
    },
  });
  sessionRoutes(serve, { ...sessionParts, ...stores, reviews });
  handsetRoutes(serve, rail.handset);
  backOfficeRoutes(serve, verbs);

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
    createMerchant: verbs.createMerchant,
    listMerchants: () => verbs.listMerchants({ limit: 1_000 }),
    approveOffline: async (merchantId) => granted(await verbs.approveOffline(merchantId)),
    createKey: async (asked) => granted(await verbs.createKey(asked)),
    async revokeKey(keyId) {
      granted(await verbs.revokeKey(keyId));
    },
    setWebhook: async (asked) => granted(await verbs.setWebhook(asked)),
    rotateSecret: async (asked) => granted(await verbs.rotateSecret(asked)),
    book: readBook(store),
    handset: rail.handset,
  };
}

type Stores = ReturnType<typeof openStores>;

function openStores(store: Store) {
  return {
    merchants: merchantStore(store),
    keys: keyStore(store),
    sessions: sessionStore(store),
    reviews: reviewStore(store),
    fees: feeStore(store),
    answers: idempotencyStore(store),
    endpoints: endpointStore(store),
    events: eventStore(store),
    audit: auditStore(store),
  };
}

type SessionParts = ServiceOverrides &
  Stores & {
    store: Store;
    /** Told that an event is due. */
    wake(at: EpochMs): void;
  };

/** The life of a session: created, pushed to the rail, closed by what the rail reports or by time. */
function wireSessions(settings: Settings, parts: SessionParts) {
  const { clock, reviews } = parts;
  const record = recordEvents(parts);
  const close = closeSession({ ...parts, recordEvent: record.closed });
  const report = settleSession({
    ...parts,
    close,
    openReview: openReview({ ...parts, recordEvent: record.review }),
  });
  const rail = simulatedRail({
    ...parts,
    prompts: promptStore(parts.store),
    config: settings.rail,
    report,
    wake: (at) => closing.wakeBy(at),
  });
  const testRail = parts.wrapRail?.(rail) ?? rail;
  const liveRail = parts.liveRail?.(report);
  const expire = expireSessions({ ...parts, close });
  const closing = makeLoop({
    ...parts,
    name: 'closing',
    // No session is given up while a rail still has results to report: one of them may be its payment.
    async round() {
      const rails = earliest(await rail.round(), await liveRail?.round());
      if (rails !== undefined && rails <= clock.now()) return rails;
      return earliest(rails, await expire());
    },
  });
  const expiresBy = (at: EpochMs) => closing.wakeBy(at);
  const fees = makeFees({ ...parts, defaults: settings.fees });
  return {
    rail,
    reviews,
    create: createSession({
      ...parts,
      fees,
      useOtp: async () => refuse('otp_not_found', { param: 'otp_request_id' }),
      expiresBy,
    }),
    initiate: initiateSession({
      ...parts,
      close,
      rails: (livemode) => (livemode === 0 ? testRail : liveRail),
      promptLifeMs: settings.rail.promptLifeMs,
      promptLimit: makeLimit(settings.limits.prompts, clock),
      expiresBy,
    }),
    loops: [closing],
  };
}

function earliest(one: EpochMs | undefined, other: EpochMs | undefined): EpochMs | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

function granted<Result extends { kind: string }>(result: Result | Refused): Exclude<Result, Refused> {
  if (isRefused(result)) {
    throw new UserError(`The collection service refused: ${refusals[result.code].message} (${result.code})`);
  }
  return result as Exclude<Result, Refused>;
}

function isRefused(result: { kind: string }): result is Refused {
  return result.kind === 'refused';
}
