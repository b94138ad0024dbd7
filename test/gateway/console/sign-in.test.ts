import { describe, expect, test } from 'vitest';
import { accountRoles } from '../../../src/contract/staff/account.ts';
import { roleHas } from '../../../src/gateway/access/permissions.ts';
import { getAddress } from '../../../src/gateway/console/define-route.ts';
import { consoleRoutes } from '../../../src/gateway/console/pages.ts';
import { configurationActor } from '../../../src/gateway/staff/caller.ts';
import {
  type AccountHolder,
  createAccount,
  createBrowser,
  createConsoleTill,
  password,
  setUp,
} from '../../kit/console.ts';
import { callStaff, callWithConfiguration, staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';

const minute = 60_000;

/** A till with the account of an admin. */
async function start(): Promise<{ till: Till; kwame: AccountHolder }> {
  const till = await createConsoleTill();
  return { till, kwame: await createAccount(till, 'kwame', 'admin') };
}

const actionsOf = async (till: Till, subject: string) =>
  (await staffActions(till))
    .filter(({ detail }) => (detail as { name?: string }).name === subject)
    .map(({ actor, action, result }) => `${actor} ${action} ${result}`);

test('a person signs in with the password and a code, and every step is recorded', async () => {
  const { till, kwame } = await start();
  expect(kwame.recoveryCodes).toHaveLength(10);
  const browser = await kwame.signIn();
  const home = await browser.get('/me');
  expect(home).toMatchObject({ status: 200 });
  expect(home.text).toContain('kwame <small>admin');
  const out = await browser.post('/sign-out');
  expect(out.location).toBe('/console/sign-in');
  expect((await browser.get('/me')).location).toBe('/console/sign-in');
  expect(await actionsOf(till, 'kwame')).toEqual([
    `${configurationActor} add_account done`,
    'kwame start_set_up done',
    'kwame set_up done',
    'kwame sign_in done',
    'kwame sign_out done',
  ]);
});

test('the address of the console can end with a slash', async () => {
  const { till } = await start();
  const answer = await till.gateway().app.request('/console/');
  const { href } = new URL(answer.headers.get('location') ?? '', 'https://pay.example/console/');
  expect([answer.status, href]).toEqual([308, 'https://pay.example/console']);
});

test('a link to a payment or a list of a colleague leads there after the sign-in, and to no other site', async () => {
  const { till, kwame } = await start();
  const signInFrom = async (path: string) => {
    const browser = createBrowser(till);
    const { location } = await browser.get(path);
    const page = new URL(location ?? '', 'http://console').searchParams.get('page') ?? '';
    const form = (await browser.get(`/sign-in?${new URLSearchParams({ page })}`)).text;
    if (page !== '') expect(form).toContain(`name="page" value="${page.replaceAll('&', '&amp;')}"`);
    return (await browser.post('/sign-in', { name: 'kwame', password, code: await kwame.code(), page }))
      .location;
  };
  expect(await signInFrom('/payments/col_1')).toBe('/console/payments/col_1');
  expect(await signInFrom('/payments?status=paid&from=2026-03-06')).toBe(
    '/console/payments?status=paid&from=2026-03-06',
  );
  expect(await signInFrom('/payments?q=0244123456')).toBe('/console');
  expect(await signInFrom('/me')).toBe('/console');
  for (const page of '//evil.example /evil.example https://evil.example payments/../../x x?a=b#c'.split(
    ' ',
  )) {
    const code = await kwame.code();
    const answer = await createBrowser(till).post('/sign-in', { name: 'kwame', password, code, page });
    expect(answer.location, page).toBe('/console');
  }
});

test('the cookie is bound to the host, hidden from scripts and sent to the same site only', async () => {
  const { till, kwame } = await start();
  const browser = createBrowser(till);
  const answer = await browser.post('/sign-in', { name: 'kwame', password, code: await kwame.code() });
  expect(answer.headers.get('set-cookie')).toMatch(
    /^__Host-dialtill=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
  const { headers } = await browser.get('/');
  expect(headers.get('referrer-policy')).toBe('same-origin');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
});

test('a one-time password and a recovery code are accepted once', async () => {
  const { till, kwame } = await start();
  const code = await kwame.code();
  const attempt = async (entered: string) =>
    (await createBrowser(till).post('/sign-in', { name: 'kwame', password, code: entered })).status;
  expect(await attempt(code)).toBe(303);
  expect(await attempt(code)).toBe(422);
  const [first = ''] = kwame.recoveryCodes;
  expect(await attempt(first.toLowerCase().replaceAll('-', ' '))).toBe(303);
  expect(await attempt(first)).toBe(422);
});

test('a session ends after 30 minutes without a request, and after 12 hours in any case', async () => {
  const { till, kwame } = await start();
  const idle = await kwame.signIn();
  await till.clock.advance(29 * minute);
  expect((await idle.get('/me')).status).toBe(200);
  await till.clock.advance(30 * minute);
  expect((await idle.get('/me')).location).toBe('/console/sign-in?ended=1');

  const busy = await kwame.signIn();
  for (let passed = 0; passed < 719; passed += 29) {
    expect((await busy.get('/me')).status).toBe(200);
    await till.clock.advance(29 * minute);
  }
  expect((await busy.get('/me')).location).toBe('/console/sign-in?ended=1');
});

test('a person ends a session on another device', async () => {
  const { kwame } = await start();
  const one = await kwame.signIn();
  const other = await kwame.signIn();
  const ids = [...(await one.get('/me')).text.matchAll(/sessions\/(ses_\w+)\/end/g)].map(([, id = '']) => id);
  expect(ids.length).toBeGreaterThanOrEqual(2);
  await one.post(`/me/sessions/${ids.at(-1)}/end`);
  expect((await other.get('/me')).location).toBe('/console/sign-in?ended=1');
  expect((await one.get('/me')).status).toBe(200);
});

test('a form of another site changes nothing', async () => {
  const { kwame } = await start();
  const browser = await kwame.signIn();
  const attempts: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', origin: 'https://pay.example' },
    { 'sec-fetch-site': 'same-site', origin: 'https://pay.example' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    {},
  ];
  for (const headers of attempts) expect((await browser.post('/sign-out', {}, headers)).status).toBe(403);
  expect((await browser.get('/me')).status).toBe(200);
  expect((await browser.post('/sign-out', {}, { origin: 'https://pay.example' })).status).toBe(303);
});

test('a form that is too large, or is not a form, is rejected', async () => {
  const { till } = await start();
  const browser = createBrowser(till);
  expect((await browser.post('/sign-in', { name: 'x'.repeat(20_000) })).status).toBe(413);
  const json = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  expect((await browser.post('/sign-in', {}, json)).status).toBe(415);
});

test('a person sees when each session was last used, and ends all others at once, tokens included', async () => {
  const till = await createConsoleTill();
  const efua = await createAccount(till, 'efua', 'agent');
  const [own, other] = [await efua.signIn(), await efua.signIn()];
  expect((await own.post('/me/tokens')).status).toBe(200);
  expect((await own.get('/me')).text.match(/last used \d\d:\d\d/g)).toHaveLength(3);
  expect((await own.post('/me/sessions/end')).location).toBe('/console/me');
  const { text } = await own.get('/me');
  expect(text.match(/last used/g)).toHaveLength(1);
  expect(text).not.toContain('End all others');
  expect((await other.get('/me')).location).toBe('/console/sign-in?ended=1');
  expect((await staffActions(till)).at(-1)).toMatchObject({
    actor: 'efua',
    action: 'end_sessions',
    result: 'done',
  });
});

test('a restore of a backup ends the sessions and the codes of first uses', async () => {
  const own = await createConsoleTill();
  const yaa = await createAccount(own, 'yaa', 'lead');
  const { body } = await callStaff(own, 'adwoa', '/accounts', { name: 'esi', role: 'agent' });
  const browser = await yaa.signIn();
  await own.restart();
  expect((await browser.get('/me')).status).toBe(200);
  await own.restart(async () => {
    const { removeWatermark } = await import('../../../src/gateway/upkeep/ledger-origin.ts');
    removeWatermark(own.config.database.file);
  });
  expect((await browser.get('/me')).location).toBe('/console/sign-in?ended=1');
  const started = await createBrowser(own).post('/first-use', { name: 'esi', code: String(body.code) });
  expect(started.status).toBe(422);
});

describe('guesses', () => {
  const guess = async (own: Till, name: string) => {
    const answer = await createBrowser(own).post('/sign-in', { name, password: 'wrong', code: '000000' });
    return { status: answer.status, text: answer.text.replaceAll(name, '?').replace(/challenge[^,]*/, '') };
  };

  test('an unknown name gets the answer of a known one', async () => {
    const own = await createConsoleTill();
    await createAccount(own, 'abena', 'agent');
    expect(await guess(own, 'unknown')).toEqual(await guess(own, 'abena'));
  });

  test('they are delayed up to a minute, and never lock the account for ever', async () => {
    const own = await createConsoleTill();
    const abena = await createAccount(own, 'abena', 'agent');
    await own.clock.advance(61 * minute);
    for (let i = 0; i < 3; i++) expect((await guess(own, 'abena')).status).toBe(422);
    expect(await guess(own, 'abena')).toMatchObject({ status: 429 });
    expect((await guess(own, 'abena')).text).toContain('Try again after 1 second.');
    for (let i = 0; i < 8; i++) {
      await own.clock.advance(minute);
      expect((await guess(own, 'abena')).status).toBe(422);
    }
    expect((await guess(own, 'abena')).text).toContain('Try again after 60 seconds');
    await own.clock.advance(minute);
    expect((await (await abena.signIn()).get('/me')).status).toBe(200);
  });

  test('parallel guesses are counted like later ones', async () => {
    const own = await createConsoleTill();
    await createAccount(own, 'abena', 'agent');
    const statuses = (await Promise.all(Array.from({ length: 12 }, () => guess(own, 'abena')))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((one) => one === 422).length).toBeLessThanOrEqual(3);
  });
});

describe('roles', () => {
  const routes = consoleRoutes.flatMap(({ name, audience }) =>
    typeof audience === 'object' ? [{ name, ...audience }] : [],
  );

  test.each(accountRoles)('%s reaches exactly the routes of its role', async (role) => {
    const own = await createConsoleTill();
    const person = await createAccount(own, 'yaw', role, role === 'merchant' ? 'demo-shop' : null);
    const browser = await person.signIn();
    for (const { name, needs } of routes.filter((one) => one.name.startsWith('GET') && !one.isConfirmed)) {
      const path = getAddress(name).replace('/console', '').replace(':id', 'col_x') || '/';
      const isAllowed = roleHas(role, needs);
      expect((await browser.get(path)).status !== 403, name).toBe(isAllowed);
    }
    for (const { name, needs } of routes.filter((one) => one.name.startsWith('POST'))) {
      if (roleHas(role, needs)) continue;
      const path = getAddress(name).replace('/console', '').replace(':id', 'yaw');
      expect((await browser.post(path)).status, name).toBe(403);
    }
  });

  test('every route but signing in and the first use needs a session', async () => {
    const { till } = await start();
    for (const { name, audience } of consoleRoutes) {
      if (audience === 'everyone') continue;
      const [method, path = ''] = name.split(' ');
      const browser = createBrowser(till);
      const answer =
        method === 'GET' ? await browser.get(path) : await browser.post(path.replace(':id', 'x'));
      expect(answer.location?.replace(/\?page=[\w%]+$/, ''), name).toBe('/console/sign-in');
    }
  });
});

describe('accounts', () => {
  test('the page of staff has fifty accounts, by name, and the next page has the others', async () => {
    const { till, kwame } = await start();
    const names = Array.from({ length: 52 }, (_, index) => `agent-${index + 10}`);
    for (const name of names)
      expect(await callWithConfiguration(till, '/accounts', { name, role: 'agent' })).toMatchObject({
        status: 200,
      });
    const browser = await kwame.signIn();
    const shown = async (path: string) =>
      [...(await browser.get(path)).text.matchAll(/<th scope="row">([\w-]+)</g)].map(([, name]) => name);
    const { text } = await browser.get('/staff');
    expect(text).toContain('50 of 53 accounts');
    expect(await shown('/staff')).toEqual(names.slice(0, 50));
    const [, next = ''] = /href="\/console(\/staff\?[^"]+)" rel="next"/.exec(text) ?? [];
    expect(await shown(next)).toEqual([...names.slice(50), 'kwame']);
  });

  test('an admin adds, resets, disables and enables accounts after entering the password again', async () => {
    const { till, kwame } = await start();
    const browser = await kwame.signIn();
    await till.clock.advance(6 * minute);
    expect((await browser.post('/staff', { name: 'akua', role: 'agent' })).status).toBe(403);
    const wrong = await browser.post('/confirm', { password: 'wrong', code: '', page: 'staff' });
    expect(wrong.status).toBe(422);
    const confirmed = await browser.post('/confirm', { password, code: await kwame.code(), page: 'staff' });
    expect(confirmed.location).toBe('/console/staff');
    const added = await browser.post('/staff', { name: 'akua', role: 'agent', merchant: '' });
    const [, code = ''] = /<code>([A-Z2-7-]{19})<\/code>/.exec(added.text) ?? [];
    const akua = await setUp(till, 'akua', code);
    const own = await akua.signIn();
    expect((await own.get('/me')).status).toBe(200);

    expect((await browser.post('/staff/akua/role', { role: 'lead', merchant: '' })).status).toBe(303);
    expect((await own.get('/me')).text).toContain('akua <small>lead');
    expect((await browser.post('/staff/akua/disable')).status).toBe(303);
    expect((await own.get('/me')).location).toBe('/console/sign-in?ended=1');
    expect((await (await akua.signIn()).get('/me')).location).toBe('/console/sign-in');
    await browser.post('/staff/akua/enable');
    expect((await (await akua.signIn()).get('/me')).status).toBe(200);
    await browser.post('/staff/akua/reset');
    expect((await (await akua.signIn()).get('/me')).location).toBe('/console/sign-in');
    expect((await browser.post('/staff/kwame/disable')).text).toContain('another person must disable');
    expect((await actionsOf(till, 'akua')).filter((one) => one.startsWith('kwame'))).toEqual([
      'kwame add_account done',
      'kwame change_role done',
      'kwame disable_account done',
      'kwame enable_account done',
      'kwame reset_account done',
    ]);
  });

  test('a person changes the password, the recovery codes and the app', async () => {
    const own = await createConsoleTill();
    const efua = await createAccount(own, 'efua', 'finance');
    const browser = await efua.signIn();
    const other = await efua.signIn();
    expect((await browser.post('/me/password', { password: 'short' })).status).toBe(422);
    await browser.post('/me/password', { password: `${password} staple` });
    expect((await browser.get('/me')).text).toContain('Password changed. Your other sign-ins have ended.');
    expect((await other.get('/me')).location).toBe('/console/sign-in?ended=1');
    const renewed = (await browser.post('/me/recovery-codes')).text;
    const [, code = ''] = /<code>([A-Z2-7-]{19})<\/code>/.exec(renewed) ?? [];
    const signIn = (entered: string) =>
      createBrowser(own).post('/sign-in', { name: 'efua', password: `${password} staple`, code: entered });
    expect((await signIn(efua.recoveryCodes[0] ?? '')).status).toBe(422);
    expect((await signIn(code)).status).toBe(303);
    await browser.post('/me/authenticator/new');
    expect((await browser.get('/me/authenticator')).text).toContain('otpauth://totp/');
    expect((await browser.post('/me/authenticator', { code: '000000' })).status).toBe(422);
    expect((await signIn(await efua.code())).status).toBe(303);
  });

  test('a code of the first use ends after an hour, and is accepted once', async () => {
    const { till } = await start();
    const { body } = await callStaff(till, 'adwoa', '/accounts', { name: 'adjoa', role: 'agent' });
    const send = (code: string) => createBrowser(till).post('/first-use', { name: 'adjoa', code });
    const begin = async () => (await send(String(body.code))).status;
    // The name of a refused form stays.
    expect((await send('A2B3')).text).toContain('value="adjoa"');
    await till.clock.advance(59 * minute);
    expect(await begin()).toBe(303);
    await till.clock.advance(minute);
    expect(await begin()).toBe(422);
    const reset = await callStaff(till, 'adwoa', '/accounts/adjoa/reset', {});
    await setUp(till, 'adjoa', String(reset.body.code));
    const again = await createBrowser(till).post('/first-use', {
      name: 'adjoa',
      code: String(reset.body.code),
    });
    expect(again.status).toBe(422);
  });

  test('a merchant account needs a merchant of the configuration, and names are unique', async () => {
    const { till } = await start();
    const add = async (input: object) => (await callStaff(till, 'adwoa', '/accounts', input)).status;
    expect(await add({ name: 'shop', role: 'merchant' })).toBe(400);
    expect(await add({ name: 'shop', role: 'agent', merchantId: 'demo-shop' })).toBe(400);
    expect(await add({ name: 'shop', role: 'merchant', merchantId: 'other' })).toBe(404);
    expect(await add({ name: 'shop', role: 'merchant', merchantId: 'demo-shop' })).toBe(200);
    expect(await add({ name: 'shop', role: 'agent' })).toBe(409);
  });
});

