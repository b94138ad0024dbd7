import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, type TestContext, vi } from 'vitest';
import { stringify } from 'yaml';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import type { CallName } from '../../src/gateway/collection/fact.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { loadCollectionRecord } from '../../src/gateway/support/collection-query.ts';
import { findCollections } from '../../src/gateway/support/find-query.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import { createService } from '../../src/service/create.ts';
import { listen } from '../../src/shared/http/server.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { temporaryFolder } from '../kit/folder.ts';
import type { Program } from '../kit/launch.ts';
import { createSilentLog } from '../kit/log.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { callName } from '../kit/network-faults.ts';
import { webhookSecret } from '../kit/till.ts';
import { fastClock } from './fast-clock.ts';
import type { Order } from './order.ts';
import { startProgram } from './processes.ts';

export const serviceCode = '*713*5#';
const channelSecret = 'secret-of-africastalking-0123456789';
export const resendGraceMs = 1_000;

/** The longest wait for a condition, many times what it takes. */
export const waitOptions = { timeout: 60_000, interval: 20 };

/** A gateway in its own process, which listens at `url`. */
export type GatewayProgram = Program & { url: string };

/** A call that reached the service, from any process. */
export type Received = { name: CallName; at: number; path: string; idempotencyKey: string; body: string };

/** Hooks between the service and the gateway's process. */
export type Hooks = {
  /** A call arrived; the service has not processed it yet. */
  called?: (call: Received) => unknown;
  /** The rail accepted a prompt; the service has not responded yet. */
  pushed?: () => Promise<unknown>;
  /** The gateway responded to a delivery with this status. */
  delivered?: (status: number) => Promise<unknown>;
};

export type ShopOptions = {
  quoteTimeoutSeconds?: number;
  /** The speed of the clocks of the service and the gateways. */
  speed?: number;
  /** Changes the configuration before it is written. */
  configure?: (file: ConfigFile) => void;
  /** The lifetime of a prompt, in ms. */
  promptLifetimeMs?: number;
  /** Whether each request goes to any running gateway, and not to the last one that was started. */
  spread?: boolean;
  /** Whether a process for the next start is loaded ahead of time. */
  standby?: boolean;
};

/**
 * Starts the service in this process, on a real socket, and writes a configuration for gateways in their own
 * processes, which share one database file. The service's statement is the reference for their effects.
 */
