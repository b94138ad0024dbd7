import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { demoChannels } from '../../src/aggregators/registry.ts';
import { createPasswords } from '../../src/gateway/accounts/password.ts';
import type { CollectionRow, CollectionWithJob } from '../../src/gateway/collection/collection.ts';
import { configSchema, type FileConfig } from '../../src/gateway/config/schema.ts';
import type { Gateway } from '../../src/gateway/create.ts';
import { findWrongTotals } from '../../src/gateway/insights/wrong-totals-query.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import type { LedgerReport } from '../../src/gateway/ledger/report.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { type CollectionRecord, loadCollectionRecord } from '../../src/gateway/support/collection-query.ts';
import { findCollections } from '../../src/gateway/support/find-query.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import type { GatewayOverrides } from '../../src/gateway/wiring/context.ts';
import { createReader } from '../../src/gateway/wiring/reads.ts';
import { type LoadedMenu, loadMenu } from '../../src/menu/file/load.ts';
import type { Service, ServiceConfig } from '../../src/service/create.ts';
import { signPayload } from '../../src/service/webhook/attempt.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { parseMsisdn } from '../../src/shared/msisdn.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Store, Write } from '../../src/sqlite/store.ts';
import { gatewayUrl, serviceFile, serviceUrl, startPrograms } from '../../src/testing/programs.ts';
import { day, type TestClock, testClock } from './clock.ts';
import type { EarlierLedger } from './earlier-ledger.ts';
import { engine } from './engine.ts';
import { fileLedger, type TestLedger } from './file-ledger.ts';
import { temporaryFolder } from './folder.ts';
import { createKeptLog } from './log.ts';
import { placeMigrated } from './migrated.ts';
import { callName } from './network-faults.ts';
import { watchResponses } from './openapi.ts';
import {
  createPhone,
  createSession,
  type Phone,
  type PhoneOptions,
  type RawSession,
  type SessionOptions,
} from './phone.ts';
import { type Scenes, scenesOf } from './scenes.ts';
import { createServerLedger } from './server-ledger.ts';
import { createSockets } from './sockets.ts';
import { watchWrites } from './with-database.ts';

/** A call of the gateway to the service. `answer` is its HTTP status, absent while the call is in flight. */
export type Call = {
  name: 'create' | 'initiate' | 'status';
  idempotencyKey: string | null;
  body: string;
  startedAt: number;
  answer?: number;
};

/**
 * Faults of the network between gateway and service. Each function replaces the network: it can answer itself, throw (a
 * reset), never answer, or call `pass` and change the result.
 */
export type Faults = {
  call?: (call: Call, pass: () => Promise<Response>, signal: AbortSignal) => Promise<Response>;
  /** Intercepts webhooks on their way to the gateway. */
  webhook?: (body: string, pass: () => Promise<Response>) => Promise<Response>;
};

/** A till without its scenes. */
export type TillPrograms = {
  folder: string;
  clock: TestClock;
  config: FileConfig;
  ledger: TestLedger;
  /** Reads the ledger with the gateway's code. */
  read<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** Writes with the store of the running gateway, past its operations. Returns false when a guard loses. */
  write(batch: readonly Write[]): Promise<boolean>;
  service: Service;
  /** The running gateway. A restart replaces it. */
  gateway(): Gateway;
  faults: Faults;
  calls: Call[];
  /** The log of both programs. */
  logged(): string;
  /** Sends a request to the gateway, as aggregators, the service and people do. */
  request(url: string, init?: RequestInit): Promise<Response>;
  /** Creates a session below a phone. The channel is one of the configuration. */
  session(msisdn: string, channel: string, options?: SessionOptions): RawSession;
  phone(msisdn: string, channel?: string, options?: PhoneOptions): Phone;
  /** Dials, types the inputs, and returns the text of the last screen. @throws Error without a screen. */
  pay(msisdn: string, inputs?: readonly string[], channel?: string): Promise<string>;
  /** Returns the collections of a number, reference or id, the newest first. */
  find(term: string): Promise<CollectionRow[]>;
  /** Returns the only collection of a number. @throws Error when there is not exactly one. */
  only(term: string): Promise<CollectionWithJob>;
  record(id: string): Promise<CollectionRecord>;
  /** Returns the only pending prompt of a number. @throws Error when there is not exactly one. */
  prompt(msisdn: string): Promise<{ id: string }>;
  /** Advances the clock until the condition holds. @throws Error after `ms` of the clock. */
  until(condition: () => Promise<boolean> | boolean, ms?: number): Promise<void>;
  untilStatus(term: string, status: string, ms?: number): Promise<CollectionWithJob>;
  verify(): Promise<LedgerReport>;
  /** Signs a webhook and posts it to the gateway. */
  deliver(event: object | string, options?: DeliverOptions): Promise<Response>;
  /** Sets the machine clock of the gateway ahead of the service's clock. */
  setMachineClock(aheadMs: number): void;
  /** Stops the gateway and creates a new one on the same files, or on the files that `between` leaves. */
  restart(between?: () => Promise<unknown>): Promise<void>;
};

