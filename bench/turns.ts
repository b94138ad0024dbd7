import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { configSchema } from '../src/config/schema.ts';
import { wires } from '../src/handset/wires/index.ts';
import { serveGateway } from '../src/main.ts';
import { loadMenu } from '../src/menu/load.ts';
import { createLog } from '../src/shared/log.ts';
import { parseMsisdn } from '../src/shared/msisdn.ts';

/**
 * Turns per second of the gateway over HTTP, each turn one durable write, beside a bare node:http server that
 * answers the same requests with a fixed screen. `npm run bench:turns -- --dialogues 2000 --connections 16 --rounds 3`
 */
const { values } = parseArgs({
  options: {
    dialogues: { type: 'string', default: '2000' },
    connections: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '3' },
  },
});
const dialogues = Math.min(20_000, Number(values.dialogues));
const connections = Math.min(256, Number(values.connections));
const rounds = Math.min(9, Number(values.rounds));
const inputs = ['1', '20', '2'];
const secret = 'secret-of-the-benchmark';

type Figures = { perSecond: number; p50Ms: number; p99Ms: number };

async function measure(origin: string, channel: 'africastalking' | 'nalo', run: string): Promise<Figures> {
  const wire = wires[channel];
  if (!wire) throw new Error(`no wire for ${channel}`);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const times: number[] = [];
  let next = 0;
  const phone = async () => {
    for (let i = next++; i < dialogues; i = next++) {
      const msisdn = parseMsisdn(`024${String(i).padStart(7, '0')}`);
      if (!msisdn) throw new Error('no number');
      const dial = {
        session: `${run}-${i}`,
        msisdn,
        operator: 'mtn',
        serviceCode: '*713*5#',
        dialled: '*713*5#',
      } as const;
      for (let typed = 0; typed <= inputs.length; typed++) {
        const { contentType, body } = wire.request(dial, inputs.slice(0, typed));
        const before = performance.now();
        const answer = await pool.request({
          path: `/ussd/${channel}/${secret}`,
          method: 'POST',
          headers: { 'content-type': contentType },
          body,
        });
        await answer.body.text();
        times.push(performance.now() - before);
        if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}`);
      }
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, phone));
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { perSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
const medians = (all: Figures[]): Figures => ({
  perSecond: median(all.map((one) => one.perSecond)),
  p50Ms: median(all.map((one) => one.p50Ms)),
  p99Ms: median(all.map((one) => one.p99Ms)),
});

const folder = mkdtempSync(join(tmpdir(), 'dialtill-bench-'));
const menu = loadMenu(resolve('fixtures/menus/shop.yaml'));
if (!menu.ok) throw new Error('the menu does not load');
const file = configSchema.parse({
  environment: 'test',
  listen: { port: 0 },
  database: { file: join(folder, 'gateway.db') },
  service: { url: 'http://127.0.0.1:9' },
  merchants: [
    {
      id: 'shop',
      name: 'Shop',
      key: 'sk_test_bench',
      webhookSecrets: ['whsec_of_the_benchmark_24'],
      menu: '-',
    },
  ],
  channels: ['africastalking', 'nalo'].map((id) => ({
    id,
    aggregator: id,
    secret,
    serviceCode: '*713*5#',
    merchant: 'shop',
  })),
});
const config = { ...file, merchants: file.merchants.map((merchant) => ({ ...merchant, menu: menu.menu })) };
const gateway = await serveGateway(config, { log: createLog({ level: 'silent', pretty: false }) });
const bare = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('CON Amount in GHS, such as 20 or 20.50:');
  });
});
await once(bare.listen(0, '127.0.0.1'), 'listening');
const floor = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;

try {
  const found: Record<string, Figures[]> = {};
  for (let round = 0; round < rounds; round++) {
    const lanes = [
      ['bare node:http', floor, 'africastalking'],
      ['gateway, africastalking', gateway.url, 'africastalking'],
      ['gateway, nalo', gateway.url, 'nalo'],
    ] as const;
    for (const [name, origin, channel] of lanes) {
      found[name] = [...(found[name] ?? []), await measure(origin, channel, `${name}-${round}`)];
    }
  }
  const base = medians(found['bare node:http'] ?? []).perSecond;
  process.stdout.write(
    `${dialogues} dialogues of ${inputs.length + 1} turns, ${connections} connections, medians of ${rounds} rounds\n`,
  );
  for (const [name, all] of Object.entries(found)) {
    const { perSecond, p50Ms, p99Ms } = medians(all);
    const share = ((100 * perSecond) / base).toFixed(0);
    process.stdout.write(
      `${name.padEnd(24)} ${perSecond.toFixed(0).padStart(7)} turns/s (${share} % of bare)  p50 ${p50Ms.toFixed(2)} ms  p99 ${p99Ms.toFixed(2)} ms\n`,
    );
  }
} finally {
  bare.close();
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
}
