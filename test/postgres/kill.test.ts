import { expect, type TestContext, test } from 'vitest';
import { isLong } from '../faults/size.ts';
import { createDatabase, runSql } from '../kit/postgres.ts';
import { requireNoLeaks } from '../kit/postgres-server.ts';
import { startEmbeddedPostgres } from '../kit/start-postgres.ts';
import { createPayer } from '../process/payer.ts';
import { type GatewayProgram, resendGraceMs, type Shop, startShop } from '../process/shop.ts';
import { expectInvariants, untilIdle } from './invariants.ts';

/* Gateways in their own processes, on one database, behind one address. Their own clocks are five minutes wrong. */

const limits = { timeout: isLong ? 2_400_000 : 100_000 };
const kills = isLong ? 200 : 3;
const crashes = isLong ? 20 : 5;

const leaseMs = 6_000;

/** No collection is open for longer once the faults have ended. */
const maxOpenMs = leaseMs + resendGraceMs + 10_000;

const clockOffsets = [-300_000, 300_000, 0];

async function startShopOn(context: TestContext, url: string): Promise<Shop> {
  return startShop(context, {
    spread: true,
    configure(file) {
      Object.assign(file, { database: { url }, limits: { merchant: { perMinute: 10_000 } } });
      Object.assign(file.timings, { leaseSeconds: leaseMs / 1_000, callTimeoutSeconds: 4 });
      file.service.callsPerSecond = 100;
    },
  });
}

/** Payers of these numbers approve their prompts by themselves. */
const numberOf = (payer: number) => `024${4_000 + payer}901`;

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Serves payers one after another, each request at any gateway. Returns how many have confirmed. */
async function servePayers(shop: Shop, nextPayer: () => number, isOver: () => boolean): Promise<number> {
  let confirmed = 0;
  while (!isOver()) {
    const payer = createPayer(shop, numberOf(nextPayer()));
    expect(await payer.confirm()).toMatch(/^END/);
    confirmed += 1;
    await after(400);
  }
  return confirmed;
}

type Disturbance = (gateways: GatewayProgram[], shop: Shop) => Promise<void>;

/** Lets payers pay while `disturb` runs, and checks the ledger and the service when everything is settled. */
async function payThrough(context: TestContext, url: string, disturb: Disturbance) {
  const shop = await startShopOn(context, url);
  const gateways: GatewayProgram[] = [];
  for (const clockOffsetMs of clockOffsets) gateways.push(await shop.start({ clockOffsetMs }));
  let payers = 0;
  let isOver = false;
  const serving = [1, 2, 3, 4].map(() =>
    servePayers(
      shop,
      () => ++payers,
      () => isOver,
    ),
  );
  await after(1_000);
  await disturb(gateways, shop);
  isOver = true;
  const confirmed = (await Promise.all(serving)).reduce((sum, one) => sum + one, 0);
  const endedAt = performance.now();
  await untilIdle(url, maxOpenMs);
  const settledMs = Math.round(performance.now() - endedAt);
  expect(await expectInvariants(shop, url)).toBe(confirmed);
  expect(confirmed).toBeGreaterThan(10);
  if (isLong) process.stdout.write(`${confirmed} payers, settled ${settledMs} ms after the last fault\n`);
}

test(
  'S38: gateways with wrong clocks, one of them killed at a time, prompt each payer once and lose no acknowledged event',
  limits,
  async (context) =>
    payThrough(context, await createDatabase(), async (gateways, shop) => {
      for (let round = 0; round < kills; round++) {
        const place = round % clockOffsets.length;
        await gateways[place]?.end('SIGKILL');
        await after(1_000);
        gateways[place] = await shop.start({ clockOffsetMs: clockOffsets[place] ?? 0 });
        await after(1_000);
      }
    }),
);

test(
  'S38: a gateway that is suspended for longer than its leases and its locks continues without harm',
  limits,
  async (context) =>
    payThrough(context, await createDatabase(), async (gateways) => {
      for (const gateway of gateways) {
        gateway.signal('SIGSTOP');
        await after(leaseMs + 6_000);
        gateway.signal('SIGCONT');
        await after(1_000);
      }
    }),
);

/** The first connection over which a gateway writes. */
const backend = `SELECT pid FROM pg_stat_activity WHERE application_name = 'dialtill' LIMIT 1`;

test(
  'S56: a PostgreSQL that crashes in the middle of commits, again and again, loses no acknowledged event',
  limits,
  async (context) => {
    const server = await startEmbeddedPostgres();
    context.onTestFinished(server.stop);
    await runSql(`${server.url}/postgres`, 'CREATE DATABASE ledger');
    const url = `${server.url}/ledger`;
    await payThrough(context, url, async () => {
      for (let round = 0; round < crashes; round++) {
        const [found] = (await runSql(url, backend)) as { pid: number }[];
        // The server ends all other processes at once, recovers from its log, and starts again.
        process.kill(found?.pid ?? 0, 'SIGKILL');
        await after(2_000);
      }
    });
    expect(server.logged().join('\n')).toContain('was terminated by signal 9');
    requireNoLeaks(server.logged());
  },
);
