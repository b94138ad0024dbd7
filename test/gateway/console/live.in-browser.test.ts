import { afterAll, expect, test } from 'vitest';
import { closeBrowser, openPage } from '../../kit/chromium.ts';
import { createAccount, serveConsoleTill } from '../../kit/console.ts';
import { approve, prompted } from '../../kit/scenes.ts';

afterAll(closeBrowser);

const payer = '0244123456';

test('an open page of a payment shows that it was paid, keeps what a person types, and obeys its policy', async () => {
  const { till, url } = await serveConsoleTill();
  const { id } = await prompted(till, payer);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const { page, faults } = await openPage(url);
  const [name = '', value = ''] = browser.cookie()?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url }]);
  await page.goto(`${url}/console/payments/${id}`);
  await page.getByText('This page changes by itself.').waitFor();
  await page.getByLabel(/^Note/).fill('half a sentence');
  await page.getByLabel('Technical').uncheck();
  await approve(till, payer);
  await till.untilStatus(payer, 'paid');
  const updated = page.getByText(/^Updated \d\d:\d\d:\d\d UTC/);
  // The clock of the gateway stands still between two steps of the test.
  for (let step = 0; step < 50 && !(await updated.isVisible()); step++) {
    await till.clock.advance(2_500);
    await page.waitForTimeout(100);
  }
  await expect.poll(() => page.locator('#status').textContent()).toContain('paid');
  expect(await page.locator('#entries').textContent()).toContain('paid: GHS 20.20');
  expect(await page.getByLabel(/^Note/).inputValue()).toBe('half a sentence');
  expect(await page.getByLabel('Technical').isChecked()).toBe(false);
  expect(faults).toEqual([]);
});

test('without JavaScript, the page of a payment works as before', async () => {
  const { till, url } = await serveConsoleTill();
  const { id } = await prompted(till, payer);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const { page, faults } = await openPage(url, { javaScriptEnabled: false });
  const [name = '', value = ''] = browser.cookie()?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url }]);
  await page.goto(`${url}/console/payments/${id}`);
  await page.getByLabel(/^Note/).fill('called');
  await page.getByRole('button', { name: 'Add the note' }).click();
  expect(await page.locator('#entries').textContent()).toContain('efua: note: called');
  expect(faults).toEqual([]);
});
