import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { z } from 'zod';
import { aggregators, type DemoChannel, demoChannels } from '../aggregators/registry.ts';
import { loadConfig } from '../gateway/config/load.ts';
import { type RunningServer, serveGateway } from '../gateway/serve.ts';
import { createService, type Service } from '../service/create.ts';
import { type AdvanceableClock, advanceableClock, systemClock } from '../shared/clock.ts';
import { UserError } from '../shared/errors.ts';
import { listen } from '../shared/http/server.ts';
import { type Ids, systemIds } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import { createFolder, replacePrivately } from '../sqlite/private-file.ts';

export type DemoOptions = {
  folder: string;
  host: string;
  port: number;
  servicePort: number;
  /** The menu file that payers see, instead of the shop's. */
  menu?: string | undefined;
  /** Numbers of those who work there. */
  attendants?: readonly string[] | undefined;
  /** Where a menu's look-ups are answered. */
  lookupsUrl?: string | undefined;
};

export type Demo = RunningServer & {
  serviceUrl: string;
  /** The configuration that the demo wrote for itself; commands in other terminals read it too. */
  configFile: string;
  channels: readonly DemoChannel[];
  /** Where look-ups go, and what signs them. */
  lookups: { url: string; secret: string };
};

const second = 1000;

const shopMenu = fileURLToPath(new URL('../../fixtures/menus/shop.yaml', import.meta.url));

/** A port that neither of the two programs has. */
export const demoLookupsUrl = 'http://127.0.0.1:8100';

/** What the demo must remember between two starts; kept beside its databases, readable by its owner alone. */
const memory = z.object({
  adminToken: z.string(),
  merchantId: z.string(),
  key: z.string(),
  webhookSecret: z.string(),
  channelSecrets: z.record(z.string(), z.string()),
  lookupsSecret: z.string().optional(),
  /** How far the clock was moved on: its databases hold times of that future. */
  advancedMs: z.int().min(0).default(0),
  /** When the demo was last started, by the machine's clock. */
  startedAt: z.number().optional(),
});
type Memory = z.infer<typeof memory>;

/** One person with one phone tries one thing after the other: that must not run into a limit. */
const prompts = { burst: 100, perMinute: 60 };
const limits = {
  dialler: { perHour: false, perDay: false },
  payer: { perHour: false, perDay: false },
};

/**
 * Runs the gateway and, beside it, the collection service with a simulated mobile-money rail: a till to try, with
 * test keys and nobody's money. All of its files are in one folder; a second start goes on where the first ended.
 * `onBroken` is told when a database has failed for good: the process must end.
 *
 * @throws UserError when a port or a file cannot be had.
 */
