import { join, resolve } from 'node:path';
import { aggregators, type DemoChannel, demoChannels } from '../aggregators/registry.ts';
import type { OpenAccount } from '../gateway/accounts/open-account.ts';
import { findLocalUrl } from '../gateway/config/addresses.ts';
import { loadConfig } from '../gateway/config/load.ts';
import { type RunningServer, serveGateway } from '../gateway/serve.ts';
import { phoneOverrides } from '../phone/create.ts';
import { createService, type Service } from '../service/create.ts';
import { type AdvanceableClock, advanceableClock, systemClock } from '../shared/clock.ts';
import { listen } from '../shared/http/server.ts';
import { type Ids, systemIds } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import { createFolder, replacePrivately } from '../sqlite/private-file.ts';
import {
  type DemoSettings,
  type DemoState,
  demoAccounts,
  demoConfigText,
  demoLookupsUrl,
  demoMerchant,
  isThisMachine,
  readDemoState,
  writeDemoState,
} from './demo-config.ts';
import { demoPage } from './demo-page.tsx';

export type DemoOptions = DemoSettings & {
  /** Folder of all files of the demo. */
  folder: string;
  port: number;
  servicePort: number;
};

export type Demo = RunningServer & {
  serviceUrl: string;
  /** The address of the browser phone and the console; `undefined` when the demo has none. */
  publicUrl: string | undefined;
  /** People who sign in without a password in the console. */
  accounts: readonly OpenAccount[];
  /** Path of the written configuration file, which commands in other terminals read. */
  configFile: string;
  channels: readonly DemoChannel[];
  /** Base address of lookups, and the secret that signs them. */
  lookups: { url: string; secret: string };
};

/** One person approves many payments with one phone: the service's limit must not stop that. */
const prompts = { burst: 100, perMinute: 60 };

const closeWithinMs = 1_000;

/**
 * Starts a gateway and a collection service with a simulated mobile-money rail, with test keys. All files are in one
 * folder; the next start continues with them.
 *
 * @param onBroken called when a database has failed permanently: the process must end.
 * @throws UserError when a port is in use or a file is not accessible.
 */
export async function serveDemo(
  options: DemoOptions,
  log: Log,
  onBroken: () => void = () => process.exit(1),
): Promise<Demo> {
  const folder = resolve(options.folder);
  createFolder(folder);
  const stateFile = join(folder, 'demo.json');
  let state = readDemoState(stateFile);
  const save = (next: DemoState) => {
    state = next;
    writeDemoState(stateFile, next);
  };
  // Both programs share one clock, so that advancing it advances both. The network between them has the system clock.
  const networkClock = systemClock();
  const clock = withAdvanceHook(advanceableClock(networkClock, state?.advancedMs), (advancedMs) => {
    if (state) save({ ...state, advancedMs });
  });
  const ids = systemIds(clock);
  const adminToken = state?.adminToken ?? ids.secret();
  let gatewayUrl: string | undefined;
  const service = createService(
    { databaseFile: join(folder, 'service.db'), adminToken, limits: { prompts } },
    {
      clock: networkClock,
      testClock: clock,
      isOnTestClock: (url) => url.startsWith(`${gatewayUrl}/`),
      ids,
      log: log.child({ program: 'service' }),
      onBroken,
    },
  );
  const stops = [() => service.stop()];
  const stop = async () => {
    for (const stopOne of stops.toReversed()) await stopOne();
  };
  try {
    const known = state ?? (await createShop(service, adminToken, ids));
    const shop = { ...known, consoleKey: known.consoleKey ?? toKey(ids) };
    save(shop);
    const serviceAddress = { host: options.host, port: options.servicePort };
    const isLocalOnly = isThisMachine(options.host);
    const serviceServer = await listen(
      { ...service.served, isLocalOnly },
      serviceAddress,
      '--service-port or DIALTILL_SERVICE_PORT',
    );
    stops.push(() => serviceServer.close(closeWithinMs));

    const configFile = join(folder, 'demo.yaml');
    const writeConfig = (port: number) =>
      replacePrivately(configFile, demoConfigText(options, shop, { port, serviceUrl: serviceServer.url }));
    writeConfig(options.port);
    const config = loadConfig(configFile, {}, aggregators);
    const accounts = demoAccounts(options.host);
    const { createPages, onServiceExchange } = phoneOverrides(config, configFile, () => gatewayUrl ?? '');
    const gateway = await serveGateway(config, {
      log: log.child({ program: 'gateway' }),
      clock,
      networkClock,
      ids,
      onBroken,
      openAccounts: accounts,
      hasOnlyOpenAccounts: !isLocalOnly,
      isLocalOnly,
      onServiceExchange,
      createPages: createPages && [...createPages, demoPage(accounts, serviceServer.url)],
    });
    stops.push(() => gateway.stop());
    gatewayUrl = gateway.url;
    // With port 0 the operating system has chosen a port.
    const gatewayPort = Number(new URL(gateway.url).port);
    writeConfig(gatewayPort);
    await service.setWebhook({
      merchantId: shop.merchantId,
      livemode: false,
      url: `${gateway.url}/webhooks/${demoMerchant}`,
      secret: shop.webhookSecret,
    });
    save({ ...shop, advancedMs: clock.advancedMs(), startedAt: networkClock.now() });
    service.start();
    return {
      url: gateway.url,
      serviceUrl: serviceServer.url,
      publicUrl: findLocalUrl({ host: options.host, port: gatewayPort }),
      accounts,
      configFile,
      channels: demoChannels,
      lookups: { url: options.lookupsUrl ?? demoLookupsUrl, secret: shop.lookupsSecret },
      stop,
    };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

/** Returns the clock, with `onAdvance` called after each advance. */
function withAdvanceHook(clock: AdvanceableClock, onAdvance: (advancedMs: number) => void): AdvanceableClock {
  return {
    ...clock,
    advance(ms) {
      clock.advance(ms);
      onAdvance(clock.advancedMs());
    },
  };
}

/** Creates the demo's merchant at the service, and all secrets of the demo. */
async function createShop(service: Service, adminToken: string, ids: Ids): Promise<DemoState> {
  const merchant = await service.createMerchant({ name: 'Demo Shop' });
  await service.approveOffline(merchant.id);
  const { key } = await service.createKey({ merchantId: merchant.id, livemode: false });
  return {
    adminToken,
    merchantId: merchant.id,
    key,
    webhookSecret: ids.secret(),
    channelSecrets: Object.fromEntries(demoChannels.map(({ id }) => [id, ids.secret()])),
    lookupsSecret: `whsec_${toKey(ids)}`,
    advancedMs: 0,
  };
}

/** Returns a key of 256 bits in base64. */
function toKey(ids: Ids): string {
  return Buffer.from(ids.secret(), 'base64url').toString('base64');
}
