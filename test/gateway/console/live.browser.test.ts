import { afterAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/index.ts';
import { closeBrowser, openPage } from '../../kit/chromium.ts';
import { createAccount, reportShort, serveConsoleTill, short } from '../../kit/console.ts';
import { callStaff } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';

afterAll(closeBrowser);

const payer = '0244123456';

test('an open page of a payment shows that it was paid, keeps what a person types, and obeys its policy', async () => {
  const { till, url } = await serveConsoleTill();
  const { id } = await till.prompted(payer);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const { page, faults } = await openPage(url);
  const [name = '', value = ''] = browser.cookie()?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url }]);
  await page.goto(`${url}/console/payments/${id}`);
  await page.getByText('This page changes by itself.').waitFor();
  await page.getByLabel('Add a note').fill('half a sentence');
  await page.getByLabel('Technical').uncheck();
  await till.approved();
  const updated = page.getByText(/^Updated \d\d:\d\d:\d\d UTC/);
  // The clock of the gateway stands still between two steps of the test.
  for (let step = 0; step < 50 && !(await updated.isVisible()); step++) {
    await till.clock.advance(2_500);
    await page.waitForTimeout(100);
  }
  await expect.poll(() => page.locator('#status').textContent()).toContain('Paid');
  expect(await page.locator('#entries').textContent()).toContain('paid: GHS 20.20');
  expect(await page.getByLabel('Add a note').inputValue()).toBe('half a sentence');
  expect(await page.getByLabel('Technical').isChecked()).toBe(false);
  expect(faults).toEqual([]);
});

/** Advances the clock of the gateway, which stands still between two steps of a test, until the page has changed. */
async function untilUpdated(till: Till, page: Page, isUpdated: () => Promise<boolean>): Promise<void> {
  for (let step = 0; step < 50 && !(await isUpdated()); step++) {
    await till.clock.advance(2_500);
    await page.waitForTimeout(100);
  }
  expect(await isUpdated()).toBe(true);
}

test('forms, blocks and related payments of an open page follow the payment, except the form in which a person types', async () => {
  const { till, url } = await serveConsoleTill();
  // Before the payment, because a sign-in advances the clock.
  const browser = await (await createAccount(till, 'efua', 'lead')).signIn();
  const row = await till.prompted(short);
  const { id } = row;
  const { page, faults } = await openPage(url);
  const [name = '', value = ''] = browser.cookie()?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url }]);
  await page.goto(`${url}/console/payments/${id}`);
  await page.getByText('This page changes by itself.').waitFor();
  expect(await page.locator('#decision').textContent()).toBe('');
  const sees = (part: string, text: string) => async () =>
    ((await page.locator(part).textContent()) ?? '').includes(text);
  await reportShort(till, row);
  await untilUpdated(till, page, sees('#decision', 'Propose a decision'));
  await page.getByText('Propose a decision').click();
  await page.getByLabel('Evidence: what you saw, and where').fill('the statement of 6 March');
  const block = { role: 'dialler', everywhere: false, reason: 'false requests', until: null };
  await callStaff(till, 'ama', `/collections/${id}/block`, block);
  await untilUpdated(till, page, sees('#block-list', 'The dialler may not request payments'));
  const { version } = await till.only(short);
  const terms = { outcome: 'accept', evidence: 'line 12', version };
  expect(await callStaff(till, 'ama', `/reviews/${id}/proposals`, terms)).toMatchObject({ status: 200 });
  await untilUpdated(till, page, sees('#live', 'The form in which you type stays as it was'));
  expect(await page.getByLabel('Evidence: what you saw, and where').inputValue()).toBe(
    'the statement of 6 March',
  );
  await page.getByRole('button', { name: 'Propose', exact: true }).click();
  expect(await page.getByRole('alert').textContent()).toContain('by ama is open');
  expect(await page.locator('main').textContent()).toContain('the statement of 6 March');
  expect(faults.filter((fault) => !fault.includes('409'))).toEqual([]);
});

test('an open page says that the gateway does not answer, and goes on when it is back', async () => {
  const { till, url } = await serveConsoleTill();
  const { id } = await till.prompted(payer);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const { page } = await openPage(url);
  const [name = '', value = ''] = browser.cookie()?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url }]);
  await page.route('**/live', (route) => route.abort());
  await page.goto(`${url}/console/payments/${id}`);
  await page.getByText('The gateway does not answer.').waitFor();
  await page.unroute('**/live');
  await page.getByText('This page changes by itself.').waitFor();
});

test('the page of a final payment does not say that it changes by itself', async () => {
  const { till, url } = await serveConsoleTill();
  const { id } = await till.prompted(payer);
  await till.approve(payer);
  await till.until(async () => (await till.only(payer)).confirmedAt !== null, 60_000);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const { page } = await openPage(url);
  const [name = '', value = ''] = browser.cookie()?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url }]);
  await page.addInitScript({
    content: `globalThis.said = [];
      new MutationObserver(() => said.push(document.getElementById('live')?.textContent))
        .observe(document, { childList: true, subtree: true });`,
  });
  const stream = page.waitForResponse(`${url}/console/payments/${id}/live`);
  await page.goto(`${url}/console/payments/${id}`);
  await stream;
  await callStaff(till, 'ama', `/collections/${id}/notes`, { text: 'called back' });
  await untilUpdated(till, page, async () =>
    ((await page.locator('#entries').textContent()) ?? '').includes('called back'),
  );
  expect(await page.locator('#live').textContent()).toMatch(/^Updated \d\d:\d\d:\d\d UTC\.$/);
  const said = await page.evaluate<string>('said.join()');
  expect(said).toContain('Updated');
  expect(said).not.toContain('changes by itself');
});

test('without JavaScript, the page of a payment works as before', async () => {
  const { till, url } = await serveConsoleTill();
  const { id } = await till.prompted(payer);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const { page, faults } = await openPage(url, { javaScriptEnabled: false });
  const [name = '', value = ''] = browser.cookie()?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url }]);
  await page.goto(`${url}/console/payments/${id}`);
  await page.getByLabel('Add a note').fill('called');
  await page.getByRole('button', { name: 'Add the note' }).click();
  expect(await page.locator('#entries').textContent()).toContain('efua: note: called');
  expect(faults).toEqual([]);
});

test('a page with whole numbers masks them when their time has ended, and keeps what a person types', async () => {
  const { till, url } = await serveConsoleTill();
  const { id } = await till.prompted(payer);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  await browser.post(`/payments/${id}/reveal`, { reason: 'the payer asks for a call back' });
  const { page, faults } = await openPage(url);
  const [name = '', value = ''] = browser.cookie()?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url }]);
  await page.clock.install();
  await page.goto(`${url}/console/payments/${id}`);
  const whole = page.getByText('024 412 3456').first();
  expect(await whole.isVisible()).toBe(true);
  await page.getByLabel('Add a note').fill('half a sentence');
  await till.clock.advance(5 * 60_000);
  await page.clock.fastForward(5 * 60_000);
  await whole.waitFor({ state: 'detached' });
  await expect.poll(() => page.getByLabel('Add a note').inputValue()).toBe('half a sentence');
  expect(faults).toEqual([]);
});
