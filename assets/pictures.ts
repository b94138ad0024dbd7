import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveDemo } from '../src/demo/serve.ts';
import { createLog } from '../src/shared/log.ts';
import { createSeed } from '../test/seed/create-seed.ts';
import { serveSeededConsole } from '../test/seed/seeded-console.ts';
import { launchChromium, type Page } from '../tools/browser/index.ts';
import { animate, type Frame } from './animation.ts';

/*
 * Takes the pictures of docs/pictures: pages of the console on the seeded ledger, without a whole phone number, and the browser
 * phone of the demo with a payment from the dial to the booking. Run it with `npm run pictures` after a change of the pages;
 * `npm run pictures phone` takes only those of the phone.
 */

const target = 'docs/pictures';
const maxBytes = 60_000;
const maxRecordingBytes = 300_000;
const size = { width: 1_180, height: 600 };
const endsAt = Date.parse('2026-03-13T12:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'dialtill-pictures-'));

type Clip = { x: number; y: number; width: number; height: number };

/** Writes a picture, and prints its size. @throws Error when it is too large. */
function write(name: string, picture: Buffer, limit: number): void {
  if (picture.length > limit) throw new Error(`${name}: ${picture.length} bytes of ${limit}`);
  writeFileSync(join(target, `${name}.webp`), picture);
  process.stdout.write(`${name}: ${picture.length} bytes\n`);
}

/** Returns a part of the page as WebP. */
async function capture(page: Page, clip: Clip, quality = 60): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality,
    clip: { ...clip, scale: 1 },
    captureBeyondViewport: true,
  });
  return Buffer.from(data, 'base64');
}

/** Writes a part of the page as WebP. */
async function takePicture(page: Page, name: string, clip: Clip): Promise<void> {
  write(name, await capture(page, clip), maxBytes);
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

/** The phone with a prompt, and a recording of a payment from the dial to the booking. */
async function takePhone(page: Page): Promise<void> {
  const options = { folder: join(folder, 'demo'), host: '127.0.0.1', port: 0, servicePort: 0 };
  const log = createLog({ level: 'silent', pretty: false });
  const demo = await serveDemo(options, log);
  const frames: Frame[] = [];
  const clip = { x: 0, y: 0, width: 1_000, height: 850 };
  const record = async (ms: number) => {
    // The flash of new lines ends first.
    await page.waitForTimeout(1_600);
    frames.push({ picture: await capture(page, clip, 35), ms });
  };
  const press = async (...names: string[]) => {
    for (const name of names) await page.getByRole('button', { name, exact: true }).click();
  };
  const screen = (text: string) => page.locator('[data-screen]').filter({ hasText: text }).waitFor();
  try {
    await page.setViewportSize(clip);
    await page.goto(`${demo.publicUrl}/phone`);
    await record(1_500);
    await press('Dial');
    await screen('1. Pay with this number');
    await press('1');
    await record(1_500);
    await press('Send');
    await screen('Amount in GHS');
    await press('2', '0');
    await record(1_500);
    await press('Send');
    await screen('Pay GHS 20.00');
    await press('1');
    await record(2_000);
    await press('Send');
    await page.locator('.sheet').waitFor();
    await record(1_500);
    await takePicture(page, 'phone', clip);
    await press('1', '2', '3', '4');
    await record(1_500);
    await press('Approve');
    await screen('Payment made');
    await page.getByText('Confirmed by a check').waitFor();
    await record(6_000);
    write('phone-payment', animate(frames, clip, 3), maxRecordingBytes);
  } finally {
    await demo.stop();
  }
}

mkdirSync(target, { recursive: true });
const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: size, colorScheme: 'light' });
  if (process.argv[2] !== 'phone') await takeConsole(page);
  await takePhone(page);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
