import type { Hono } from 'hono';
import { signatureHeader } from '../contract/event.ts';
import { openSqlite } from '../db/sqlite.ts';
import type { Store } from '../db/store.ts';
import type { Clock, EpochMs } from '../shared/clock.ts';
import { UserError } from '../shared/errors.ts';
import type { Ids } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import { backOfficeRoutes } from './backoffice/routes.ts';
import { backOffice } from './backoffice/verbs.ts';
import { type Book, readBook } from './book-store.ts';
import { defaultFee, type FeeSchedule } from './fee.ts';
import { promptStore } from './handset/prompt-store.ts';
import { handsetRoutes } from './handset/routes.ts';
import { type Handset, type RailConfig, simulatedRail } from './handset/simulated-rail.ts';
import { jsonAnswer } from './http/answer.ts';
import { type Env, makeApp } from './http/app.ts';
import { idempotencyStore } from './idempotency/idempotency-store.ts';
import { makeOnce } from './idempotency/once.ts';
import { authenticate } from './key/authenticate.ts';
import type { NewKey } from './key/create.ts';
import { makeLoop } from './loop.ts';
import { type Merchant, merchantStore } from './merchant/merchant-store.ts';
import { prune } from './prune.ts';
import type { Rail } from './rail.ts';
import { type Refused, refusals } from './refusal.ts';
import { closeSession } from './session/close.ts';
import { createSession } from './session/create.ts';
import { expireSessions } from './session/expire.ts';
import { initiateSession } from './session/initiate.ts';
import { sessionRoutes } from './session/routes.ts';
import { type SessionStore, sessionStore } from './session/session-store.ts';
import { settleSession } from './session/settle.ts';
import { deliverer, type WebhookConfig } from './webhook/deliver.ts';
import { endpointStore } from './webhook/endpoint-store.ts';
import { type EventStore, eventStore } from './webhook/event-store.ts';
import { recordEvent } from './webhook/record.ts';
import type { NewEndpoint } from './webhook/set-endpoint.ts';

export type ServiceConfig = {
  databaseFile: string;
  /** Opens the back office; at least 16 characters. */
  adminToken: string;
  fee?: Partial<FeeSchedule>;
  rail?: Partial<RailConfig>;
  webhook?: Partial<WebhookConfig>;
};

export type ServiceOverrides = {
  clock: Clock;
  ids: Ids;
  /** Sends webhooks. */
  fetch: typeof fetch;
  log: Log;
  /** Stands between the service and its simulated rail, to let the rail fail. */
  wrapRail?(rail: Rail): Rail;
};

/** The back office's verbs throw a `UserError` here where its API would refuse. */
export type Service = {
  app: Hono<Env>;
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

const defaultRail: RailConfig = { acceptMs: 0, promptLifeMs: 120_000, pinLimit: 3 };

const defaultWebhook: WebhookConfig = {
  retryMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000],
  timeoutMs: 10_000,
  headerName: signatureHeader,
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
  const store = openSqlite({ file: config.databaseFile, schema: 'service', clock: overrides.clock });
  const common = { ...overrides, store };

  const merchants = merchantStore(store);
  const sessions = sessionStore(store);
  const answers = idempotencyStore(store);
  const endpoints = endpointStore(store);
  const events = eventStore(store);

  const { rail, create, initiate, loops } = wireSessions(config, {
    ...common,
    sessions,
    events,
    wake: (at) => sending.wakeBy(at),
  });
  const deliveries = deliverer({
    ...common,
    events,
    endpoints,
    config: { ...defaultWebhook, ...config.webhook },
    wake: (at) => sending.wakeBy(at),
  });
  const sending = makeLoop({ ...common, name: 'deliveries', round: deliveries.round });
  const pruning = makeLoop({ ...common, name: 'pruning', round: prune({ ...common, answers, events }) });
  loops.push(sending, pruning);
  const verbs = backOffice({ ...common, merchants, endpoints, events });

  const app = makeApp(common);
  app.get('/healthz', async () => {
    await store.read.get('SELECT 1');
    return jsonAnswer(200, '{"status":"ok"}');
  });
  sessionRoutes(app, {
    create,
    initiate,
    sessions,
    authenticate: authenticate(merchants),
    once: makeOnce(answers, overrides.clock),
  });
  handsetRoutes(app, rail.handset);
  backOfficeRoutes(app, verbs, config.adminToken);

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

type SessionParts = ServiceOverrides & {
  store: Store;
  sessions: SessionStore;
  events: EventStore;
  /** Told that an event is due. */
  wake(at: EpochMs): void;
};

/** The life of a session: created, pushed to the rail, closed by what the rail reports or by time. */
function wireSessions(config: ServiceConfig, parts: SessionParts) {
  const railConfig = { ...defaultRail, ...config.rail };
  const close = closeSession({ ...parts, recordEvent: recordEvent(parts) });
  const rail = simulatedRail({
    ...parts,
    prompts: promptStore(parts.store),
    config: railConfig,
    report: settleSession({ ...parts, close }),
    wake: (at) => closing.wakeBy(at),
  });
  const expire = expireSessions({ ...parts, close });
  const closing = makeLoop({
    ...parts,
    name: 'closing',
    // No session is given up while the rail still has results to report: one of them may be its payment.
    async round() {
      const rails = await rail.round();
      if (rails !== undefined && rails <= parts.clock.now()) return rails;
      const sessions = await expire();
      return rails === undefined ? sessions : Math.min(rails, sessions ?? rails);
    },
  });
  const expiresBy = (at: EpochMs) => closing.wakeBy(at);
  return {
    rail,
    create: createSession({ ...parts, fee: { ...defaultFee, ...config.fee }, expiresBy }),
    initiate: initiateSession({
      ...parts,
      close,
      rail: parts.wrapRail?.(rail) ?? rail,
      promptLifeMs: railConfig.promptLifeMs,
      expiresBy,
    }),
    loops: [closing],
  };
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
