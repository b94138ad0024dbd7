import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simulatedAggregators } from '../src/aggregators/registry.ts';
import { configSchema } from '../src/gateway/config/schema.ts';
import { loadMenu } from '../src/menu/file/load.ts';
import { systemIds } from '../src/shared/ids.ts';
import { createLog } from '../src/shared/log.ts';
import { type Msisdn, parseMsisdn } from '../src/shared/msisdn.ts';
import { createPhone } from '../src/simulator/phone.ts';
import { Database } from '../src/sqlite/driver.ts';
import { stillClock } from '../src/testing/clock.ts';
import { gatewayUrl, type Programs, serviceUrl, startPrograms } from '../src/testing/programs.ts';
import { parseOptions } from './kit/options.ts';

/**
 * Measures the bytes of the gateway's database for each completed collection, by table and index: dial, choose, amount,
 * confirm with a quote, prompt, approval, event, poll, booking and block. Both programs run in this process, on a clock that
 * the benchmark advances.
 *
 * `tsx bench/bytes.ts --collections 2000 --json`
 */
const values = parseOptions('npx tsx bench/bytes.ts', {
  collections: { type: 'string', default: '1000' },
  json: { type: 'boolean', default: false },
});
const collections = Math.min(9_999, Number(values.collections));
const [secret, webhookSecret, serviceCode] = [
  'secret-of-the-benchmark',
  'whsec_of_the_benchmark_24',
  '*713*5#',
];
/** Payments that begin together. */
const batchSize = 100;

type Size = { name: string; table: string; bytes: number };

async function run(folder: string): Promise<string> {
  const file = join(folder, 'gateway.db');
  const clock = stillClock();
  const ids = systemIds(clock);
  const menu = loadMenu('fixtures/menus/shop.yaml');
  if (!menu.ok) throw new Error('the menu does not load');
  const limits = { prompts: { burst: 1_000, perMinute: 60_000 } };
  const programs = await startPrograms({
    ...{ folder, clock, ids, log: createLog({ level: 'silent', pretty: false }) },
    merchant: { id: 'shop', name: 'Shop', webhookSecret },
    service: { adminToken: ids.secret(), limits },
    configure(key) {
      const merchant = { id: 'shop', name: 'Shop', key, webhookSecrets: [webhookSecret], menu: '-' };
      const parsed = configSchema.parse({
        environment: 'test',
        database: { file },
        service: { url: serviceUrl, simulator: true },
        merchants: [merchant],
        channels: [{ id: 'till', aggregator: 'africastalking', serviceCode, secret, merchant: merchant.id }],
      });
      const withMenu = { menu: menu.menu, handlers: menu.handlers };
      return {
        ...parsed,
        database: { file },
        merchants: parsed.merchants.map((one) => ({ ...one, ...withMenu })),
      };
    },
  });
  try {
    for (let first = 0; first < collections; first += batchSize) {
      const size = Math.min(batchSize, collections - first);
      await Promise.all(Array.from({ length: size }, (_, at) => pay(programs, first + at)));
      await clock.advance(60_000);
    }
    await clock.advance(600_000);
  } finally {
    await programs.stop();
  }
  return file;

  async function pay({ request }: Programs, at: number): Promise<void> {
    // The simulated rail approves the prompts of numbers with this ending.
    const msisdn = parseMsisdn(`024${String(at).padStart(4, '0')}901`) as Msisdn;
    const aggregator = simulatedAggregators.africastalking;
    if (!aggregator) throw new Error('no simulated aggregator');
    const phone = createPhone({
      ...{ clock, ids, aggregator, msisdn, serviceCode },
      operator: 'mtn',
      url: `${gatewayUrl}/ussd/till/${secret}`,
      fetch: (input, init) => request(String(input), init),
    });
    await phone.dial(serviceCode);
    for (const input of ['1', String(10 + (at % 90)), '1']) await phone.send(input);
    if (!phone.ended()) throw new Error(`no end screen: ${phone.screen()?.text}`);
  }
}

function measure(file: string): { sizes: Size[]; paid: number; total: number } {
  const database = new Database(file, { readonly: true });
  try {
    const paid = Number(
      database.prepare("SELECT count(*) FROM collection WHERE status = 'paid'").pluck().get(),
    );
    const sizes = database
      .prepare<[], Size>(
        `SELECT size.name, coalesce(entry.tbl_name, size.name) AS "table", sum(size.pgsize) AS bytes
         FROM dbstat AS size LEFT JOIN sqlite_schema AS entry ON entry.name = size.name
         GROUP BY size.name ORDER BY bytes DESC`,
      )
      .all();
    return { sizes, paid, total: statSync(file).size };
  } finally {
    database.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'dialtill-bytes-'));
try {
  const { sizes, paid, total } = measure(await run(folder));
  if (paid !== collections) throw new Error(`${paid} of ${collections} collections are paid`);
  const per = (bytes: number) => Math.round(bytes / paid);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const rows = sizes.map(({ name, table, bytes }) => ({ name, table, bytes: per(bytes) }));
  if (values.json)
    print(JSON.stringify({ collections, bytesPerCollection: per(total), sizes: rows }, null, 2));
  else {
    for (const { name, table, bytes } of rows.filter((row) => row.bytes > 0)) {
      print(`${String(bytes).padStart(6)}  ${name === table ? name : `${table}: ${name}`}`);
    }
    print(`${String(per(total)).padStart(6)}  bytes per completed collection, of ${collections}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
