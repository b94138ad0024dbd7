import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { rehearse } from '../testing/session-files.ts';
import { createBrowser, createPhoneTill, messageOf, paymentOf, phoneIdOf, screenOf } from './browser.ts';

const payer = '0244123456';

test('a payer dials, answers, approves and sees the payment as paid, without JavaScript', async () => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  expect(await browser.get()).toContain(`value="${payer}"`);

  expect((await browser.dial(payer)).status).toBe(303);
  expect(await browser.screen()).toContain('1. Pay with this number');
  for (const input of ['1', '20', '1']) {
    await till.clock.advance(2_500);
    expect((await browser.answer(input)).status).toBe(303);
  }
  expect(await browser.screen()).toContain('with your PIN');
  expect(paymentOf(await browser.get())).toBe('waiting');

  await till.until(async () => (await browser.get()).includes('data-prompt'));
  expect(await browser.get()).toContain('Pay GHS\u00a020.20 to Demo Shop?');
  expect(messageOf((await browser.decide({ decision: 'approve', pin: '12' })).page)).toBe(
    'Enter a PIN of four digits, such as 1234.',
  );
  const wrong = await browser.decide({ decision: 'approve', pin: '0000' });
  expect(wrong.status).toBe(422);
  expect(messageOf(wrong.page)).toContain('Attempts left: 2.');
  expect((await browser.decide({ decision: 'approve', pin: '1234' })).status).toBe(303);
  await till.until(async () => paymentOf(await browser.get()) === 'paid');

  const page = (await browser.get()).replaceAll('<wbr/>', '');
  expect(page).toContain('POST /ussd/africastalking/…');
  for (const text of ['POST /v1/payments/sessions', '/initiate', 'POST /webhooks/demo-shop'])
    expect(page, text).toContain(text);
  const { channels, merchants } = till.config;
  const secrets = [
    ...channels.map(({ secret }) => secret),
    ...merchants.flatMap(({ key, webhookSecrets }) => [key, ...webhookSecrets]),
  ];
  expect(secrets.filter((secret) => page.includes(secret))).toEqual([]);
  expect(page).toMatch(/signature: [^\n…]{24}…\n/);
  expect(page).not.toMatch(/[0-9a-f]{64}/);
  expect(browser.addresses.filter((address) => /\d{9}/.test(address))).toEqual([]);
  expect(till.logged()).not.toContain(payer);
  expect(await till.verify()).toMatchObject({ ok: true });
});

test('each aggregator shows its first screen, and its own request and answer without the secret', async () => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  for (const name of aggregatorNames) {
    expect((await browser.dial(payer, name)).status, name).toBe(303);
    const page = (await browser.get()).replaceAll('<wbr/>', '');
    expect(screenOf(page), name).toContain('1. Pay with this number');
    expect(page, name).toMatch(new RegExp(`(POST|GET|PUT) /ussd/${name}/…`));
    expect(page, name).not.toContain(`secret-of-${name}`);
    await browser.post(`/phone/${phoneIdOf(page)}/remove`, {});
  }
});

test('a prompt reaches the phone of the payer, and the payment is shown on both phones', async () => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  await browser.dial(payer);
  const payerBrowser = createBrowser(till);
  await payerBrowser.post('/phone', { number: '0201234567', channel: 'nalo', start: 'later' });
  for (const input of ['2', '0201234567', '2', '20', '1']) {
    await till.clock.advance(2_500);
    await browser.answer(input);
  }
  await till.until(async () => (await payerBrowser.get()).includes('data-prompt'));
  expect((await payerBrowser.decide({ decision: 'decline' })).status).toBe(303);
  await till.until(async () => paymentOf(await payerBrowser.get()) === 'failed');
  await till.until(async () => paymentOf(await browser.get()) === 'failed');
});

test('an ignored prompt leaves the page and stays open', async () => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  await browser.dial(payer, 'africastalking', '*713*5*1*20#');
  await browser.answer('1');
  await till.until(async () => (await browser.get()).includes('data-prompt'));
  expect((await browser.decide({ decision: 'ignore' })).status).toBe(303);
  expect(await browser.get()).not.toContain('data-prompt');
  await expect(till.prompt(payer)).resolves.toMatchObject({ amountMinor: 2020 });
});

test('an answer to an earlier screen is not sent', async () => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  await browser.dial(payer);
  await browser.answer('1');
  const screen = await browser.screen();
  const stale = await browser.answer('2', '1');
  expect({ status: stale.status, message: messageOf(stale.page) }).toEqual({
    status: 409,
    message: 'The screen has changed. Answer the screen that is shown now.',
  });
  expect(await browser.screen()).toBe(screen);
});

test.each([
  ['of a paid dialogue', ['1', '20', '1'], 'paid'],
  ['of a dialogue without a payment', ['1', '20', '2'], undefined],
])('dialtill rehearse plays the transcript %s', async (_, inputs, end) => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  await browser.dial(payer, 'nalo');
  for (const input of inputs) {
    await till.clock.advance(2_500);
    await browser.answer(input);
  }
  if (end === 'paid') {
    await till.until(async () => (await browser.get()).includes('data-prompt'));
    await browser.decide({ decision: 'approve', pin: '1234' });
    await till.until(async () => paymentOf(await browser.get()) === 'paid');
  }
  const transcript = await browser.get(`/phone/${phoneIdOf(await browser.get())}/transcript`);
  const file = join(temporaryFolder(), 'copied.yaml');
  const menu = relative(join(file, '..'), resolve('fixtures/menus/shop.yaml'));
  writeFileSync(file, transcript.replace(/^menu: .*$/m, `menu: ${menu}`));
  expect(await rehearse([file])).toMatchObject({ code: 0 });
});

test('hanging up ends the session, and sends the end notice of an aggregator that has one', async () => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  await browser.dial(payer, 'infobip');
  const id = phoneIdOf(await browser.get());
  expect((await browser.post(`/phone/${id}/hang-up`, {})).status).toBe(303);
  const page = await browser.get();
  expect(page).toContain('The session has ended.');
  expect(page).toContain('newest first, 2 of 2');
  const late = await browser.post(`/phone/${id}/answer`, { input: '1', turn: '1' });
  expect(messageOf(late.page)).toBe('The session has ended. Dial again.');
});

test('hanging up on a channel without end notices sends nothing, and the page says so', async () => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  await browser.dial(payer, 'arkesel');
  const id = phoneIdOf(await browser.get());
  expect((await browser.post(`/phone/${id}/hang-up`, {})).status).toBe(303);
  const page = await browser.get();
  expect(page).toContain('The aggregator of this channel sends no end notice, so the gateway got none.');
  expect(page).toContain('newest first, 1 of 1');
  expect((await browser.post(`/phone/${id}/remove`, {})).status).toBe(303);
  await browser.dial(payer, 'arkesel');
  expect(await browser.get()).not.toContain('sends no end notice');
});

test('a payment links to the console, if there is one', async () => {
  const till = await createPhoneTill('http://127.0.0.1:8080');
  const browser = createBrowser(till);
  await browser.dial(payer, 'africastalking', '*713*5*1*20#');
  await browser.answer('1');
  const { id } = await till.only(payer);
  expect(await browser.get()).toContain(`<a href="http://127.0.0.1:8080/console/payments/${id}">`);
});