export type Till = TillPrograms & Scenes;

export type DeliverOptions = {
  secret?: string;
  signedAt?: number;
  merchant?: string;
  header?: string;
  eventId?: string;
};

export type TillOptions = {
  /** Changes the configuration before the gateway is created. */
  configure?: (config: FileConfig) => void;
  /** Timings of the gateway that differ from the usual ones. */
  timings?: Partial<FileConfig['timings']>;
  service?: Partial<ServiceConfig>;
  faults?: Faults;
  /** Joins the programs, and the phones, over real HTTP on ports of this machine. */
  overHttp?: boolean;
  /** The gateway has the clock of a machine, which a test can set, apart from the service's. Prompts and sessions last for days. */
  onMachineClock?: boolean;
  /** Overrides for each gateway that is created, also after a restart. */
  overrides?: (clock: TestClock) => Partial<GatewayOverrides>;
  /** Changes the store of each gateway that is created. */
  wrapStore?: (store: Store, clock: TestClock) => Store;
  /** The engine of the ledger, where a test is about one of them. */
  engine?: typeof engine;
  /** Begins with the databases of an earlier version. */
  earlier?: EarlierLedger;
};

export { day, hour, minute } from './clock.ts';
export { payer } from './scenes.ts';

/** The longest step while a test waits for a condition. */
const maxStepMs = 5_000;

export const webhookSecret = 'whsec_test_0123456789abcdef';
const channelSecret = (channel: string) => `secret-of-${channel}-0123456789`;

/**
 * Creates a till in this process: the real gateway and the real service, each on its own SQLite file, joined without
 * sockets unless the test is about HTTP, on a clock that only the test advances.
 */
