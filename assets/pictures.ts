import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveDemo } from '../src/demo/serve.ts';
import { createLog } from '../src/shared/log.ts';
import { createSeed } from '../test/seed/create-seed.ts';
import { serveSeededConsole } from '../test/seed/seeded-console.ts';
import { launchChromium, type Page } from '../tools/browser/index.ts';

/*
 * Takes the pictures of docs/pictures: pages of the console on the seeded ledger, and the browser phone of the demo. They show no
 * whole phone number. Run it with `npm run pictures` after a change of the pages.
 */

const target = 'docs/pictures';
const maxBytes = 60_000;
const size = { width: 1_180, height: 600 };
const endsAt = Date.parse('2026-03-13T12:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'dialtill-pictures-'));

type Clip = { x: number; y: number; width: number; height: number };

/** Writes a part of the page as WebP. */
async function takePicture(page: Page, name: string, clip: Clip): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 60,
    clip: { ...clip, scale: 1 },
    captureBeyondViewport: true,
  });
  const picture = Buffer.from(data, 'base64');
  if (picture.length > maxBytes) throw new Error(`${name}: ${picture.length} bytes of ${maxBytes}`);
  writeFileSync(join(target, `${name}.webp`), picture);
  process.stdout.write(`${name}: ${picture.length} bytes\n`);
}

/** Writes the top of a page of the console. @throws Error when the page shows a whole phone number. */
async function takeTop(page: Page, name: string, height = size.height): Promise<void> {
  const [number] = /\b(0|233)\d{9}\b/.exec(await page.innerText('body')) ?? [];
  if (number !== undefined) throw new Error(`${name}: the page shows a whole phone number`);
  await takePicture(page, name, { x: 0, y: 0, width: size.width, height });
}

/** The pages that support staff see first, and a payment. */
async function takeConsole(page: Page): Promise<void> {
  const seeded = await serveSeededConsole(await createSeed(join(folder, 'seed'), endsAt), endsAt);
  try {
    await page.goto(`${seeded.url}/console`);
    await page.getByRole('button', { name: 'Sign in as kofi' }).click();
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    await takeTop(page, 'console-start', 440);
    await page.goto(`${seeded.url}/console/payments?from=2026-03-11&to=2026-03-13`);
    await takeTop(page, 'console-payments');
    await page.goto(`${seeded.url}/console/desk`);
    await takeTop(page, 'console-desk');
    await page.getByLabel('Search payments').fill('INV-7042');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Say to the caller' }).waitFor();
    await takeTop(page, 'console-payment');
    const timeline = await page.locator('.timeline').boundingBox();
    if (!timeline) throw new Error('the payment has no timeline');
    await takePicture(page, 'console-timeline', { ...timeline, height: size.height });
  } finally {
    await seeded.stop();
  }
}

/** The phone with a prompt, without the number above its screen. */
async function takePhone(page: Page): Promise<void> {
  const options = { folder: join(folder, 'demo'), host: '127.0.0.1', port: 0, servicePort: 0 };
  const log = createLog({ level: 'silent', pretty: false });
  const demo = await serveDemo(options, log);
  try {
    await page.goto(`${demo.publicUrl}/phone`);
    await page.getByRole('button', { name: 'Dial', exact: true }).click();
    for (const [input, next] of [
      ['1', 'Amount in GHS'],
      ['20', 'Pay GHS 20.00'],
      ['1', 'with your PIN'],
    ] as const) {
      await page.locator('[data-answer]').fill(input);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('.screen').filter({ hasText: next }).waitFor();
    }
    await page.locator('[data-pin]').waitFor();
    const [handset, payment] = [
      await page.locator('.handset').boundingBox(),
      await page.locator('.payment').boundingBox(),
    ];
    if (!handset || !payment) throw new Error('the phone has no payment');
    const margin = 10;
    await takePicture(page, 'phone', {
      ...{ x: handset.x - margin, y: handset.y, width: handset.width + 2 * margin },
      height: payment.y + payment.height + margin - handset.y,
    });
  } finally {
    await demo.stop();
  }
}

mkdirSync(target, { recursive: true });
const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: size, colorScheme: 'light' });
  await takeConsole(page);
  await takePhone(page);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
