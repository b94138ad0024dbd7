import { afterAll, expect, test } from 'vitest';
import type { Page } from '../../../tools/browser/index.ts';
import { closeBrowser, openPage, takePicture } from '../../kit/chromium.ts';
import { createAccount, serveConsoleTill } from '../../kit/console.ts';
import { withNotify } from '../../kit/receiver.ts';
import { callStaff } from '../../kit/staff.ts';

afterAll(closeBrowser);

/** A page of an admin at a gateway with an endpoint. Scripts do not run. */
async function openWithoutScripts() {
  const { till, url } = await serveConsoleTill({ configure: withNotify });
  const browser = await (await createAccount(till, 'kwame', 'admin')).signIn();
  const { page } = await openPage(url, { javaScriptEnabled: false });
  const [name = '', value = ''] = browser.cookie()?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url }]);
  return { till, url, page };
}

test('the form of an account has the field of a merchant for the role merchant only, without JavaScript', async () => {
  const { url, page } = await openWithoutScripts();
  await page.goto(`${url}/console/staff`);
  const form = page.locator('form', { has: page.getByRole('button', { name: 'Add the person' }) });
  const merchant = form.getByLabel(/^Merchant/);
  expect(await merchant.isVisible()).toBe(false);
  await form.getByLabel('Role', { exact: true }).selectOption('merchant');
  expect(await merchant.isVisible()).toBe(true);
  await form.getByLabel('Name').fill('shop');
  await form.getByRole('button').click();
  await page.getByText('the role merchant needs the id of its merchant').waitFor();
  await form.getByLabel('Role', { exact: true }).selectOption('merchant');
  await merchant.fill('demo-shop');
  await form.getByLabel('Name').fill('shop');
  await form.getByRole('button').click();
  await page.getByRole('heading', { name: 'Code of shop' }).waitFor();
  await page.goto(`${url}/console/staff`);
  expect(await page.locator('#merchant-shop').isVisible()).toBe(true);
  expect(await page.locator('#merchant-kwame').isVisible()).toBe(false);
  await takePicture(page, 'staff');
});

/** Returns whether the checkbox stands left of the first line of its words. */
async function isInLine(page: Page): Promise<boolean> {
  const label = page.getByText('Only what was not delivered');
  const [box, line] = [await label.locator('input').boundingBox(), await label.boundingBox()];
  if (!box || !line) throw new Error('the checkbox is not on the page');
  const firstLine = line.y + 24;
  return box.x < line.x + 8 && box.y >= line.y && box.y + box.height <= firstLine && box.width < 24;
}

test('the checkbox of a replay stands beside its words, on wide and on narrow screens', async () => {
  const { till, url, page } = await openWithoutScripts();
  const address = { merchantId: 'demo-shop', url: 'https://shop.example/hooks' };
  const { body } = await callStaff(till, 'adwoa', '/endpoints', address);
  const { id } = body.endpoint as { id: string };
  await page.goto(`${url}/console/endpoints/${id}`);
  for (const width of [1366, 320]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await isInLine(page), `${width} px`).toBe(true);
  }
  await takePicture(page, 'endpoint');
});
