import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoChannels } from '../../../aggregators/registry.ts';
import { loadDescribedChannels } from '../../../certify/fixture.ts';
import { type Config, configSchema } from '../../../gateway/config/schema.ts';
import { type RunningServer, serveGateway } from '../../../gateway/serve.ts';
import { loadMenu } from '../../../menu/file/load.ts';
import type { Ids } from '../../../shared/ids.ts';
import { createLog } from '../../../shared/log.ts';

/** No service listens on this port, because a trial collects no money. */
const unusedServiceUrl = 'http://127.0.0.1:9';

const shopMenu = fileURLToPath(new URL('../../../../fixtures/menus/shop.yaml', import.meta.url));

/**
 * Runs a temporary gateway with these channels, merchants and menus: on a free local port, with a database in a temporary
 * folder, without keys and without a service. `allowFrom` is removed, because this machine makes the requests.
 */
export async function serveTrial(config: Config): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-certify-'));
  const exit = () => process.exit(130);
  const remove = () => {
    process.off('exit', remove).off('SIGINT', exit).off('SIGTERM', exit);
    rmSync(folder, { recursive: true, force: true });
  };
  // Also removes the folder when the command is interrupted.
  process.once('exit', remove).once('SIGINT', exit).once('SIGTERM', exit);
  const trial: Config = {
    ...config,
    environment: 'test',
    listen: { host: '127.0.0.1', port: 0, trustedProxies: [] },
    database: { file: join(folder, 'trial.db') },
    service: { ...config.service, url: unusedServiceUrl },
    merchants: config.merchants.map((merchant) => ({
      ...merchant,
      key: 'sk_test_certify',
      webhookSecrets: [],
    })),
    channels: config.channels.map((channel) => ({ ...channel, allowFrom: undefined })),
  };
  try {
    const log = createLog({ level: 'silent', pretty: false });
    const running = await serveGateway(trial, { log, onBroken: () => {} });
    return { url: running.url, stop: () => running.stop().finally(remove) };
  } catch (fault) {
    remove();
    throw fault;
  }
}

/** Returns a configuration with one shop and the demo channels of every supported aggregator, and the described ones. */
export function demoConfig(ids: Ids): Config {
  const menu = loadMenu(shopMenu);
  if (!menu.ok) throw new Error(`${shopMenu} cannot be read`);
  const shop = {
    id: 'demo-shop',
    name: 'Demo Shop',
    key: 'sk_test_certify',
    webhookSecrets: [ids.secret()],
    menu: shopMenu,
  };
  const channels = [...demoChannels, ...loadDescribedChannels()].map((channel) => ({
    ...channel,
    secret: ids.secret(),
    merchant: shop.id,
  }));
  const config = configSchema.parse({
    environment: 'test',
    database: { file: 'trial.db' },
    service: { url: unusedServiceUrl },
    merchants: [shop],
    channels,
  });
  const { handlers } = menu;
  const merchants = config.merchants.map((merchant) => ({ ...merchant, menu: menu.menu, handlers }));
  return { ...config, merchants };
}
