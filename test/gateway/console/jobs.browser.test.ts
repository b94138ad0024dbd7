import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeBrowser } from '../../kit/chromium.ts';
import { createSeed } from '../../seed/create-seed.ts';
import { serveSeededConsole } from '../../seed/seeded-console.ts';
import { createEffortMeter, type Effort, seatWorker, showEfforts } from './job-kit.ts';
import { jobs } from './jobs.ts';

/* The jobs of support staff in docs/support.md, done in the console on the same seeded ledger. */

const endsAt = Date.parse('2026-03-13T12:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'dialtill-console-jobs-'));
let served: Awaited<ReturnType<typeof serveSeededConsole>>;

beforeAll(async () => {
  served = await serveSeededConsole(await createSeed(folder, endsAt), endsAt);
});
afterAll(async () => {
  await closeBrowser();
  await served.stop();
  rmSync(folder, { recursive: true, force: true });
});

/* `npm run jobs` prints the table of docs/support.md. */
test('support staff do each job in the console with few clicks', async () => {
  const meter = createEffortMeter();
  const seat = (name: string) => seatWorker(served.url, name, meter);
  const people = { ama: await seat('ama'), kofi: await seat('kofi'), esi: await seat('esi') };
  const efforts: [name: string, effort: Effort][] = [];
  const slow: string[] = [];
  for (const { name, maxClicks, run } of jobs) {
    meter.take();
    await run(people, served.programs);
    const effort = meter.take();
    efforts.push([name, effort]);
    if (effort.clicks > maxClicks) slow.push(`${name}: ${effort.clicks} clicks`);
  }
  if (process.env.JOBS) process.stdout.write(`${showEfforts(efforts)}\n`);
  expect(slow).toEqual([]);
  const faults = Object.values(people).flatMap((one) => one.faults);
  // A check that is too early is refused.
  expect(faults.filter((fault) => !fault.includes('429'))).toEqual([]);
});

test('a list of 50 payments needs at most four requests and 14,000 bytes in a browser that has nothing of it, and then one', async () => {
  const { page } = await seatWorker(served.url, 'esi', createEffortMeter());
  const session = await page.context().newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  const load = async (path: string) => {
    await page.goto(`${served.url}/console${path}`, { waitUntil: 'load' });
    // Nothing is sent for what the browser has already.
    const sizes = (await page.evaluate(sentSizes)) as number[];
    return { requests: sizes.length, bytes: sizes.reduce((sum, one) => sum + one, 0) };
  };
  const cold = await load('/payments');
  expect(
    await page.getByRole('region', { name: 'Payments', exact: true }).locator('tbody tr:not(.day)').count(),
  ).toBe(50);
  expect(cold.requests).toBeGreaterThan(1);
  expect(cold.requests).toBeLessThanOrEqual(4);
  expect(cold.bytes).toBeGreaterThan(5 * 1024);
  expect(cold.bytes).toBeLessThanOrEqual(14_000);
  expect((await load('/payments?status=paid')).requests).toBe(1);
  const payment = await page.locator('tbody tr:not(.day) a[href*="/payments/"]').first().getAttribute('href');
  for (const path of ['/', String(payment).replace('/console', ''), '/desk', '/days', '/menu', '/unplaced']) {
    await session.send('Network.clearBrowserCache');
    expect((await load(path)).bytes, path).toBeLessThanOrEqual(14_000);
  }
});

/** The bytes of each answer that the browser got for its page, with their headers. */
const sentSizes = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .map(({ transferSize }) => transferSize).filter((size) => size > 0)`;
