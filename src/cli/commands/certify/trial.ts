import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoChannels } from '../../../aggregators/registry.ts';
import { type Config, configSchema } from '../../../gateway/config/schema.ts';
import { type RunningServer, serveGateway } from '../../../gateway/serve.ts';
import { loadMenu } from '../../../menu/file/load.ts';
import type { Ids } from '../../../shared/ids.ts';
import { createLog } from '../../../shared/log.ts';

/** Nothing listens there, and nothing has to: a trial collects nothing. */
const nowhere = 'http://127.0.0.1:9';

const shopMenu = fileURLToPath(new URL('../../../../fixtures/menus/shop.yaml', import.meta.url));

/**
 * Runs a gateway with these channels, merchants and menus for a trial: on a free port of this machine, on a database in
 * a temporary folder that goes away with it, with no key of a merchant and no service behind it. Who may call is left
 * out, for here it is this machine that calls.
 */
export async function serveTrial(config: Config): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-certify-'));
  const stopped = () => process.exit(130);
  const remove = () => {
    process.off('exit', remove).off('SIGINT', stopped).off('SIGTERM', stopped);
    rmSync(folder, { recursive: true, force: true });
  };
  // Also for whoever stops the command half-way.
  process.once('exit', remove).once('SIGINT', stopped).once('SIGTERM', stopped);
  const trial: Config = {
    ...config,
    environment: 'test',
    listen: { host: '127.0.0.1', port: 0, trustedProxies: [] },
    database: { file: join(folder, 'trial.db') },
    service: { ...config.service, url: nowhere },
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

/** A channel for every aggregator that ships, as in the demo, all to one shop. */
export function everyChannel(ids: Ids): Config {
  const menu = loadMenu(shopMenu);
  if (!menu.ok) throw new Error(`${shopMenu} cannot be read`);
  const shop = {
    id: 'demo-shop',
    name: 'Demo Shop',
    key: 'sk_test_certify',
    webhookSecrets: [ids.secret()],
    menu: shopMenu,
  };
  const channels = demoChannels.map((channel) => ({
    ...channel,
    secret: ids.secret(),
    merchant: shop.id,
  }));
  const config = configSchema.parse({
    environment: 'test',
    database: { file: 'trial.db' },
    service: { url: nowhere },
    merchants: [shop],
    channels,
  });
  const { handlers } = menu;
  const merchants = config.merchants.map((merchant) => ({ ...merchant, menu: menu.menu, handlers }));
  return { ...config, merchants };
}
