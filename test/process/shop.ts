import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, type TestContext, vi } from 'vitest';
import { stringify } from 'yaml';
import { auditCollection } from '../../src/collection/audit.ts';
import type { CollectionRow } from '../../src/collection/collection.ts';
import type { CallName } from '../../src/collection/fact.ts';
import { openSqliteReader } from '../../src/db/sqlite.ts';
import type { Store } from '../../src/db/store.ts';
import { openPhone } from '../../src/handset/phone.ts';
import { africastalking } from '../../src/handset/wires/africastalking.ts';
import { ledgerStore } from '../../src/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { listen } from '../../src/server.ts';
import { buildService } from '../../src/service/service.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { createLog } from '../../src/shared/log.ts';
import { type Msisdn, parseMsisdn } from '../../src/shared/msisdn.ts';
import { findCollections, openFile } from '../../src/support/collection-query.ts';
import { callName } from '../support/call.ts';
import { temporaryFolder } from '../support/folder.ts';
import { webhookSecret } from '../support/till.ts';
import { type Program, startProgram } from './processes.ts';

const serviceCode = '*713*5#';
const channelSecret = 'secret-of-africastalking-0123456789';
export const resendGraceMs = 1_000;

/** Longest wait for anything that must come true: many times what it takes. */
const patience = { timeout: 20_000, interval: 20 };

export type Fault = `${'before' | 'after'} ${'create' | 'initiate'}` | 'no worker';

/** A gateway in its own process, reachable at `url`. */
export type GatewayProgram = Program & { url: string };

/** Where a test may step in between the service and the gateway's process. */
export type Hooks = {
  /** The rail has taken a prompt; the service has not answered yet. */
  pushed?: () => Promise<unknown>;
  /** The gateway has answered a delivery with this status. */
  delivered?: (status: number) => Promise<unknown>;
};

/**
 * The service in this process, on a real socket and the real clock, and a configuration for gateways in processes of
 * their own, which share one database file: the service's book is the oracle for what any of them did.
 */
export async function openShop(context: TestContext, { quoteSeconds = 0 } = {}) {
  const folder = temporaryFolder(context.onTestFinished);
  const clock = systemClock();
  const ids = systemIds(clock);
  const log = createLog({ level: 'silent', pretty: false });
  const hooks: Hooks = {};
  const received: { name: CallName; at: number }[] = [];
  const deliveries: number[] = [];

  const service = buildService(
    {
      databaseFile: join(folder, 'service.db'),
      adminToken: ids.secret(),
      webhook: { retryMs: Array(100).fill(200) },
    },
    {
      clock,
      ids,
      log,
      async fetch(input, init) {
        const answer = await fetch(input, init);
        deliveries.push(answer.status);
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
      fetch(request, ...rest) {
        if (new URL(request.url).pathname.startsWith('/v1/')) {
          received.push({ name: callName(request.url), at: clock.now() });
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
  service.start();
  const database = join(folder, 'gateway.db');
  const configFile = join(folder, 'gateway.yaml');
  writeFileSync(configFile, configText(database, at.url, key, quoteSeconds));

  const reachable = async (program: Program): Promise<GatewayProgram> => {
    const url = await program.says(/http:[^\s"]+(?=["\n])/);
    const hook = { merchantId, livemode: false, url: `${url}/webhooks/demo-shop`, secret: webhookSecret };
    await service.setWebhook(hook);
    return { ...program, url };
  };

  async function reading<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = openSqliteReader(database);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  const shop = {
    service,
    hooks,
    configFile,
    /** Calls that reached the service, from whichever process. */
    received,
    /** What the gateways answered to deliveries. */
    deliveries,
    /** Starts a gateway, with a fault or in good health, and waits until it can be reached. */
    start: (fault?: Fault) =>
      reachable(
        startProgram(context, 'test/process/child-gateway.ts', [configFile, ...(fault ? [fault] : [])]),
      ),
    /** Starts a gateway as an operator does. */
    startCli: () => reachable(startCli(context, configFile)),
    /** Dials and agrees. Resolves when the aggregator has the END screen. */
    async agree(gateway: GatewayProgram, number: string) {
      const phone = openPhone({
        clock,
        ids,
        fetch,
        wire: africastalking,
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
        const pending = await service.handset.pending(msisdnOf(number));
        expect(pending).toHaveLength(1);
        return pending;
      }, patience);
      await service.handset.approve(prompt?.id ?? '', '1234');
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
      const file = await reading((store) => openFile(store, id));
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
  return startProgram(context, 'src/cli.ts', ['start', '--config', configFile]);
}

/** The callback URL that the aggregator has. */
export function ussdUrl({ url }: GatewayProgram): string {
  return `${url}/ussd/africastalking/${channelSecret}`;
}

function msisdnOf(number: string): Msisdn {
  const msisdn = parseMsisdn(number);
  if (!msisdn) throw new Error(`no number: ${number}`);
  return msisdn;
}

function configText(database: string, serviceUrl: string, key: string, quoteSeconds: number): string {
  const menu = resolve('fixtures/menus/shop.yaml');
  return stringify({
    environment: 'test',
    listen: { port: 0 },
    database: { file: database },
    service: { url: serviceUrl, simulator: true },
    // Where a test is not about fees, the calls of the collection are the only ones.
    timings: { promptDelaySeconds: 0.05, resendGraceSeconds: resendGraceMs / 1000, quoteSeconds },
    merchants: [{ id: 'demo-shop', name: 'Demo Shop', key, webhookSecrets: [webhookSecret], menu }],
    channels: [
      {
        id: 'africastalking',
        aggregator: 'africastalking',
        serviceCode,
        secret: channelSecret,
        merchant: 'demo-shop',
      },
    ],
  });
}