test('the page of accounts says which merchant it expects, and needs none for the other roles', async () => {
  const { kwame } = await start();
  const browser = await kwame.signIn();
  const without = await browser.post('/staff', { name: 'shop', role: 'merchant', merchant: ' ' });
  expect([without.status, without.text]).toEqual([
    422,
    expect.stringContaining('the role merchant needs the id of its merchant, such as demo-shop'),
  ]);
  // As a form leaves it whose field of the merchant is hidden.
  const added = await browser.post('/staff', { name: 'shop', role: 'lead', merchant: 'demo-shop' });
  expect(added.text).toContain('Code of shop');
  const unknown = await browser.post('/staff/shop/role', { role: 'merchant', merchant: 'other' });
  expect([unknown.status, unknown.text]).toEqual([
    422,
    expect.stringContaining('no merchant other in the configuration'),
  ]);
});

test('a search answers with a page that has no number, and an admin may not search', async () => {
  const { till, kwame } = await start();
  await till.pay('0244123456');
  const agent = await (await createAccount(till, 'akua', 'agent')).signIn();
  const found = await agent.post('/search', { q: '0244123456' });
  const page = found.location === null ? found : await agent.get(found.location.replace('/console', ''));
  expect(page.status).toBe(200);
  expect(page.text).toContain('akua');
  expect(page.text).not.toContain('244123456');
  expect((await (await kwame.signIn()).post('/search', { q: '0244123456' })).status).toBe(403);
});

test('the database contains no password, seed, code or token', async () => {
  const { till, kwame } = await start();
  const { readFileSync } = await import('node:fs');
  const browser = await kwame.signIn();
  const token = browser.cookie()?.split('=')[1] ?? 'no token';
  const { file } = till.config.database;
  const bytes = [file, `${file}-wal`].map((one) => readFileSync(one, 'latin1')).join('');
  for (const secret of [password, token, ...kwame.recoveryCodes]) {
    expect(bytes.includes(secret)).toBe(false);
    expect(till.logged().includes(secret)).toBe(false);
  }
  expect((await till.verify()).ok).toBe(true);
});

test.each(['Kofi', 'kofi ', ' KOFI'])('a person who types the name as “%s” signs in', async (name) => {
  const till = await createConsoleTill();
  const holder = await createAccount(till, 'kofi', 'agent');
  const browser = createBrowser(till);
  const signedIn = await browser.post('/sign-in', { name, password, code: await holder.code() });
  expect([signedIn.status, signedIn.location]).toEqual([303, '/console']);
});
