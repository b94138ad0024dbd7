import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Locator, Page } from '../../../tools/browser/index.ts';
import { closeBrowser, openPage } from '../../kit/chromium.ts';
import { createSeed } from '../../seed/create-seed.ts';
import { serveSeededConsole } from '../../seed/seeded-console.ts';

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

/** A person of support staff at a browser, whose clicks are counted. */
type Person = {
  page: Page;
  click(what: Locator): Promise<void>;
  button(name: string): Promise<void>;
  /** Types a text into the search box, and sends it with a click. */
  search(text: string): Promise<void>;
  /** Returns the clicks since the last search, the one on Search included. */
  clicks(): number;
};

const faults: string[] = [];

async function signIn(name: string): Promise<Person> {
  const watched = await openPage(served.url);
  const { page } = watched;
  page.on('close', () => faults.push(...watched.faults));
  await page.goto(`${served.url}/console`);
  await page.getByRole('button', { name: `Sign in as ${name}` }).click();
  await page.getByRole('button', { name: 'Search' }).waitFor();
  let clicks = 0;
  const person: Person = {
    page,
    async click(what) {
      clicks++;
      await what.click();
    },
    button: (label) => person.click(page.getByRole('button', { name: label, exact: true })),
    async search(text) {
      clicks = 0;
      await page.getByLabel('Search payments').fill(text);
      await person.button('Search');
    },
    clicks: () => clicks,
  };
  return person;
}

const rowWith = (page: Page, ...texts: string[]) =>
  texts.reduce((rows, text) => rows.filter({ hasText: text }), page.locator('tbody tr'));

/** Opens a proposal, sees the booking and approves it. */
async function approve({ page, click }: Person, url: string, booking: string): Promise<void> {
  await page.goto(url);
  await page.getByText(booking).first().waitFor();
  const again = page.getByRole('button', { name: /^Approve/ });
  await click(again);
  const done = page.getByText(/approved by/i);
  await done.or(again).first().waitFor();
  // After five minutes, the first approval asks who it is, and the page comes back.
  if (!(await done.isVisible())) await click(again);
  await done.waitFor();
}

/** The most clicks from the search box to the answer. */
const maxClicks = 3;

