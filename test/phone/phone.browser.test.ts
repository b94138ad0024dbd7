import { afterAll, expect, test } from 'vitest';
import type { Page } from '../../tools/browser/index.ts';
import { closeBrowser, expectAccessible, openPage, takePicture } from '../kit/chromium.ts';
import { startDemo } from '../kit/demo.ts';

afterAll(closeBrowser);

/** Answers the only open screen with the keyboard, and waits for the next one. */
async function answer(page: Page, input: string): Promise<void> {
  const turn = await page.locator('.screen').getAttribute('data-screen');
  await page.locator('[data-answer]').fill(input);
  await page.keyboard.press('Enter');
  await page.locator(`.screen:not([data-screen="${turn}"])`).waitFor();
}

test('a person dials, approves the prompt and sees the payment as paid, without loading the page again', async () => {
  const demo = await startDemo();
  const { page, faults, addresses } = await openPage(demo.url, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.goto(`${demo.publicUrl}/phone`);
  await page.evaluate('window.isSamePage = true');
  await page.getByRole('button', { name: 'Dial', exact: true }).click();
  await page.locator('.screen', { hasText: '1. Pay with this number' }).waitFor();

  await page.getByRole('button', { name: '1', exact: true }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.screen', { hasText: 'Amount in GHS' }).waitFor();
  // The focus follows the screen, so that the keyboard alone suffices.
  expect(await page.evaluate('document.activeElement.dataset.answer')).toBe('true');
  await answer(page, '20');
  await takePicture(page, 'phone-screen');
  await answer(page, '1');

  await page.getByRole('heading', { name: 'Pay GHS 20.20 to Demo Shop?' }).waitFor();
  await takePicture(page, 'phone-prompt');
  await page.getByLabel('PIN of four digits').fill('1234');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.locator('[data-state="paid"]').waitFor();
  await takePicture(page, 'phone-paid');
  expect(await page.evaluate('window.isSamePage')).toBe(true);

  await page.getByRole('link', { name: 'Copy as transcript' }).click();
  await page.getByRole('link', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain("- approve: '1234'");
  expect(faults).toEqual([]);
  expect(addresses.filter((address) => address.includes('244123456'))).toEqual([]);
});

test('without JavaScript, the page shows the prompt and the payment by loading itself again', async () => {
  const demo = await startDemo();
  const { page } = await openPage(demo.url, { javaScriptEnabled: false });
  await page.goto(`${demo.publicUrl}/phone`);
  await page.getByRole('button', { name: 'Dial', exact: true }).click();
  for (const input of ['1', '20', '1']) {
    await page.locator('[data-answer]').fill(input);
    await page.getByRole('button', { name: 'Send' }).click();
  }
  await page.getByLabel('PIN of four digits').fill('1234');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.locator('[data-state="paid"]').waitFor();
});

test('the page says that the gateway does not answer', async () => {
  const demo = await startDemo();
  const { page } = await openPage(demo.url);
  await page.goto(`${demo.publicUrl}/phone`);
  await page.getByRole('button', { name: 'Dial', exact: true }).click();
  await page.locator('[data-answer]').waitFor();
  await demo.stop();
  await page.locator('[data-answer]').fill('1');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The gateway is not reachable. Load this page again.').waitFor();
});

test('a text that a person types stays when a prompt arrives on the other phone', async () => {
  const demo = await startDemo();
  const { page } = await openPage(demo.url);
  await page.goto(`${demo.publicUrl}/phone`);
  await page.getByLabel('Number of the phone').fill('0201234567');
  await page.getByRole('button', { name: 'Dial', exact: true }).click();
  await page.locator('.screen', { hasText: '1. Pay with this number' }).waitFor();
  await page.getByLabel('Number of the phone').fill('0244123456');
  await page.getByLabel('Code').last().fill('*713*5*1*20#');
  await page.locator('.new').getByRole('button', { name: 'Dial', exact: true }).click();
  const [first, second] = [page.locator('.phone').first(), page.locator('.phone').nth(1)];
  await second.locator('[data-answer]').fill('1');
  await second.getByRole('button', { name: 'Send' }).click();
  await first.locator('[data-answer]').pressSequentially('19.95');
  await second.locator('.prompt').waitFor();
  expect(await first.locator('[data-answer]').inputValue()).toBe('19.95');
});

test('the page has no finding of axe and no overflow, light and dark, at 1366 and 320 px', async () => {
  const demo = await startDemo();
  const { page, faults } = await openPage(demo.url);
  await page.goto(`${demo.publicUrl}/phone`);
  await expectAccessible(page);
  await page.getByLabel('Code').fill('*713*5*1*20#');
  await page.getByRole('button', { name: 'Dial', exact: true }).click();
  await page.locator('[data-answer]').waitFor();
  await page.getByText('Requests and answers').click();
  await expectAccessible(page);
  await answer(page, '1');
  await page.locator('.prompt').waitFor();
  await page.getByLabel('Number of the phone').fill('12');
  await page.getByRole('button', { name: 'Only add the phone' }).click();
  await page.getByRole('alert').waitFor();
  await expectAccessible(page);
  await takePicture(page, 'phone-narrow-dark');
  // The answer to the wrong number is a 422, which the browser reports as an error.
  expect(faults.filter((fault) => !fault.includes('422'))).toEqual([]);
});
