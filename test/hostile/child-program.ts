import { demoChannels } from '../../src/aggregators/registry.ts';
import { scopes } from '../../src/contract/admin.ts';
import { configSchema } from '../../src/gateway/config/schema.ts';
import { serveGateway } from '../../src/gateway/serve.ts';
import { loadMenu } from '../../src/menu/file/load.ts';
import { createService } from '../../src/service/create.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { listen } from '../../src/shared/http/server.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { createLog } from '../../src/shared/log.ts';
import type { GatewayOrder, Order, ServiceOrder, Started, Usage } from './order.ts';

/*
 * One of the two programs in its own process, under the limits of production. It receives an order from its parent,
 * answers with its address, and answers each further message with its memory and its log lines. It ends with its
 * parent.
 */

let logLines = 0;
const log = createLog({
  level: 'info',
  pretty: false,
  destination: {
    write() {
      logLines += 1;
    },
  },
});
const clock = systemClock();

/** Every scope, so that no request is rejected for the lack of one. */
async function startService({ folder, adminToken }: ServiceOrder): Promise<Started> {
  const unlimited = { burst: 1_000_000, perMinute: 1_000_000 };
  const service = createService(
    { databaseFile: `${folder}/service.db`, adminToken, limits: { calls: unlimited, prompts: unlimited } },
    { clock, ids: systemIds(clock), log },
  );
  const register = async (name: string) => {
    const { id: merchantId } = await service.createMerchant({ name });
    await service.approveOffline(merchantId);
    return { merchantId, ...(await service.createKey({ merchantId, livemode: false, scopes })) };
  };
  const shop = await register('Shop');
  const stranger = await register('Stranger');

  const { served } = service;
  const { url } = await listen(served, { host: '127.0.0.1', port: 0 }, 'the port of this test');
  service.start();
  return { url, merchantId: shop.merchantId, key: shop.key, strangerKey: stranger.key };
}

async function startGateway({
  folder,
  serviceUrl,
  key,
  secret,
  webhookSecret,
}: GatewayOrder): Promise<Started> {
  const menu = loadMenu('fixtures/menus/shop.yaml');
  if (!menu.ok) throw new Error('the menu does not load');
  const file = configSchema.parse({
    environment: 'test',
    listen: { port: 0 },
    database: { file: `${folder}/gateway.db` },
    service: { url: serviceUrl, simulator: true, callsPerSecond: 1_000 },
    limits: { merchant: { perMinute: false } },
    merchants: [{ id: 'shop', name: 'Shop', key, webhookSecrets: [webhookSecret], menu: '-' }],
    channels: demoChannels.map((channel) => ({ ...channel, secret, merchant: 'shop' })),
  });
  const { handlers } = menu;
  const merchants = file.merchants.map((merchant) => ({ ...merchant, menu: menu.menu, handlers }));
  const { url } = await serveGateway({ ...file, merchants }, { log, clock });
  return { url };
}

process.once('message', async (order: Order) => {
  process.send?.(await (order.program === 'service' ? startService(order) : startGateway(order)));
  process.on('message', () => {
    const usage: Usage = { residentBytes: process.memoryUsage.rss(), logLines };
    process.send?.(usage);
  });
});
process.once('disconnect', () => process.exit(0));
