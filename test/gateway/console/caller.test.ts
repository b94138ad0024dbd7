import { expect, test } from 'vitest';
import { createAccount, createConsoleTill, payShort, plainText, rowsOf, short } from '../../kit/console.ts';
import type { Till } from '../../kit/till.ts';
import { createTwoShops, payer } from './two-shops.ts';

const signIn = async (till: Till, role: 'agent' | 'auditor' = 'agent') =>
  (await createAccount(till, 'efua', role)).signIn();
const relative = (location: string | null) => (location ?? '').slice('/console'.length);

test('a number that dialled and paid nothing has a page with its last screens and what to say', async () => {
  const till = await createConsoleTill();
  await till.pay('0500111222', ['1', '20', '2']);
  const browser = await signIn(till);
  const found = await browser.post('/search', { q: 'Customer 050-011 1222 called' });
  expect(found.location).toMatch(/^\/console\/dialogues\/dlg_\w+\/caller$/);
  const { status, text } = await browser.get(relative(found.location));
  expect(status).toBe(200);
  const page = plainText(text);
  expect(page).toContain('050 ••• 1222 Telecel · no payment · last dialled 09:00');
  expect(page).toContain('Your last call ended before you confirmed a payment, so nothing was paid.');
  expect(page).toContain('The caller chose No Cancelled. Nothing was paid.');
  expect(text).not.toContain('500111222');
  expect(till.logged()).not.toContain('500111222');
  expect((await browser.get('/dialogues/dlg_none/caller')).status).toBe(404);
  // Who may not see whole numbers finds none by dialling.
  const auditor = await (await createAccount(till, 'yaw', 'auditor')).signIn();
  expect((await auditor.post('/search', { q: '0500111222' })).location).toBeNull();
});

test('the page of a caller has both roles, blocks and notes, and one text about all of it', async () => {
  const till = await createConsoleTill();
  await till.pay('0201234567', ['2', payer, '1', '20', '1']);
  const request = await till.untilStatus(payer, 'initiated');
  await till.declined();
  await till.clock.advance(3 * 3_600_000);
  await till.pay(payer);
  const own = (await till.find(payer)).find(({ requestedBy }) => requestedBy === 'payer');
  const browser = await (await createAccount(till, 'ama', 'lead')).signIn();
  await browser.post(`/payments/${request.id}/notes`, { text: 'never asked for it, call 0244123456' });
  await browser.post(`/payments/${request.id}/block`, {
    role: 'payer',
    everywhere: '1',
    length: 'none',
    reason: 'asked for it',
  });
  const { location } = await browser.post('/search', { q: payer });
  expect(location).toBe(`/console/payments/${own?.id}/payer`);
  const { text } = await browser.get(relative(location));
  const page = plainText(text);
  expect(page).toContain('Both roles 2 As payer 2 For another phone 0');
  expect(page).toContain('Your payment waits for your PIN.');
  expect(page).toContain('This number may not be asked to pay by other phones at all merchants');
  expect(page).toContain('never asked for it, call 024 ••• 3456');
  expect(rowsOf(text).flat()).toContain('Payer, requested by 020 ••• 4567');
  expect(text).toContain(`href="/console/payments/${request.id}/dialler"`);
  expect(page).not.toContain('244123456');

  const other = await browser.get(`/payments/${request.id}/dialler`);
  expect(plainText(other.text)).toContain('As payer 0 For another phone 1');
  expect(rowsOf(other.text).flat()).toContain('Dialled for 024 ••• 3456');
  expect(plainText((await browser.get(`/payments/${request.id}/dialler?role=payer`)).text)).toContain(
    'No payment of this number in this role.',
  );
  expect((await browser.get(`/payments/${own?.id}/payer?after=col_none`)).status).toBe(404);
});

test('a caller whose money people check hears of it after the last payment', async () => {
  const till = await createConsoleTill();
  const row = await payShort(till);
  await till.pay(short, ['1', '20', '2']);
  const { text } = await (await signIn(till)).get(`/payments/${row.id}/payer`);
  expect(plainText(text)).toContain('The amount that arrived is not the one that was asked for.');
  expect(plainText(text)).not.toContain('nothing was paid');
});

test('a caller with an open prompt does not hear that nothing was paid', async () => {
  const till = await createConsoleTill();
  await till.pay(payer);
  const { id } = await till.untilStatus(payer, 'initiated');
  await till.pay(payer, ['2', '0201234567', '2', '70', '2']);
  const browser = await signIn(till);
  const say = async () => plainText((await browser.get(`/payments/${id}/payer`)).text);
  expect(await say()).toContain('Your payment waits for your PIN.');
  expect(await say()).not.toContain('dial again');
});

test('a person of a merchant sees the own payments of a caller, and no dialogue, block or note', async () => {
  const { till, own, other, browser } = await createTwoShops();
  await till.pay(payer, ['1']);
  const { text } = await browser.get(`/payments/${own.id}/payer`);
  expect(plainText(text)).toContain('Both roles 1');
  expect(text).not.toContain(other.id);
  expect(text).not.toMatch(/Dialogues that came|id="blocks"|id="notes"|Unplaced/);
  expect((await browser.get(`/payments/${other.id}/payer`)).status).toBe(404);
  expect((await browser.get('/dialogues/dlg_1/caller')).status).toBe(403);
});