export async function createTill(options: TillOptions = {}): Promise<Till> {
  const folder = temporaryFolder();
  const { earlier } = options;
  const onServer = (options.engine ?? engine) === 'postgres';
  const server = onServer ? await createServerLedger(await earlier?.createDatabase()) : undefined;
  const sockets = options.overHttp ? createSockets() : undefined;
  const clock = testClock(earlier?.now, () => server?.busy() ?? sockets?.busy());
  // Over HTTP, a poll without jitter never meets an event in the same millisecond by chance.
  let aheadMs = 0;
  /** The clock of a process, which a restart reads anew. Timers of a machine ignore changes of its clock. */
  const machineClock = () => {
    const machine = systemClock(() => clock.now() + aheadMs, clock.now);
    return { clock: { ...machine, sleep: clock.sleep }, maxIdleMs: 1_000 };
  };
  const lasting = { rail: { promptLifetimeMs: 2 * day }, session: { longStopMs: 4 * day } };
  const ids = { ...systemIds(clock), ...(sockets && { random: () => 0.5 }) };
  const { log, logged } = createKeptLog();
  const faults: Faults = { ...options.faults };
  const calls: Call[] = [];
  let gatewayStore: Store | undefined;
  if (earlier) earlier.placeFiles(folder);
  else placeMigrated(serviceFile(folder), 'service');
  const programs = await startPrograms({
    ...{ folder, clock, ids, log },
    merchant: { id: 'demo-shop', name: 'Demo Shop', webhookSecret },
    service: {
      adminToken: 'admin-token-0123456789',
      ...(options.onMachineClock && lasting),
      ...options.service,
    },
    configure(key) {
      const config = testConfig(folder, key);
      Object.assign(config.timings, options.timings);
      options.configure?.(config);
      // A test that opens the file would otherwise find a ledger without rows.
      if (!server && !earlier) placeMigrated(config.database.file, 'gateway');
      return config;
    },
    network: {
      async call(url, init, inProcess) {
        const pass = sockets ? () => sockets.fetch(url, init) : inProcess;
        const idempotencyKey = init.headers['idempotency-key'] ?? null;
        const call: Call = {
          name: callName(url),
          idempotencyKey,
          body: init.body ?? '',
          startedAt: clock.now(),
        };
        calls.push(call);
        const answer = await (faults.call ? faults.call(call, pass, init.signal) : pass());
        call.answer = answer.status;
        return answer;
      },
      webhook(init, inProcess) {
        const pass = sockets ? () => sockets.fetch(`${gatewayUrl}/webhooks/demo-shop`, init) : inProcess;
        return faults.webhook ? faults.webhook(String(init?.body), pass) : pass();
      },
    },
    async overrides() {
      const { wrapStore } = options;
      const opened = await server?.open();
      const open: typeof createSqliteStore = (settings) => {
        gatewayStore = opened ?? createSqliteStore(settings);
        return gatewayStore;
      };
      const createStore: typeof open = wrapStore ? (settings) => wrapStore(open(settings), clock) : open;
      const quick = { maxIdleMs: 600_000, passwords: createPasswords(systemIds(clock), 2 ** 8) };
      const ofMachine = options.onMachineClock && machineClock();
      return { ...quick, createReader, createStore, ...ofMachine, ...options.overrides?.(clock) };
    },
    ...(server && { openReader: server.openReader }),
  });
  onTestFinished(programs.stop);
  const { config, service, read } = programs;
  watchResponses(service.app);
  await sockets?.open(programs);
  const request = sockets?.fetch ?? programs.request;

  const till: TillPrograms = {
    folder,
    clock,
    config,
    ledger: server?.ledger ?? fileLedger(config.database.file),
    read,
    async write(batch) {
      if (!gatewayStore) throw new Error('the gateway is not running');
      return gatewayStore.apply(batch);
    },
    service,
    gateway: programs.gateway,
    faults,
    calls,
    logged,
    request,
    session: (number, channel, options) => createSession(till, number, channel, options),
    phone: (number, channel, options) => createPhone(till, number, channel, options),
    async pay(number, inputs = ['1', '20', '1'], channel = 'africastalking') {
      const phone = till.phone(number, channel);
      await phone.dial();
      return phone.type(...inputs);
    },
    find: (term) => read((store) => findUnlessKnown(store, term)),
    async only(term) {
      const found = await till.find(term);
      const [row] = found;
      if (!row || found.length > 1)
        throw new Error(`expected one collection of ${term}, found ${found.length}`);
      return (await till.record(row.id)).collection;
    },
    record: (id) =>
      read(async (store) => {
        const file = await loadCollectionRecord(store, id);
        if (!file) throw new Error(`no collection ${id}`);
        return file;
      }),
    async prompt(number) {
      const msisdn = parseMsisdn(number);
      const waiting = msisdn ? await service.phone.pending(msisdn) : [];
      const [prompt] = waiting;
      if (!prompt || waiting.length > 1) throw new Error(`expected one prompt, found ${waiting.length}`);
      return prompt;
    },
    async until(condition, ms = 60_000) {
      const end = clock.now() + ms;
      while (!(await condition())) {
        if (clock.now() >= end) throw new Error(`the condition did not hold within ${ms} ms`);
        // Nothing changes before the next sleeper wakes. Work that is still running may add one, or meet the condition.
        await clock.advance(0);
        if (await condition()) return;
        const idleMs = (clock.nextWake() ?? end) - clock.now();
        await clock.advance(Math.min(Math.max(250, idleMs), maxStepMs, end - clock.now()));
      }
    },
    async untilStatus(term, status, ms) {
      const writes = server ? server.watchWrites() : watchWrites(config.database.file);
      try {
        await till.until(async () => writes.any() && (await till.find(term))[0]?.status === status, ms);
      } finally {
        writes.close();
      }
      return till.only(term);
    },
    async verify() {
      return read((store) =>
        verifyLedger(ledgerStore(store), ledgerAudits, {
          now: clock.now(),
          findWrongTotals: () => findWrongTotals(store),
        }),
      );
    },
    async deliver(
      event,
      { secret = webhookSecret, signedAt = clock.now(), merchant = 'demo-shop', header, eventId } = {},
    ) {
      const body = typeof event === 'string' ? event : JSON.stringify(event);
      const signature = header ?? signPayload([secret], signedAt, body);
      return request(`${gatewayUrl}/webhooks/${merchant}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'service-signature': signature,
          ...(eventId === undefined ? {} : { 'service-event-id': eventId }),
        },
        body,
      });
    },
    setMachineClock(ms) {
      aheadMs = ms;
    },
    restart: programs.restartGateway,
  };
  return Object.assign(till, scenesOf(till));
}

/** Returns a `payment.session.paid` event with the quote of a collection, except for the fields in `changed`. */
export function paidEvent(row: CollectionRow, id = 'evt_test_paid', changed: Record<string, unknown> = {}) {
  return {
    id,
    type: 'payment.session.paid',
    created_at: '2026-03-06T09:00:30.000Z',
    data: {
      id: row.sessionId,
      status: 'paid',
      goods_minor: row.goodsMinor,
      amount_minor: row.amountMinor,
      expected_fee_minor: row.feeMinor,
      expected_net_minor: row.netMinor,
      paid_at: '2026-03-06T09:00:29.000Z',
      ...changed,
    },
  };
}

export function failedEvent(row: CollectionRow, id = 'evt_test_failed') {
  return {
    id,
    type: 'payment.session.failed',
    created_at: '2026-03-06T09:00:30.000Z',
    data: { id: row.sessionId, status: 'failed' },
  };
}

type Found = { version: unknown; byTerm: Map<string, CollectionRow[]> };
const found = new WeakMap<Store, Found>();

/** Finds collections. Tests poll often while nothing changes: until the next commit, the result is kept. */
async function findUnlessKnown(store: Store, term: string): Promise<CollectionRow[]> {
  if (store.engine === 'postgres') return findCollections(store, term);
  const version = String(await store.query('PRAGMA data_version', [], 'row'));
  let known = found.get(store);
  if (known?.version !== version) {
    known = { version, byTerm: new Map() };
    found.set(store, known);
  }
  const rows = known.byTerm.get(term) ?? (await findCollections(store, term));
  known.byTerm.set(term, rows);
  return rows.map((row) => ({ ...row }));
}

let shop: LoadedMenu | undefined;

/** Returns a copy of the demo menu, which is read once per process. */
function loadShop() {
  shop ??= loadMenu('fixtures/menus/shop.yaml');
  if (!shop.ok) throw new Error('the demo menu does not load');
  return { menu: structuredClone(shop.menu), handlers: shop.handlers };
}

export function testConfig(folder: string, key: string): FileConfig {
  const { menu, handlers } = loadShop();
  const file = configSchema.parse({
    environment: 'test',
    database: { file: join(folder, 'gateway.db') },
    service: { url: serviceUrl, simulator: true },
    // Tests that are not about fees do not expect calls for quotes.
    timings: { quoteTimeoutSeconds: 0 },
    merchants: [
      { id: 'demo-shop', name: 'Demo Shop', key, webhookSecrets: [webhookSecret], menu: 'shop.yaml' },
    ],
    channels: demoChannels.map((channel) => ({
      ...channel,
      secret: channelSecret(channel.id),
      merchant: 'demo-shop',
    })),
  });
  return {
    ...file,
    database: { file: join(folder, 'gateway.db') },
    merchants: file.merchants.map((merchant) => ({ ...merchant, menu, handlers })),
  };
}
