import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { closeBrowser, expectAccessible, openPage, takePicture } from '../../kit/chromium.ts';
import { createTill, type Till } from '../../kit/till.ts';
import { createConsoleApp } from './console-app.tsx';

afterAll(closeBrowser);

const [ama, kofi, esi] = ['0244123456', '0201234567', '0261234567'] as const;

/** A till with a paid, a declined and an open payment. */
async function createPayments(): Promise<Till> {
  const till = await createTill();
  await till.paidPayment(ama);
  await till.prompted(kofi);
  await till.declined(kofi);
  await till.prompted(esi);
  await till.clock.advance(90_000);
  return till;
}

/** Listens with the pages of a till, and returns the address. */
async function serveConsole(till: Till): Promise<string> {
  const app = createConsoleApp(till);
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (address: AddressInfo) =>
      resolve(`http://127.0.0.1:${address.port}`),
    );
    onTestFinished(() => {
      server.close();
    });
  });
}

test('a person searches with the keyboard, opens a payment from the list, and copies what to say', async () => {
  const till = await createPayments();
  const url = await serveConsole(till);
  const { page, faults, addresses } = await openPage(url, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.goto(`${url}/console/payments`);
  await takePicture(page, 'console-list');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByText('The payer declined the prompt').first().waitFor();
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    'The prompt was declined, so nothing was paid. To pay, dial again and approve the prompt.',
  );
  await page.keyboard.press('/');
  await page.keyboard.type('024 412 3456');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Say to the caller' }).waitFor();
  await page.getByText('Your payment was received.').waitFor();
  await takePicture(page, 'console-payment');
  expect(faults).toEqual([]);
  expect(addresses.filter((address) => /\d{9}/.test(address.replace(/payments\/\w+/, '')))).toEqual([]);
});

test('without JavaScript, a person finds a payment, filters the list, and hides layers of the timeline', async () => {
  const till = await createPayments();
  const url = await serveConsole(till);
  const { page } = await openPage(url, { javaScriptEnabled: false });
  await page.goto(`${url}/console/payments`);
  await page.locator('summary', { hasText: 'Filters' }).click();
  await page.getByLabel('Reason').selectOption('Declined');
  await page.getByRole('button', { name: 'Show payments' }).click();
  await page.getByText('1 of 1').waitFor();
  await page.getByLabel('Search payments').fill(kofi);
  await page.keyboard.press('Enter');
  const screen = page.locator('.chat pre').first();
  await screen.waitFor();
  await page.getByLabel("Payer's phone").uncheck();
  expect(await screen.isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
});

test('the pages have no finding of axe and no overflow, light and dark, at 1366 and 320 px', async () => {
  const till = await createPayments();
  const url = await serveConsole(till);
  const { page, faults } = await openPage(url);
  const { id } = await till.only(ama);
  const paths = [
    '/payments',
    '/payments?status=failed',
    '/payments?from=2026-02-30',
    '/payments?q=none',
    `/payments/${id}`,
    '/payments/col_1',
  ];
  for (const [index, path] of paths.entries()) {
    await page.goto(`${url}/console${path}`);
    await expectAccessible(page);
    await takePicture(page, `console-narrow-dark-${index}`);
  }
  // The answers 422 and 404 are errors to the browser.
  expect(faults.filter((fault) => !/422|404/.test(fault))).toEqual([]);
});