test('support staff do their jobs in the console, and find answers with at most three clicks', async () => {
  const [ama, kofi] = [await signIn('ama'), await signIn('kofi')];
  const { page } = ama;
  const sees = (text: string | RegExp) => page.getByText(text).filter({ visible: true }).first().waitFor();

  // 1. Find a payment by a phone number, also by its last four digits.
  for (const [text, found] of [
    ['024 412 3456', '4 payments, 1 paid'],
    ['3456', '4 of 4'],
  ] as const) {
    await ama.search(text);
    await sees(found);
    expect(await page.locator('tbody tr:not(.day)').first().textContent()).toContain('INV-7041');
    expect(ama.clicks()).toBeLessThanOrEqual(maxClicks);
  }

  // 2. Find it by amount and time.
  await ama.search('on:2026-03-12 amount:5..15');
  await rowWith(page, '10.10', '09:1').waitFor();
  await sees('Yesterday, Thursday 12 March');
  expect(ama.clicks()).toBeLessThanOrEqual(maxClicks);

  // 3. Find it by half a reference.
  await ama.search('INV-70');
  await rowWith(page, 'INV-7041').waitFor();
  expect(ama.clicks()).toBeLessThanOrEqual(maxClicks);

  // 4. Explain a payment.
  await ama.search('INV-7042');
  await sees('The payer declined the prompt; no money was taken.');
  await sees('The prompt was declined, so nothing was paid. To pay, dial again and approve the prompt.');
  await sees('Pay GHS 147.00 to Abena Stores');
  expect(ama.clicks()).toBeLessThanOrEqual(maxClicks);

  // 5. Say why a payment is stuck, and until when.
  await ama.search('0507001904');
  await sees(/^No result came in time/);
  await sees(/watched until 20 March/);
  expect(ama.clicks()).toBeLessThanOrEqual(maxClicks);

  // 6. Check a payment now.
  await ama.button('Check with the service now');
  await sees('check again after');
  expect(ama.clicks()).toBeLessThanOrEqual(maxClicks);
  await served.programs.advance(6 * 60_000);
  await ama.search('0507001904');
  await ama.button('Check with the service now');
  await page.getByRole('heading', { name: 'Say to the caller' }).waitFor();

  // 7. Handle money that no payment explains: propose the payment that fits, and another person approves it.
  await ama.click(page.getByRole('link', { name: 'Unplaced money' }));
  await ama.click(rowWith(page, '148.47').getByRole('link'));
  const belongs = page.getByRole('region', { name: 'It belongs to a payment' });
  await belongs.getByLabel(/11 March 09:58/).check();
  await belongs.getByLabel('Evidence').fill('the payer showed the SMS of the network');
  await ama.click(belongs.getByRole('button', { name: 'Propose' }));
  await page.getByRole('button', { name: 'Withdraw the proposal' }).waitFor();
  await approve(kofi, page.url(), '148.47');
  await ama.search('INV-7042');
  await page.locator('#status').getByText('Paid').waitFor();

  // 8. Decide about a wrong amount: the own proposal is refused, another person approves it.
  await ama.search('0556181644');
  await page.getByText('Propose a decision').click();
  await page.getByLabel('Decision').selectOption('returned');
  await page.getByLabel('Evidence').fill('the payer wants it back, call of 13 March');
  await page.getByLabel('Reference of the transfer').fill('TRF-2210');
  await ama.button('Propose');
  await ama.click(page.getByRole('link', { name: 'See the proposal' }));
  await page.getByRole('button', { name: 'Withdraw the proposal' }).waitFor();
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await approve(kofi, page.url(), '59.67');

  // 9. "I never asked for this": whose phone requested it, and what else it requested.
  await ama.search('3456');
  await ama.click(rowWith(page, 'Declined', '026').first().getByRole('link'));
  await sees(/^Another phone, .* requested this payment\. The payer declined the prompt/);
  await page.getByText('Show whole numbers').click();
  await page.getByLabel('Reason to see the whole numbers').fill('the caller asks who requested it');
  await ama.button('Show for 5 minutes');
  await sees('026 499 9757');
  await ama.search('0264999757');
  await sees('For another phone 2');

  // 10. Block the number: from the list of declined requests, the payments of the phone, and the form.
  await ama.click(page.getByRole('link', { name: 'Blocks' }));
  await rowWith(page, '026 ••• 9757').waitFor();
  const block = page.getByRole('region', { name: 'Block a phone' });
  await block.getByLabel('Phone number').fill('0264999757');
  await block.getByLabel('Reason').fill('the payer never asked for the payment');
  await ama.click(block.getByRole('button', { name: 'Block' }));
  await rowWith(page, '026 ••• 9757', 'the payer never asked for the payment').waitFor();

  // 11. Note something, and hand a payment over.
  await ama.search('INV-7041');
  await page.getByLabel('Add a note').fill('the payer calls again on Monday');
  await ama.button('Add the note');
  await sees('the payer calls again on Monday');
  await page.locator('#assign summary').click();
  await page.getByLabel('To', { exact: true }).selectOption('esi');
  await ama.button('Hand over');
  await ama.search('assigned:esi');
  await rowWith(page, 'INV-7041').waitFor();

  // 12. Export a day.
  await ama.search('on:2026-03-12');
  await page.getByRole('link', { name: 'Export as CSV' }).waitFor();
  const download = page.waitForEvent('download');
  await ama.click(page.getByRole('link', { name: 'Export as CSV' }));
  expect((await download).suggestedFilename()).toBe('payments-2026-03-12.csv');

  await ama.click(page.getByRole('link', { name: 'Days', exact: true }));
  await ama.click(rowWith(page, 'Thursday 12 March').getByRole('link').first());
  await page.getByRole('heading', { name: /Thursday 12 March/ }).waitFor();
  await ama.click(page.getByRole('link', { name: 'Show the bookings' }).first());
  await rowWith(page, 'payers', '2,692.65', '34').waitFor();
  const booked = page.waitForEvent('download');
  await ama.click(page.getByRole('link', { name: 'Export as CSV' }));
  expect((await booked).suggestedFilename()).toBe('bookings-2026-03-12.csv');

  // 13. See who did what.
  await ama.click(page.getByRole('link', { name: 'Audit', exact: true }));
  await rowWith(page, 'ama', 'note', 'text: the payer calls again on Monday').waitFor();
  await rowWith(page, 'kofi', 'approve', 'outcome: returned').waitFor();

  await Promise.all([page.close(), kofi.page.close()]);
  // A check that is too early is refused.
  expect(faults.filter((fault) => !fault.includes('429'))).toEqual([]);
});

test('support staff answer callers who paid nothing, who know only the hours, or who never asked', async () => {
  const esi = await signIn('esi');
  const { page } = esi;
  const sees = (text: string | RegExp) => page.getByText(text).filter({ visible: true }).first().waitFor();

  // A caller without a payment: the number leads to the dialogues and their last screens.
  await esi.search('Customer 024-470 0256 called');
  await sees('Your last call ended before you confirmed a payment, so nothing was paid.');
  await rowWith(page, 'The caller chose No', 'Cancelled. Nothing was paid.').waitFor();
  expect(esi.clicks()).toBeLessThanOrEqual(maxClicks);

  // A time window, with its sums.
  await esi.search('from:2026-03-12T09:00 to:2026-03-12T12:00 network:mtn');
  await sees('Opened from 2026-03-12 09:00 to 2026-03-12 12:00');
  await page.getByRole('heading', { name: /^Sums of these \d+ payments/ }).waitFor();
  expect(esi.clicks()).toBeLessThanOrEqual(maxClicks);

  // "I never asked": the payment says whose phone requested it, and leads to what else that phone requested.
  await esi.search('024 412 3456');
  await esi.click(rowWith(page, 'requested by').first().locator('a.row'));
  await sees(/^Another phone, .* requested this payment\. The payer declined the prompt/);
  await sees(/^Another phone asked you to pay, and the prompt was declined\./);
  await esi.click(page.getByRole('link', { name: 'Requests of the phone that dialled' }));
  await sees('026 ••• 9757');
  await page.close();
});

test('a list of 50 payments needs at most four requests and 16 kB in a browser that has nothing of it, and then one', async () => {
  const { page } = await signIn('esi');
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
  expect(cold.bytes).toBeLessThanOrEqual(16 * 1024);
  expect((await load('/payments?status=paid')).requests).toBe(1);
});

/** The bytes of each answer that the browser got for its page, with their headers. */
const sentSizes = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .map(({ transferSize }) => transferSize).filter((size) => size > 0)`;
