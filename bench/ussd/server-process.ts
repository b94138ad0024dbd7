import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { demoChannels } from '../../src/aggregators/registry.ts';
import { configSchema } from '../../src/gateway/config/schema.ts';
import { loadMenu } from '../../src/menu/file/load.ts';
import { reportStarted } from '../kit/child-server.ts';
import { createFloor } from './floor.ts';
import { peerApp } from './peer.ts';

/*
 * A server of the benchmark in its own process: `server-process.ts gateway <file or URL> <secret>`, `floor <database>`,
 * `peer` or `bare`. Reports its address. Ends on SIGTERM, or when its parent process ends.
 */
const [role, database = '', secret = ''] = process.argv.slice(2);

/**
 * Starts a gateway with one channel per aggregator, from the built program: `tsx` would add work to each function. It logs
 * warnings only and makes no calls.
 */
async function startGateway(): Promise<string> {
  const menu = loadMenu('fixtures/menus/shop.yaml');
  if (!menu.ok) throw new Error('the menu does not load');
  const file = configSchema.parse({
    environment: 'test',
    listen: { port: 0 },
    database: database.startsWith('postgres:') ? { url: database } : { file: database },
    service: { url: 'http://127.0.0.1:9' },
    timings: { quoteTimeoutSeconds: 0 },
    merchants: [
      {
        id: 'shop',
        name: 'Shop',
        key: 'sk_test_bench',
        webhookSecrets: ['whsec_of_the_benchmark_24'],
        menu: '-',
      },
    ],
    channels: demoChannels.map((channel) => ({ ...channel, secret, merchant: 'shop' })),
  });
  const { handlers } = menu;
  const merchants = file.merchants.map((merchant) => ({ ...merchant, menu: menu.menu, handlers }));
  const program = new URL('../../dist/gateway/index.js', import.meta.url).href;
  const { serveGateway, createLog }: typeof import('../../src/gateway/index.ts') = await import(program);
  const config = { ...file, merchants };
  const gateway = await serveGateway(config, { log: createLog({ level: 'warn', pretty: false }) });
  process.once('SIGTERM', () => void gateway.stop().then(() => process.exit(0)));
  return gateway.url;
}

/** Answers every request with the same screen and stores nothing. */
const bare: RequestListener = (request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('CON Amount in GHS, such as 20 or 20.50:');
  });
};

async function start(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function createOther(): Server {
  if (role === 'floor') return createFloor(database);
  return createServer(role === 'peer' ? peerApp() : bare);
}

const url = role === 'gateway' ? await startGateway() : await start(createOther());
reportStarted({ url });