export async function serveDemo(
  options: DemoOptions,
  log: Log,
  onBroken: () => void = () => process.exit(1),
): Promise<Demo> {
  const folder = resolve(options.folder);
  createFolder(folder);
  const memoryFile = join(folder, 'demo.json');
  const known = readMemory(memoryFile);
  let remembered = known;
  const remember = (now: Memory) => {
    remembered = now;
    replacePrivately(memoryFile, `${JSON.stringify(now, null, 2)}\n`);
  };
  // One clock for both programs, so that moving it on moves both; the network between them keeps the machine's.
  const machineClock = systemClock();
  const clock = noted(advanceableClock(machineClock, known?.advancedMs), (advancedMs) => {
    if (remembered) remember({ ...remembered, advancedMs });
  });
  const ids = systemIds(clock);
  const adminToken = known?.adminToken ?? ids.secret();
  const service = createService(
    { databaseFile: join(folder, 'service.db'), adminToken, limits: { prompts } },
    { clock, testClock: clock, ids, log: log.child({ program: 'service' }), onDatabaseFailure: onBroken },
  );
  const stops = [() => service.stop()];
  const stop = async () => {
    for (const one of stops.toReversed()) await one();
  };
  try {
    const shop = withSecrets(known ?? (await openShop(service, adminToken, ids)), ids);
    remember(shop);
    const at = await listen(
      service.app,
      { host: options.host, port: options.servicePort },
      'DIALTILL_SERVICE_PORT',
    );
    stops.push(() => at.close(second));

    const configFile = join(folder, 'demo.yaml');
    replacePrivately(configFile, configText(options, options.port, at.url, shop));
    const gateway = await serveGateway(loadConfig(configFile, {}, aggregators), {
      log: log.child({ program: 'gateway' }),
      clock,
      networkClock: machineClock,
      ids,
      onBroken,
    });
    stops.push(() => gateway.stop());
    replacePrivately(configFile, configText(options, Number(new URL(gateway.url).port), at.url, shop));
    await service.setWebhook({
      merchantId: shop.merchantId,
      livemode: false,
      url: `${gateway.url}/webhooks/demo-shop`,
      secret: shop.webhookSecret,
    });
    remember({ ...shop, advancedMs: clock.advancedMs(), startedAt: machineClock.now() });
    service.start();
    const lookups = lookupsOf(options, shop);
    return { url: gateway.url, serviceUrl: at.url, configFile, channels: demoChannels, lookups, stop };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

/** The clock, and `note` told each time that it was moved on. */
function noted(clock: AdvanceableClock, note: (advancedMs: number) => void): AdvanceableClock {
  return {
    ...clock,
    advance(ms) {
      clock.advance(ms);
      note(clock.advancedMs());
    },
  };
}

function readMemory(file: string): Memory | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return memory.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new UserError(`${file} cannot be read. Remove the folder that it is in to begin a new demo.`, {
      cause,
    });
  }
}

async function openShop(service: Service, adminToken: string, ids: Ids): Promise<Memory> {
  const merchant = await service.createMerchant({ name: 'Demo Shop' });
  await service.approveOffline(merchant.id);
  const { key } = await service.createKey({ merchantId: merchant.id, livemode: false });
  return {
    adminToken,
    merchantId: merchant.id,
    key,
    webhookSecret: ids.secret(),
    channelSecrets: {},
    advancedMs: 0,
  };
}

type Shop = Memory & { lookupsSecret: string };

/** A secret for every channel and for look-ups: also for those that came with a newer program. */
function withSecrets(shop: Memory, ids: Ids): Shop {
  const secrets = demoChannels.map(({ id }) => [id, shop.channelSecrets[id] ?? ids.secret()]);
  const { lookupsSecret = `whsec_${Buffer.from(ids.secret(), 'base64url').toString('base64')}` } = shop;
  return { ...shop, channelSecrets: Object.fromEntries(secrets), lookupsSecret };
}

function lookupsOf({ lookupsUrl = demoLookupsUrl }: DemoOptions, { lookupsSecret }: Shop): Demo['lookups'] {
  return { url: lookupsUrl, secret: lookupsSecret };
}

function configText(options: DemoOptions, port: number, serviceUrl: string, remembered: Shop): string {
  const { menu, attendants = [] } = options;
  const config = {
    environment: 'test',
    listen: { host: options.host, port },
    database: { file: 'gateway.db' },
    service: { url: serviceUrl, simulator: true },
    limits,
    merchants: [
      {
        id: 'demo-shop',
        name: 'Demo Shop',
        key: remembered.key,
        webhookSecrets: [remembered.webhookSecret],
        menu: menu === undefined ? shopMenu : resolve(menu),
        attendants: [...attendants],
        lookups: lookupsOf(options, remembered),
      },
    ],
    channels: demoChannels.map((channel) => ({
      ...channel,
      secret: remembered.channelSecrets[channel.id],
      merchant: 'demo-shop',
    })),
  };
  return `# Written by the demo at every start. Copy it to begin a configuration of your own, without its limits:\n# the demo has none for payers, and what is absent has good ones.\n${stringify(config)}`;
}
