import { afterAll, expect, test } from 'vitest';
import type { Demo } from '../../src/demo/serve.ts';
import type { BrowserContextOptions, Page } from '../../tools/browser/index.ts';
import { closeBrowser, expectAccessible, openPage, type WatchedPage } from '../kit/chromium.ts';
import { startDemo } from '../kit/demo.ts';
import { startServer } from '../kit/local-server.ts';

/*
 * What a newcomer does with the demo: pays in the browser, finds the payment in the console, decides about it with a colleague, and
 * adds an endpoint for a system of the merchant.
 */

afterAll(closeBrowser);

/** A magic number: half of the amount arrives, so that people must decide. */
const payer = '0244123917';

/** The money arrives some seconds after the prompt. */
const patience = { timeout: 60_000, interval: 500 };

/** Pays with the browser phone, without its script. Returns the page. */
async function pay(demo: Demo): Promise<Page> {
  const { page } = await openPage(demo.url, { javaScriptEnabled: false });
  await page.goto(`${demo.publicUrl}/phone`);
  await page.getByLabel('Number').fill(payer);
  await page.getByRole('button', { name: 'Dial', exact: true }).click();
  for (const input of ['1', '20', '1']) {
    await page.getByLabel('Answer', { exact: true }).fill(input);
    await page.getByRole('button', { name: 'Send' }).click();
  }
  return page;
}

async function signIn(demo: Demo, name: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const watched = await openPage(demo.url, options);
  const { page } = watched;
  await page.goto(`${demo.publicUrl}/console`);
  await page.getByRole('button', { name: `Sign in as ${name}` }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return watched;
}

/** Starts a system of the merchant on this machine. Returns its address, and the types of the notifications that it got. */
async function startReceiver(): Promise<{ url: string; types: string[] }> {
  const types: string[] = [];
  const { url } = await startServer((response, { body }) => {
    types.push(JSON.parse(body).type);
    response.end();
  });
  return { url: `${url}/hooks`, types };
}

async function untilReview(page: Page, demo: Demo): Promise<void> {
  await expect
    .poll(async () => {
      await page.goto(`${demo.publicUrl}/console/desk?kind=reviews`);
      return page.locator('tbody a[href*="/payments/"]').count();
    }, patience)
    .toBe(1);
}

test.each([true, false])(
  'a payment is found by its number, noted about, and decided by two people (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const demo = await startDemo();
    await pay(demo);
    const { page, faults, addresses } = await signIn(demo, 'ama', { javaScriptEnabled });
    await untilReview(page, demo);
    await page.goto(`${demo.publicUrl}/console`);
    await page.locator('[name=q]').fill(payer);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByLabel('Add a note').fill('the payer called');
    await page.getByRole('button', { name: 'Add the note' }).click();
    await page.getByText('Propose a decision').click();
    await page.getByLabel('Evidence').fill('statement of the service, line 7');
    await page.getByRole('button', { name: 'Propose', exact: true }).click();
    await page.getByRole('link', { name: 'See the proposal' }).click();
    await page.getByRole('button', { name: 'Withdraw the proposal' }).waitFor();
    const { page: other } = await signIn(demo, 'kofi', { javaScriptEnabled });
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Approve' }).click();
    await other.getByText('approved by kofi').waitFor();
    expect(faults).toEqual([]);
    expect(addresses.filter((address) => /244123917/.test(address))).toEqual([]);
  },
);

test('the phone leads to its payment in the console, whose pages are accessible in both modes and widths', async () => {
  const demo = await startDemo();
  const phone = await pay(demo);
  const opened = (await phone.getByRole('link', { name: 'Open in the console' }).getAttribute('href')) ?? '';
  const { page: stranger } = await openPage(demo.url);
  // The demo was started with any free port, which its link does not have.
  const address = demo.publicUrl + new URL(opened).pathname;
  await stranger.goto(address);
  await expectAccessible(stranger);
  await stranger.getByRole('button', { name: 'Sign in as ama' }).click();
  await stranger.getByRole('heading', { name: 'Say to the caller' }).waitFor();
  expect(stranger.url()).toBe(address);
  const { page, faults } = await signIn(demo, 'ama');
  await untilReview(page, demo);
  const payment = (await page.locator('tbody a[href*="/payments/"]').first().getAttribute('href')) ?? '';
  const lists = ['payments', 'desk', 'unplaced', 'endpoints', 'audit', 'me'].map(
    (name) => `/console/${name}`,
  );
  for (const path of [payment, '/console', ...lists]) {
    await page.goto(`${demo.publicUrl}${path}`);
    await expectAccessible(page);
  }
  expect(faults).toEqual([]);
});

test('the page at / leads to the phone and the console, and is accessible in both modes and widths', async () => {
  const demo = await startDemo();
  const { page, faults } = await openPage(demo.url);
  for (const name of ['Phone', 'Console']) {
    await page.goto(demo.url);
    await page.getByRole('link', { name }).click();
    await page.waitForURL(`${demo.url}/${name.toLowerCase()}**`);
  }
  await page.goto(demo.url);
  await expectAccessible(page);
  expect(faults).toEqual([]);
});

test('the admin adds an endpoint, and a system of the merchant gets the notifications of a payment', async () => {
  const [demo, receiver] = [await startDemo(), await startReceiver()];
  const { page, faults } = await signIn(demo, 'yaw');
  await page.getByRole('link', { name: 'Endpoints' }).click();
  await page.getByRole('link', { name: 'Add an endpoint' }).click();
  // The merchant is filled in: the demo has only one.
  await page.getByLabel("Address of the merchant's system").fill(receiver.url);
  await page.getByRole('button', { name: 'Add the endpoint' }).click();
  await page.getByRole('link', { name: 'The endpoint' }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect.poll(() => receiver.types, patience).toContain('endpoint.test');
  await pay(demo);
  await expect.poll(() => receiver.types, patience).toContain('payment.review_opened');
  await page.getByRole('link', { name: 'Staff' }).click();
  expect(await page.locator('tr', { hasText: 'yaw' }).innerText()).toMatch(/^yaw\s+active/);
  expect(faults).toEqual([]);
});