export async function startShop(context: TestContext, options: ShopOptions = {}) {
  const {
    quoteTimeoutSeconds = 0,
    speed = 1,
    configure,
    promptLifetimeMs = 120_000,
    standby = false,
    spread = false,
  } = options;
  const folder = temporaryFolder(context.onTestFinished);
  const since = Date.now();
  const clock = fastClock(since, speed);
  const ids = systemIds(clock);
  const log = createSilentLog();
  const hooks: Hooks = {};
  const received: Received[] = [];
  const deliveries: number[] = [];
  const acknowledged = new Set<string>();
  let gatewayUrl = '';
  const running = new Set<string>();
  const anyUrl = () => [...running][Math.floor(Math.random() * running.size)] ?? gatewayUrl;
  const nextUrl = () => (spread ? anyUrl() : gatewayUrl);

  const unlimited = { burst: 1_000_000, perMinute: 1_000_000 };
  const service = createService(
    {
      databaseFile: join(folder, 'service.db'),
      adminToken: ids.secret(),
      limits: { calls: unlimited, prompts: unlimited },
      rail: { promptLifetimeMs: promptLifetimeMs },
      webhook: { retryDelaysMs: Array(1_000).fill(200 * speed), timeoutMs: 5_000 * speed },
    },
    {
      clock,
      ids,
      log,
      async fetch(input, init) {
        const { pathname } = new URL(String(input));
        const answer = await fetch(nextUrl() + pathname, init);
        deliveries.push(answer.status);
        if (answer.ok) acknowledged.add(String(JSON.parse(String(init?.body)).id));
        await hooks.delivered?.(answer.status);
        return answer;
      },
      wrapRail: (rail) => ({
        ...rail,
        async push(push, signal) {
          const answer = await rail.push(push, signal);
          await hooks.pushed?.();
          return answer;
        },
      }),
    },
  );
  const at = await listen(
    {
      async fetch(request, ...rest) {
        const { pathname } = new URL(request.url);
        if (pathname.startsWith('/v1/')) {
          const call = {
            name: callName(request.url),
            at: clock.now(),
            path: pathname,
            idempotencyKey: request.headers.get('idempotency-key') ?? '',
            body: request.method === 'GET' ? '' : await request.clone().text(),
          };
          received.push(call);
          await hooks.called?.(call);
        }
        return service.app.fetch(request, ...rest);
      },
    },
    { host: '127.0.0.1', port: 0 },
    'the port of this test',
  );
  context.onTestFinished(async () => {
    await at.close(0);
    await service.stop();
  });

  const { id: merchantId } = await service.createMerchant({ name: 'Demo Shop' });
  await service.approveOffline(merchantId);
  const { key } = await service.createKey({ merchantId, livemode: false, scopes: allScopes });
  const hook = 'http://gateway.test/webhooks/demo-shop';
  await service.setWebhook({ merchantId, livemode: false, url: hook, secret: webhookSecret });
  service.start();
  const database = join(folder, 'gateway.db');
  const configFile = join(folder, 'gateway.yaml');
  const file = configFileOf(database, at.url, key, quoteTimeoutSeconds);
  configure?.(file);
  writeFileSync(configFile, stringify(file));

  const reachable = async (program: Program): Promise<GatewayProgram> => {
    const url = await program.waitForOutput(/http:[^\s"]+(?=["\n])/);
    gatewayUrl = url;
    running.add(url);
    void program.ended.then(() => running.delete(url));
    return { ...program, url };
  };
  const load = () => startProgram(context, 'test/process/child-gateway.ts', [configFile]);
  let loading: Program | undefined = standby ? load() : undefined;

  async function reading<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = createSqliteReader(database);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  const shop = {
    service,
    hooks,
    clock,
    ids,
    database,
    configFile,
    /** Calls that reached the service, from any process. */
    received,
    /** The gateways' responses to deliveries. */
    deliveries,
    /** Ids of events that were acknowledged with 2xx. */
    acknowledged,
    /** The URL of the last started gateway, or of any running one with `spread`. */
    url: nextUrl,
    /** Starts a gateway process. `reachable` resolves when it listens. */
    begin(order: Order = {}): { program: Program; reachable: Promise<GatewayProgram> } {
      const program = loading ?? load();
      loading = standby ? load() : undefined;
      program.writeLine(JSON.stringify({ since, speed, ...order }));
      return { program, reachable: reachable(program) };
    },
    /** Starts a gateway, perhaps with a planned end, and waits until it listens. */
    start: (order?: Order): Promise<GatewayProgram> => shop.begin(order).reachable,
    /** Starts a gateway with the command line. */
    startCli: () => reachable(startCli(context, configFile)),
    reading,
    /** Waits for the prompt and types the PIN. */
    async approve(number: string) {
      const [prompt] = await vi.waitFor(async () => {
        const pending = await service.phone.pending(msisdnOf(number));
        expect(pending).toHaveLength(1);
        return pending;
      }, waitOptions);
      await service.phone.approve(prompt?.id ?? '', '1234');
    },
    async only(number: string): Promise<CollectionRow> {
      const found = await reading((store) => findCollections(store, number));
      expect(found).toHaveLength(1);
      return found[0] as CollectionRow;
    },
    /** Waits until the collection matches, and returns it. */
    until(number: string, expected: Partial<CollectionRow>): Promise<CollectionRow> {
      return vi.waitFor(async () => {
        const row = await shop.only(number);
        expect(row).toMatchObject(expected);
        return row;
      }, waitOptions);
    },
    async file(number: string) {
      const { id } = await shop.only(number);
      const file = await reading((store) => loadCollectionRecord(store, id));
      if (!file) throw new Error('a collection without a record');
      return file;
    },
    verify: () => reading((store) => verifyLedger(ledgerStore(store), ledgerAudits)),
  };
  return shop;
}

export type Shop = Awaited<ReturnType<typeof startShop>>;

/** Starts `dialtill start`. */
export function startCli(context: TestContext, configFile: string): Program {
  return startProgram(context, 'src/cli/main.ts', ['start', '--config', configFile]);
}

/** Returns the callback URL for the aggregator. */
export function ussdUrl({ url }: Pick<GatewayProgram, 'url'>): string {
  return `${url}/ussd/africastalking/${channelSecret}`;
}

type ConfigFile = ReturnType<typeof configFileOf>;

function configFileOf(database: string, serviceUrl: string, key: string, quoteTimeoutSeconds: number) {
  const menu = resolve('fixtures/menus/shop.yaml');
  return {
    environment: 'test',
    listen: { port: 0 },
    log: { level: 'info' },
    database: { file: database },
    service: { url: serviceUrl, simulator: true, callsPerSecond: 20 },
    timings: {
      promptDelaySeconds: 0.05,
      promptDeadlineSeconds: 180,
      retryAllowedAfterSeconds: 360,
      resendGraceSeconds: resendGraceMs / 1000,
      callTimeoutSeconds: 12,
      leaseSeconds: 30,
      dialogueLifetimeSeconds: 300,
      // Without quotes the calls of the collection are the only ones.
      quoteTimeoutSeconds,
    },
    merchants: [{ id: 'demo-shop', name: 'Demo Shop', key, webhookSecrets: [webhookSecret], menu }],
    channels: [
      {
        id: 'africastalking',
        aggregator: 'africastalking',
        serviceCode,
        secret: channelSecret,
        merchant: 'demo-shop',
        replyWithinSeconds: 5,
      },
    ],
  };
}
