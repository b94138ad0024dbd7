import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { configSchema } from '../../src/gateway/config/schema.ts';
import { loadMenu } from '../../src/menu/file/load.ts';
import { counted } from '../console/count-queries.ts';
import { reportStarted } from '../kit/child-server.ts';
import { createPeer } from './peer.ts';
import { consolePeople, tillSettings } from './tills.ts';

/*
 * A server of the benchmark in its own process: `server-process.ts gateway <database> <URL of the peer> <log level>
 * <calls per second of a key> [console]`, `peer` or `bare`.
 * Prints its address. Ends on SIGTERM, or when its parent process ends.
 */
const [role, database = '', peerUrl = '', level = 'warn', callsPerSecond = '1000', pages] =
  process.argv.slice(2);

/** Starts a gateway from the built program: `tsx` would add work to each function. */
async function startGateway() {
  const menu = loadMenu('fixtures/menus/shop.yaml');
  if (!menu.ok) throw new Error('the menu does not load');
  const settings = { database, peerUrl, menu: '-', callsPerSecond: Number(callsPerSecond) };
  const hasConsole = pages === 'console';
  const file = configSchema.parse(tillSettings({ ...settings, hasConsole }));
  const { handlers } = menu;
  const merchants = file.merchants.map((merchant) => ({ ...merchant, menu: menu.menu, handlers }));
  const program = new URL('../../dist/gateway/index.js', import.meta.url).href;
  const { serveGateway, createLog }: typeof import('../../src/gateway/index.ts') = await import(program);
  const log = createLog({ level, pretty: false, destination: process.stderr });
  const openAccounts = hasConsole ? consolePeople : [];
  const before = performance.now();
  const gateway = await serveGateway({ ...file, merchants }, { log, openAccounts });
  const startMs = performance.now() - before;
  process.once('SIGTERM', () => void gateway.stop().then(() => process.exit(0)));
  return { url: gateway.url, startMs };
}

/** Answers every request with the same bytes and stores nothing. */
const bare = () =>
  createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"received":true}');
    });
  });

async function start(server: Server) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, startMs: 0 };
}

const peer = createPeer();
const started =
  role === 'gateway' ? await startGateway() : await start(role === 'peer' ? peer.server : bare());
reportStarted(started, (message) => {
  if (message === 'queries') return Atomics.load(counted, 0);
  if (typeof message === 'string' && message.startsWith('http:')) peer.deliverTo(message);
  if (message === 'hang' || message === 'answer') peer.hang(message === 'hang');
  return peer.counts;
});
