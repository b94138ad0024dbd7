import { expect, test } from 'vitest';
import type { AccountRole } from '../../../src/contract/staff/account.ts';
import { hasEnded } from '../../../src/gateway/accounts/session.ts';
import { type Browser, createAccount, createConsoleTill } from '../../kit/console.ts';
import { basic, staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';

async function tokenOf(browser: Browser): Promise<{ name: string; token: string }> {
  const { text } = await browser.post('/me/tokens');
  const [, name = '', token = ''] = /<code id="token">([\w-]+):(dct_[\w-]+)<\/code>/.exec(text) ?? [];
  return { name, token };
}

async function call(
  till: Till,
  { name, token }: { name: string; token: string },
  path: string,
  body?: unknown,
) {
  const answer = await till.gateway().app.request(`/staff/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: basic(name, token), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

const unused = { digest: '', id: '', accountId: '', confirmedAt: 0 };

/** A till with a payment, and a person who is signed in. */
async function start(role: AccountRole) {
  const till = await createConsoleTill();
  const holder = await createAccount(till, 'efua', role);
  const browser = await holder.signIn();
  await till.pay('0244123456');
  return { till, browser, id: (await till.only('0244123456')).id };
}

test('a token acts on the command line with the name and the role of its person', async () => {
  const { till, browser, id } = await start('agent');
  const efua = await tokenOf(browser);
  expect((await call(till, efua, `/collections/${id}/notes`, { text: 'called' })).status).toBe(200);
  expect((await staffActions(till)).at(-1)).toMatchObject({ actor: 'efua', action: 'note' });
  const refused = await call(till, efua, '/accounts');
  expect(refused).toMatchObject({ status: 403 });
  expect(refused.text).toContain('the role agent may not do this');
  expect((await call(till, { ...efua, name: 'ama' }, '/reviews')).status).toBe(401);
  expect((await call(till, { ...efua, token: `${efua.token}x` }, '/reviews')).status).toBe(401);
  expect(till.logged()).not.toContain(efua.token);
});

test('what needs the password is refused with a token of My account, also right after it was created', async () => {
  const { till, browser } = await start('admin');
  const answer = await call(till, await tokenOf(browser), '/accounts', { name: 'yaw', role: 'admin' });
  expect(answer.status).toBe(403);
  expect(answer.text).toContain('use the console');
  await till.clock.advance(6 * 60_000);
  expect((await browser.post('/me/tokens')).location).toBe('/console/confirm?page=me/tokens&unsent=1');
});

test('a token ends after 30 days, when its person ends it or is disabled, and with a new password', async () => {
  const { till, browser } = await start('agent');
  const works = async (token: Awaited<ReturnType<typeof tokenOf>>) =>
    (await call(till, token, '/reviews')).status === 200;
  const ended = await tokenOf(browser);
  expect(await works(ended)).toBe(true);
  const { text } = await browser.get('/me');
  const [, first = ''] = /sessions\/(ses_\w+)\/end"[^>]*><span><b>Token of the command line/.exec(text) ?? [];
  await browser.post(`/me/sessions/${first}/end`);
  expect(await works(ended)).toBe(false);
  const before = await tokenOf(browser);
  await browser.post('/me/password', { password: 'another horse battery' });
  expect(await works(before)).toBe(false);
  const last = await tokenOf(browser);
  expect(await works(last)).toBe(true);
  const admin = await (await createAccount(till, 'kwame', 'admin')).signIn();
  await admin.post('/staff/efua/disable');
  expect(await works(last)).toBe(false);
  await admin.post('/staff/efua/enable');
  expect(await works(last)).toBe(false);
  const day = 24 * 3_600_000;
  const session = { kind: 'command', createdAt: 0, seenAt: 0 } as const;
  expect([29, 30].map((days) => hasEnded({ ...unused, ...session }, days * day))).toEqual([false, true]);
});

test('a payment is handed over to people of accounts who work on payments', async () => {
  const { till, browser, id } = await start('agent');
  await createAccount(till, 'yaw', 'auditor');
  const { text } = await browser.get(`/payments/${id}`);
  expect(text).toContain('<option>efua</option>');
  expect(text).not.toContain('<option>yaw</option>');
  expect((await browser.post(`/payments/${id}/assign`, { to: 'efua' })).status).toBe(303);
});

test('a token is no cookie, and a cookie is no token', async () => {
  const { till, browser } = await start('agent');
  const { token } = await tokenOf(browser);
  const [cookieName = '', cookie = ''] = browser.cookie()?.split('=') ?? [];
  const ask = (value: string) =>
    till.gateway().app.request('/console/me', { headers: { cookie: `${cookieName}=${value}` } });
  expect((await ask(cookie)).status).toBe(200);
  for (const one of [token, token.slice('dct_'.length)]) expect((await ask(one)).status).toBe(303);
  expect((await call(till, { name: 'efua', token: `dct_${cookie}` }, '/reviews')).status).toBe(401);
});

test('a person has at most five tokens, and people of a merchant have none', async () => {
  const { till, browser } = await start('agent');
  for (let count = 0; count < 5; count++) expect((await tokenOf(browser)).token).not.toBe('');
  expect((await browser.post('/me/tokens')).status).toBe(422);
  const esi = await (await createAccount(till, 'esi', 'merchant', 'demo-shop')).signIn();
  expect((await esi.post('/me/tokens')).status).toBe(403);
});

test('of two tokens that are created at the same moment in the last place, one is created', async () => {
  const { browser } = await start('agent');
  for (let count = 1; count < 5; count++) await tokenOf(browser);
  const both = await Promise.all([browser.post('/me/tokens'), browser.post('/me/tokens')]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 422]);
});
