import { expect, test } from 'vitest';
import { createAccount, createConsoleTill } from '../../kit/console.ts';
import { callStaff, staffActions } from '../../kit/staff.ts';

const [payer, dialler, other] = ['0244123456', '0201234567', '0261234567'] as const;
const minute = 60_000;

/** Nine digits that every spelling of a number contains. */
const digitsOf = (number: string) => number.slice(1);
const shows = (text: string, number: string) => text.replaceAll(/[ .-]/g, '').includes(digitsOf(number));

/** A payment that another phone requests for the payer, so that a screen has the whole number. */
async function start() {
  const till = await createConsoleTill();
  await till.pay(dialler, ['2', payer, '1', '20', '1']);
  const { id } = await till.only(payer);
  const efua = await createAccount(till, 'efua', 'agent');
  return { till, id, efua, browser: await efua.signIn() };
}

test('an agent sees the whole numbers of one payment, its screens included, for five minutes', async () => {
  const { till, id, browser } = await start();
  const masked = (await browser.get(`/payments/${id}`)).text;
  expect([shows(masked, payer), shows(masked, dialler)]).toEqual([false, false]);
  const answer = await browser.post(`/payments/${id}/reveal`, { reason: 'the payer asks for a call back' });
  expect(answer).toMatchObject({ status: 303, location: `/console/payments/${id}` });

  const whole = await browser.get(`/payments/${id}`);
  expect(whole.text).toContain('024 412 3456 on MTN');
  expect(whole.text).toContain(`entered </span>${payer}`);
  expect(shows(whole.text, dialler)).toBe(true);
  expect(whole.text).toMatch(/whole numbers until <time datetime="[^"]+">\d\d:\d\d<\/time>/);
  expect(whole.text).toContain('data-masked-after="300000"');
  expect(whole.headers.get('refresh')).toBe('302');

  await till.clock.advance(5 * minute - 1);
  expect(shows((await browser.get(`/payments/${id}`)).text, payer)).toBe(true);
  await till.clock.advance(1);
  const after = await browser.get(`/payments/${id}`);
  expect([shows(after.text, payer), shows(after.text, dialler)]).toEqual([false, false]);
  expect(after.headers.get('refresh')).toBeNull();
  expect(after.text).toContain('efua: saw the whole numbers: the payer asks for a call back');
  expect([shows(till.logged(), payer), shows(till.logged(), dialler)]).toEqual([false, false]);
});

test('another session, person or payment sees masked numbers, also of the same payer', async () => {
  const { till, id, efua, browser } = await start();
  await till.clock.advance(3 * 3_600_000);
  await till.pay(other, ['2', payer, '1', '30', '1']);
  const second = (await till.find(payer)).find((row) => row.id !== id);
  await browser.post('/sign-out');
  const [own, elsewhere] = [await efua.signIn(), await efua.signIn()];
  const lead = await (await createAccount(till, 'esi', 'lead')).signIn();
  await own.post(`/payments/${id}/reveal`, { reason: 'call back' });
  const whole = (await own.get(`/payments/${id}`)).text;
  expect([shows(whole, payer), shows(whole, other)]).toEqual([true, false]);
  const unrevealed = [
    [own, `/payments/${second?.id}`],
    [elsewhere, `/payments/${id}/payer`],
    [lead, `/payments/${id}/payer`],
    [own, '/'],
    [elsewhere, `/payments/${id}`],
    [lead, `/payments/${id}`],
  ] as const;
  for (const [browserOf, path] of unrevealed) {
    const page = await browserOf.get(path);
    expect(page.status, path).toBe(200);
    expect(shows(page.text, payer), path).toBe(false);
  }
});

test('each reveal is recorded with its reason, without the numbers in it, and sealed', async () => {
  const { till, id, browser } = await start();
  await browser.post(`/payments/${id}/reveal`, { reason: `calls from ${other}` });
  const revealed = (await staffActions(till)).filter(({ action }) => action === 'reveal');
  expect(revealed).toMatchObject([
    { actor: 'efua', result: 'done', subject: id, detail: { reason: 'calls from 23326****567' } },
  ]);
  expect((await browser.post(`/payments/${id}/reveal`, { reason: ' ' })).status).toBe(422);
  expect((await browser.post('/payments/col_x/reveal', { reason: 'x' })).status).toBe(404);
  await till.clock.advance(minute);
  expect((await till.verify()).ok).toBe(true);
});

test('an auditor never sees whole numbers, nor does a person who became one', async () => {
  const { till, id, browser } = await start();
  await browser.post(`/payments/${id}/reveal`, { reason: 'call back' });
  await callStaff(till, 'adwoa', '/accounts/efua/role', { role: 'auditor', merchantId: null });
  const page = await browser.get(`/payments/${id}`);
  expect(page.status).toBe(200);
  expect(shows(page.text, payer)).toBe(false);
  expect(page.text).not.toContain('Reason to see the whole numbers');
  expect((await browser.post(`/payments/${id}/reveal`, { reason: 'x' })).status).toBe(403);
});

test('the API of support staff returns the numbers, and records the same action', async () => {
  const { till, id, browser } = await start();
  const answer = await callStaff(till, 'ama', `/collections/${id}/reveal`, { reason: 'call back' });
  expect(answer).toMatchObject({ status: 200, body: { payer: '233244123456', dialler: '233201234567' } });
  expect((await staffActions(till)).at(-1)).toMatchObject({ actor: 'ama', action: 'reveal', subject: id });
  expect(shows((await browser.get(`/payments/${id}`)).text, payer)).toBe(false);
});
