import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { reportStarted } from '../kit/child-server.ts';

/*
 * A server of the benchmark in its own process: `server-process.ts service <folder> <webhook URL> <secret>`, or
 * `server-process.ts bare`. Prints one line of JSON with its address and the service's key.
 */
const [role, folder = '', webhookUrl = '', secret = ''] = process.argv.slice(2);

const address = { host: '127.0.0.1', port: 0 };
const unlimited = { burst: 1_000_000, perMinute: 1_000_000 };

/** Starts the service from the built program: `tsx` would add work to each function. It logs warnings only. */
async function startService() {
  const program = new URL('../../dist/service/index.js', import.meta.url).href;
  const {
    createLog,
    createService,
    listen,
    systemClock,
    systemIds,
  }: typeof import('../../src/service/index.ts') = await import(program);
  const clock = systemClock();
  const service = createService(
    {
      databaseFile: join(folder, 'service.db'),
      adminToken: 'admin-token-of-the-benchmark',
      limits: { calls: unlimited, prompts: unlimited },
      rail: { magicDelayMs: 0 },
    },
    { clock, ids: systemIds(clock), log: createLog({ level: 'warn', pretty: false }) },
  );
  const { id: merchantId } = await service.createMerchant({ name: 'Bench' });
  await service.approveOffline(merchantId);
  const { key } = await service.createKey({ merchantId, livemode: false });
  await service.setWebhook({ merchantId, livemode: false, url: webhookUrl, secret });
  service.start();
  const { url } = await listen(service.served, address, 'the port of the benchmark');
  process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)));
  return { url, key };
}

/** Answers every request with the same bytes and stores nothing. */
async function startBare() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"id":"pay_bare","status":"paid"}');
    });
  });
  await once(server.listen(address), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: '' };
}

const started = role === 'bare' ? await startBare() : await startService();
reportStarted(started);
