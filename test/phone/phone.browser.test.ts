import { afterAll, expect, test } from 'vitest';
import type { Locator, Page } from '../../tools/browser/index.ts';
import { closeBrowser, expectAccessible, openPage, takePicture } from '../kit/chromium.ts';
import { startDemo } from '../kit/demo.ts';
import { temporaryFolder } from '../kit/folder.ts';

afterAll(closeBrowser);

const press = (unit: Locator, ...names: string[]) =>
  names.reduce<Promise<void>>(
    (before, name) => before.then(() => unit.getByRole('button', { name, exact: true }).click()),
    Promise.resolve(),
  );

/** Dials with the handset without a number, and waits for the screen with the text. */
async function dial(page: Page, { number = '', code = '', text = '1. Pay with this number' } = {}) {
  if (number !== '') await page.getByLabel('Number').fill(number);
  if (code !== '') {
    await page.getByText('More choices').last().click();
    await page.getByLabel('Code with answers').last().fill(code);
  }
  await page.locator('#new-phone').getByRole('button', { name: 'Dial', exact: true }).click();
  const unit = page.locator('.unit', { has: page.locator('[data-screen]', { hasText: text }) });
  await unit.waitFor();
  return unit;
}

test('keys and softkeys suffice from the dial to the booking, without loading the page again', async () => {
  const demo = await startDemo();
  const { page, faults, addresses } = await openPage(demo.url, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.goto(`${demo.publicUrl}/phone`);
  await page.evaluate('window.isSamePage = true');
  await dial(page);
  const unit = page.locator('.unit');
  const screen = unit.locator('pre[data-screen]');

  await press(unit, '1', 'Send');
  await screen.filter({ hasText: 'Amount in GHS' }).waitFor();
  // The focus follows the screen, so that a keyboard alone suffices, too.
  expect(await page.evaluate('document.activeElement.name')).toBe('input');
  await press(unit, '2', '0', '0', 'Delete the last character', 'Send');
  await screen.filter({ hasText: 'Pay GHS 20.00' }).waitFor();
  await takePicture(page, 'phone-screen');
  const heights = await unit
    .locator('.keys button')
    .evaluateAll((keys) => keys.map((key) => key.getBoundingClientRect().height));
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  await press(unit, '1', 'Send');

  await unit.getByRole('heading', { name: 'Pay GHS 20.20 to Demo Shop?' }).waitFor();
  await takePicture(page, 'phone-prompt');
  await press(unit, '1', '2', '*', '3', '4', 'Approve');
  await unit.getByText('Payment made for GHS 20.20 to Demo Shop.').waitFor();
  const entry = page.locator('[data-state="paid"]');
  const cells = () => entry.locator('tbody').innerText();
  expect((await cells()).split(/\s+/)).toEqual(
    'payers −20.20 merchant:demo-shop 20.00 service_fees 0.20'.split(' '),
  );
  await expect
    .poll(() => entry.locator('.steps span').allInnerTexts())
    .toEqual([
      'Confirmed: total GHS\u00a020.20',
      'Session created, fee GHS\u00a00.20',
      'Prompt sent',
      'Paid, says the webhook',
      'Confirmed by a check',
    ]);
  expect(await page.locator('.wire code').allInnerTexts()).toContain('POST /webhooks/demo-shop');
  await takePicture(page, 'phone-paid');
  expect(await page.evaluate('window.isSamePage')).toBe(true);

  await page.getByRole('link', { name: 'Copy as transcript' }).click();
  await page.getByRole('link', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain("- approve: '1234'");
  expect(faults).toEqual([]);
  expect(addresses.filter((address) => address.includes('244123456'))).toEqual([]);
});

test('without JavaScript, softkeys send forms, no digits are shown, and the page loads itself again', async () => {
  const demo = await startDemo();
  const { page } = await openPage(demo.url, { javaScriptEnabled: false });
  await page.goto(`${demo.publicUrl}/phone`);
  await dial(page);
  expect(await page.getByRole('button', { name: '1', exact: true }).count()).toBe(0);
  for (const input of ['1', '20', '1']) {
    await page.getByLabel('Answer', { exact: true }).fill(input);
    await page.getByRole('button', { name: 'Send' }).click();
  }
  await page.getByLabel('PIN of four digits').fill('0000');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Wrong PIN').waitFor();
  await page.getByLabel('PIN of four digits').fill('1234');
  await page.keyboard.press('Enter');
  await page.locator('[data-state="paid"]').waitFor();
});

test('the page says that the gateway does not answer, and goes on when it is back', async () => {
  const folder = temporaryFolder();
  const demo = await startDemo(folder);
  const { page } = await openPage(demo.url);
  await page.goto(`${demo.publicUrl}/phone`);
  await dial(page);
  await demo.stop();
  await page.getByText('The gateway is not reachable.').first().waitFor();
  await startDemo(folder, { port: Number(new URL(demo.url).port) });
  // Phones are in memory.
  await page.getByText('New phone').waitFor();
  await dial(page);
});

test('a text that a person types stays when a prompt arrives on the other phone', async () => {
  const demo = await startDemo();
  const { page } = await openPage(demo.url);
  await page.goto(`${demo.publicUrl}/phone`);
  await dial(page, { number: '0201234567' });
  await page.getByRole('link', { name: 'Add a phone' }).click();
  await dial(page, { number: '0244123456', code: '*713*5*1*20#', text: 'Pay GHS 20.00' });
  const [first, second] = [page.locator('.unit').first(), page.locator('.unit').nth(1)];
  await second.getByLabel('Answer', { exact: true }).fill('1');
  await press(second, 'Send');
  await first.getByLabel('Answer', { exact: true }).pressSequentially('19.95');
  await second.locator('.sheet').waitFor();
  expect(await first.getByLabel('Answer', { exact: true }).inputValue()).toBe('19.95');
});

test('the page has no finding of axe and no overflow, light and dark, at 1366 and 320 px', async () => {
  const demo = await startDemo();
  const { page, faults } = await openPage(demo.url);
  await page.goto(`${demo.publicUrl}/phone`);
  await expectAccessible(page, 'new');
  await dial(page, { code: '*713*5*1*20#', text: 'Pay GHS 20.00' });
  await expectAccessible(page, 'in a dialogue');
  await page.getByLabel('Answer', { exact: true }).fill('1');
  await page.keyboard.press('Enter');
  await page.locator('.sheet').waitFor();
  await page.getByLabel('PIN of four digits').fill('0000');
  await page.keyboard.press('Enter');
  await page.getByText('Wrong PIN').waitFor();
  for (const number of ['0201234567', '0271234567']) {
    await page.getByRole('link', { name: 'Add a phone' }).click();
    await page.getByLabel('Number').fill(number);
    await page.getByRole('button', { name: 'Only add the phone' }).click();
    await page.getByRole('link', { name: 'Add a phone' }).waitFor();
  }
  await page.getByRole('link', { name: 'Add a phone' }).click();
  await page.getByLabel('Number').fill('0201234567');
  await page.getByRole('button', { name: 'Only add the phone' }).click();
  await page.getByText('This browser has a phone with this number.').first().waitFor();
  for (const folded of await page.locator('details').all())
    await folded.evaluate('details => { details.open = true }');
  await expectAccessible(page, 'four');
  await takePicture(page, 'phone-four');
  // The answers to the wrong PIN and number are a 422 and a 409, which the browser reports as errors.
  expect(faults.filter((fault) => !/4(22|09)/.test(fault))).toEqual([]);
});
