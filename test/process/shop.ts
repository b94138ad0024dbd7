import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, type TestContext, vi } from 'vitest';
import { stringify } from 'yaml';
import { simulated as africastalking } from '../../src/aggregators/africastalking/simulated.ts';
import { auditCollection } from '../../src/gateway/collection/audit.ts';
import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import type { CallName } from '../../src/gateway/collection/fact.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { findCollections, loadCollectionRecord } from '../../src/gateway/support/collection-query.ts';
import { createService } from '../../src/service/create.ts';
import { listen } from '../../src/shared/http/server.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { type Msisdn, parseMsisdn } from '../../src/shared/msisdn.ts';
import { createPhone } from '../../src/simulator/phone.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { callName } from '../kit/call.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createSilentLog } from '../kit/silent-log.ts';
import { webhookSecret } from '../kit/till.ts';
import { fastClock } from './fast-clock.ts';
import type { Order } from './orders.ts';
import { type Program, startProgram } from './processes.ts';

export const serviceCode = '*713*5#';
const channelSecret = 'secret-of-africastalking-0123456789';
export const resendGraceMs = 1_000;

/** Longest wait for anything that must come true: many times what it takes. */
export const patience = { timeout: 20_000, interval: 20 };

/** A gateway in its own process, reachable at `url`. */
export type GatewayProgram = Program & { url: string };

/** A call that reached the service, from whichever process. */
export type Received = { name: CallName; at: number; path: string; idempotencyKey: string; body: string };

/** Where a test may step in between the service and the gateway's process. */
export type Hooks = {
  /** A call has arrived, and the service has not seen it yet. */
  called?: (call: Received) => unknown;
  /** The rail has taken a prompt; the service has not answered yet. */
  pushed?: () => Promise<unknown>;
  /** The gateway has answered a delivery with this status. */
  delivered?: (status: number) => Promise<unknown>;
};

export type ShopOptions = {
  quoteTimeoutSeconds?: number;
  /** How many times faster than the wall's time passes, for the service and for gateways. */
  speed?: number;
  /** Changes the configuration before it is written. */
  configure?: (file: ConfigFile) => void;
  /** How long a prompt waits for its payer, in ms. */
  promptLifetimeMs?: number;
  /** A process is always being loaded for the next start. */
  standby?: boolean;
};

/**
 * The service in this process, on a real socket, and a configuration for gateways in processes of their own, which
 * share one database file: the service's book is the oracle for what any of them did.
 */
export async function openShop(context: TestContext, options: ShopOptions = {}) {
  const {
    quoteTimeoutSeconds = 0,
    speed = 1,
    configure,
    promptLifetimeMs = 120_000,
    standby = false,
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
        const answer = await fetch(gatewayUrl + pathname, init);
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
  const { key } = await service.createKey({ merchantId, livemode: false });
  const hook = 'http://gateway.test/webhooks/demo-shop';
  await service.setWebhook({ merchantId, livemode: false, url: hook, secret: webhookSecret });
  service.start();
  const database = join(folder, 'gateway.db');
  const configFile = join(folder, 'gateway.yaml');
  const file = configFileOf(database, at.url, key, quoteTimeoutSeconds);
  configure?.(file);
  writeFileSync(configFile, stringify(file));

  const reachable = async (program: Program): Promise<GatewayProgram> => {
    const url = await program.says(/http:[^\s"]+(?=["\n])/);
    gatewayUrl = url;
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
    /** Calls that reached the service, from whichever process. */
    received,
    /** What the gateways answered to deliveries. */
    deliveries,
    /** Events whose delivery was answered with 2xx. */
    acknowledged,
    /** Where the gateway is that was started last. */
    url: () => gatewayUrl,
    /** Lets a gateway begin: a process, and when it can be reached. */
    begin(order: Order = {}): { program: Program; reachable: Promise<GatewayProgram> } {
      const program = loading ?? load();
      loading = standby ? load() : undefined;
      program.tell(JSON.stringify({ since, speed, ...order }));
      return { program, reachable: reachable(program) };
    },
    /** Starts a gateway, with an end in store or in good health, and waits until it can be reached. */
    start: (order?: Order): Promise<GatewayProgram> => shop.begin(order).reachable,
    /** Starts a gateway as an operator does. */
    startCli: () => reachable(startCli(context, configFile)),
    reading,
    /** Dials and agrees. Resolves when the aggregator has the END screen. */
    async agree(gateway: GatewayProgram, number: string) {
      const phone = createPhone({
        clock,
        ids,
        fetch,
        aggregator: africastalking,
        msisdn: msisdnOf(number),
        operator: 'mtn',
        serviceCode,
        url: ussdUrl(gateway),
      });
      await phone.dial(serviceCode);
      for (const input of ['1', '20', '1']) await phone.send(input);
      expect(phone.screen()).toMatchObject({ kind: 'end' });
    },
    /** Waits for the prompt on the handset, and types the PIN. */
    async approve(number: string) {
      const [prompt] = await vi.waitFor(async () => {
        const pending = await service.phone.pending(msisdnOf(number));
        expect(pending).toHaveLength(1);
        return pending;
      }, patience);
      await service.phone.approve(prompt?.id ?? '', '1234');
    },
    async only(number: string): Promise<CollectionRow> {
      const found = await reading((store) => findCollections(store, number));
      expect(found).toHaveLength(1);
      return found[0] as CollectionRow;
    },
    /** Waits until the collection is as said, and returns it. */
    until(number: string, expected: Partial<CollectionRow>): Promise<CollectionRow> {
      return vi.waitFor(async () => {
        const row = await shop.only(number);
        expect(row).toMatchObject(expected);
        return row;
      }, patience);
    },
    async file(number: string) {
      const { id } = await shop.only(number);
      const file = await reading((store) => loadCollectionRecord(store, id));
      if (!file) throw new Error('a collection without a file');
      return file;
    },
    verify: () => reading((store) => verifyLedger(ledgerStore(store), auditCollection)),
  };
  return shop;
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** `dialtill start`, as an operator runs it. */
export function startCli(context: TestContext, configFile: string): Program {
  return startProgram(context, 'src/cli/main.ts', ['start', '--config', configFile]);
}

/** The callback URL that the aggregator has. */
export function ussdUrl({ url }: Pick<GatewayProgram, 'url'>): string {
  return `${url}/ussd/africastalking/${channelSecret}`;
}

export function msisdnOf(number: string): Msisdn {
  const msisdn = parseMsisdn(number);
  if (!msisdn) throw new Error(`no number: ${number}`);
  return msisdn;
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
      // Where a test is not about fees, the calls of the collection are the only ones.
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
