import { launchChromium } from '../../tools/browser/index.ts';
import { signIn } from './browser.ts';

/** A 2G connection, and the processor of a cheap phone. */
const network = {
  offline: false,
  latency: 800,
  downloadThroughput: 280_000 / 8,
  uploadThroughput: 280_000 / 8,
};
const slowerProcessor = 6;

export type SlowFigure = { what: string; paintedMs: number; requests: number; bytes: number };

/** Opens the list and then a payment in Chromium on a slow network. Times are until the rows are painted. */
export async function measureSlowNetwork(url: string): Promise<SlowFigure[]> {
  const person = await signIn(url);
  const browser = await launchChromium();
  try {
    const context = await browser.newContext();
    const [name = '', value = ''] = person.cookie.split('=');
    await context.addCookies([{ name, value, url }]);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', network);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowerProcessor });
    const seen = { requests: 0, bytes: 0 };
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      seen.requests++;
      seen.bytes += encodedDataLength;
    });
    const measure = async (what: string, path: string, row: string): Promise<SlowFigure> => {
      Object.assign(seen, { requests: 0, bytes: 0 });
      await page.goto(`${url}/console${path}`, { waitUntil: 'load' });
      await page.locator(row).first().waitFor();
      const painted = await page.evaluate(
        `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN`,
      );
      return { what, paintedMs: Number(painted), ...seen };
    };
    const list = await measure('the list, nothing cached', '/payments', 'tbody tr');
    const path = (await page.locator('tbody a').first().getAttribute('href')) ?? '';
    const payment = await measure(
      'a payment, style and script cached',
      path.replace('/console', ''),
      '.timeline li',
    );
    return [list, payment];
  } finally {
    await browser.close();
  }
}
