import { expect, onTestFinished, test } from 'vitest';
import { readDeliveries } from '../../../src/gateway/staff/delivery-query.ts';
import { allMerchants } from '../../../src/gateway/support/page.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { type AccountHolder, type Browser, createAccount, password } from '../../kit/console.ts';
import { createMerchantKey } from '../../kit/merchant-api.ts';
import { callStaff, staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';
import { createTwoShops, payer } from './two-shops.ts';

const minute = 60_000;

/** Two shops with an endpoint and a key each, an admin, and a person of the first shop. */
async function createSystems(onSent: (url: string) => void = () => {}) {
  const shops = await createTwoShops(() => ({
    notifyFetch: async (url) => {
      onSent(String(url));
      return { status: 500, body: new Response(`out of order: ${payer}`).body };
    },
  }));
  const { till } = shops;
  const endpoints: string[] = [];
  const keys: string[] = [];
  for (const merchantId of ['demo-shop', 'other-shop']) {
    const added = await callStaff(till, 'adwoa', '/endpoints', {
      ...{ merchantId, url: `https://${merchantId}.example/hooks` },
    });
    endpoints.push((added.body.endpoint as { id: string }).id);
    keys.push((await createMerchantKey(till, { merchantId })).key.id);
  }
  const admin = await createAccount(till, 'kwame', 'admin');
  const esi = await createAccount(till, 'akua', 'merchant', 'demo-shop');
  return { ...shops, admin, esi, endpoints, keys };
}

const done = async (till: Till, actor: string) =>
  (await staffActions(till))
    .filter((one) => one.actor === actor && !/sign|set_up|confirm/.test(one.action))
    .map(({ action, result, subject }) => `${action} ${result} ${subject}`);

/** Signs in, and lets the time pass in which the password counts. */
async function signInEarlier(till: Till, holder: AccountHolder): Promise<Browser> {
  const browser = await holder.signIn();
  await till.clock.advance(6 * minute);
  return browser;
}

const confirm = async (browser: Browser, holder: AccountHolder, page: string) =>
  (await browser.post('/confirm', { password, code: await holder.code(), page })).location;

test('a person of a merchant adds, tests, disables, enables and removes its own endpoint after the password', async () => {
  const { till, esi } = await createSystems();
  const browser = await signInEarlier(till, esi);
  expect((await browser.get('/endpoints/new')).location).toBe('/console/confirm?page=endpoints/new');
  expect(await confirm(browser, esi, 'endpoints/new')).toBe('/console/endpoints/new');
  const form = { url: 'https://new.example/hooks', merchant: 'other-shop' };
  expect((await browser.post('/endpoints', { ...form, whole: '1' })).status).toBe(403);
  const added = await browser.post('/endpoints', form);
  const [, secret = ''] = /<code id="secret">(whsec_[\w+/=]+)<\/code>/.exec(added.text) ?? [];
  const [, id = ''] = /\/console\/endpoints\/(ep_\w+)/.exec(added.text) ?? [];
  expect(secret).not.toBe('');
  const page = await browser.get(`/endpoints/${id}`);
  expect(page.text).toContain('demo-shop');
  // The merchant of the form was ignored.
  expect(page.text).not.toContain('<dd>whole</dd>');
  expect(page.text).not.toContain(secret);
  await browser.post(`/endpoints/${id}/test`);
  expect((await browser.get(`/endpoints/${id}`)).text).toContain('endpoint.test');
  for (const [action, shown] of [
    ['disable', 'disabled: a person disabled it'],
    ['enable', 'active'],
  ] as const) {
    expect((await browser.post(`/endpoints/${id}/${action}`)).location).toBe(`/console/endpoints/${id}`);
    expect((await browser.get(`/endpoints/${id}`)).text).toContain(shown);
  }
  expect((await browser.post(`/endpoints/${id}/remove`)).location).toBe('/console/endpoints');
  expect((await browser.get(`/endpoints/${id}`)).status).toBe(404);
  const actions = ['add', 'test', 'disable', 'enable', 'remove'];
  expect(await done(till, 'akua')).toEqual(actions.map((one) => `${one}_endpoint done ${id}`));
});

test('the address of an endpoint is changed after the password, with the checks of a new one, and what waits goes there', async () => {
  const sent: string[] = [];
  const { till, esi, endpoints } = await createSystems((url) => void sent.push(url));
  const browser = await signInEarlier(till, esi);
  const [id = '', other = ''] = endpoints;
  const page = `endpoints/${id}/address`;
  expect((await browser.get(`/${page}`)).location).toBe(`/console/confirm?page=${page}`);
  expect((await browser.post(`/${page}`, { url: 'https://new.example' })).text).toContain('name="kept"');
  expect(await confirm(browser, esi, page)).toBe(`/console/${page}`);
  for (const url of ['https://me@new.example', 'new']) {
    const { status, text } = await browser.post(`/${page}`, { url });
    expect([status, text.includes(`value="${url}"`)], url).toEqual([422, true]);
  }
  await browser.post(`/endpoints/${id}/test`);
  await till.until(() => sent.length > 0);
  const url = 'https://new.example/hooks';
  expect((await browser.post(`/${page}`, { url })).location).toBe(`/console/endpoints/${id}`);
  expect((await browser.get(`/endpoints/${id}`)).text).toContain(`<dd>${url}</dd>`);
  await till.until(() => sent.includes(url), 10 * minute);
  expect((await staffActions(till)).findLast(({ action }) => action === 'change_endpoint')).toMatchObject({
    ...{ actor: 'akua', result: 'done', subject: id },
    detail: { url, before: 'https://demo-shop.example/hooks' },
  });
  expect((await browser.post(`/endpoints/${other}/address`, { url })).status).toBe(404);
});

test('a new secret is shown once, after the password, on the page of the endpoint', async () => {
  const { till, admin, endpoints } = await createSystems();
  const browser = await signInEarlier(till, admin);
  const [id = ''] = endpoints;
  const path = `endpoints/${id}`;
  const asking = `${path}/rotate`;
  expect((await browser.post(`/${asking}`)).location).toBe(`/console/confirm?page=${asking}&unsent=1`);
  expect(await confirm(browser, admin, asking)).toBe(`/console/${asking}`);
  expect((await browser.get(`/${asking}`)).text).toContain('gets the notifications of demo-shop');
  const rotated = await browser.post(`/${path}/rotate`);
  const [, secret = ''] = /<code id="secret">(whsec_[\w+/=]+)<\/code>/.exec(rotated.text) ?? [];
  expect(secret).not.toBe('');
  for (const one of [`/${path}`, '/endpoints', '/audit'])
    expect((await browser.get(one)).text).not.toContain(secret);
  expect((await browser.get(`/${path}`)).text).toContain('signs until');
  expect(till.logged()).not.toContain(secret);
});

test('deliveries show attempts with status, duration and a masked answer, and are sent again one by one and by days', async () => {
  const { till, esi, endpoints, own } = await createSystems();
  const browser = await esi.signIn();
  const [id = ''] = endpoints;
  // The payment was opened before the endpoint: only a replay sends the notification of that.
  expect((await browser.get(`/endpoints/${id}`)).text).not.toContain('payment.opened');
  const day = new Date(own.openedAt).toISOString().slice(0, 10);
  const replayed = await browser.post(`/endpoints/${id}/replay`, { from: day, to: day, undelivered: '1' });
  expect(replayed.text).toContain('The notifications of 1 payments');
  await till.clock.advance(10_000);
  const { text } = await browser.get(`/endpoints/${id}`);
  expect(text).toContain('payment.opened');
  expect(text).toMatch(/<strong>500<\/strong> in \d+ ms<span class="muted"> out of order: 23324\*\*\*\*456</);
  expect(text).toContain(`/console/payments/${own.id}`);
  const [, event = ''] = /name="event" value="([^"]+)"/.exec(text) ?? [];
  expect((await browser.post(`/endpoints/${id}/resend`, { event })).location).toBe(
    `/console/endpoints/${id}`,
  );
  expect((await browser.post(`/endpoints/${id}/resend`, { event: 'evt_x' })).status).toBe(404);
  const wrong = await browser.post(`/endpoints/${id}/replay`, { from: 'soon', to: day });
  expect(wrong).toMatchObject({ status: 422 });
  expect(await done(till, 'akua')).toEqual([`replay done ${id}`, `resend done ${id}`]);
});

test('deliveries of all endpoints of a scope are listed by state and endpoint, and sent again from the list', async () => {
  const { till, esi, admin, endpoints } = await createSystems();
  const [id = '', foreign = ''] = endpoints;
  for (const endpoint of endpoints) await callStaff(till, 'adwoa', `/endpoints/${endpoint}/test`, {});
  await till.clock.advance(10_000);
  await till.pay('0201234567');
  await till.clock.advance(10_000);
  const person = await esi.signIn();
  const all = await admin.signIn();
  const own = (await person.get('/deliveries')).text;
  expect(own).toContain('https://demo-shop.example/hooks');
  expect(own).not.toMatch(/other-shop/);
  const rows = own.match(/name="event" value="/g) ?? [];
  expect(rows.length).toBeGreaterThan(1);
  expect((await all.get('/deliveries')).text).toContain('other-shop');
  expect((await all.get(`/deliveries?endpoint=${foreign}`)).text).toContain('endpoint.test');
  for (const path of [`?endpoint=${foreign}`, '?endpoint=ep_unknown', '?after=x'])
    expect((await person.get(`/deliveries${path}`)).status, path).toBe(404);
  expect((await person.get('/deliveries?state=waiting')).text).toContain(`name="event" value="`);
  expect((await person.get('/deliveries?state=delivered')).text).toContain(
    'No notification in the state “delivered”.',
  );
  const [, event = ''] = /name="event" value="([^"]+)"/.exec(own) ?? [];
  const sent = await person.post(`/endpoints/${id}/resend`, { event, list: '1' });
  expect(sent.location).toBe(`/console/deliveries?endpoint=${id}`);
  expect((await person.get(`/deliveries?endpoint=${id}`)).text).toContain(
    `action="/console/endpoints/${id}/replay"`,
  );
});

test('the pages of deliveries have each one once, newest first, whatever the filter', async () => {
  const { till, endpoints } = await createSystems();
  for (let round = 0; round < 4; round++)
    for (const endpoint of endpoints) {
      await callStaff(till, 'adwoa', `/endpoints/${endpoint}/test`, {});
      if (round % 2 === 0) await till.clock.advance(1_000);
    }
  const store = createSqliteReader(till.config.database.file, { live: true });
  onTestFinished(() => store.close());
  const walk = async (limit: number, more: { endpointId?: string; state?: 'waiting' }) => {
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const found = await readDeliveries(store, allMerchants, { livemode: 0, limit, after, ...more });
      if (typeof found === 'string') throw new Error(found);
      seen.push(...found.data.map(({ at, eventId, endpointId }) => `${at} ${eventId} ${endpointId}`));
      if (found.next === null) return seen;
      after = found.next;
    }
  };
  const whole = await walk(100, {});
  expect(whole.length).toBeGreaterThan(7);
  expect(whole).toEqual(whole.toSorted().toReversed());
  for (const limit of [1, 3, 8]) {
    expect(await walk(limit, {}), String(limit)).toEqual(whole);
    expect(await walk(limit, { state: 'waiting' }), String(limit)).toEqual(whole);
  }
  const [first = ''] = endpoints;
  expect(await walk(1, { endpointId: first })).toEqual(whole.filter((one) => one.endsWith(first)));
});

test('a key is shown once, lists its last use, and is refused after it was revoked', async () => {
  const { till, esi } = await createSystems();
  const browser = await signInEarlier(till, esi);
  expect((await browser.get('/keys/new')).location).toBe('/console/confirm?page=keys/new');
  await confirm(browser, esi, 'keys/new');
  expect((await browser.post('/keys', {})).status).toBe(422);
  // A merchant sees masked numbers: the scope of whole ones is not for its people.
  expect((await browser.post('/keys', { 'payments:read': '1', 'payers:read': '1' })).status).toBe(403);
  const created = await browser.post('/keys', { 'payments:read': '1' });
  const [, secret = ''] = /<code id="secret">(dk_test_[\w-]+)<\/code>/.exec(created.text) ?? [];
  const ask = () =>
    till.gateway().app.request('/merchant/v1/payments', { headers: { authorization: `Bearer ${secret}` } });
  expect((await ask()).status).toBe(200);
  // The use is written after the answer.
  await till.clock.advance(1_000);
  const list = await browser.get('/keys');
  expect(list.text).not.toContain(secret);
  expect(list.text).not.toMatch(/>demo-shop<\/td><td[^>]*>payments:read, payers:read/);
  const rows = list.text.split('<tr>').filter((row) => row.includes('>payments:read</td>'));
  expect(rows).toHaveLength(1);
  expect(rows[0]).not.toContain('never');
  const [, id = ''] = /\/console\/keys\/(mk_\w+)\/revoke/.exec(rows[0] ?? '') ?? [];
  expect((await browser.post(`/keys/${id}/revoke`)).location).toBe('/console/keys');
  expect((await ask()).status).toBe(401);
  expect((await browser.post(`/keys/${id}/revoke`)).status).toBe(409);
  expect(await done(till, 'akua')).toEqual([`create_key done ${id}`, `revoke_key done ${id}`]);
});

test('endpoints and keys of another merchant are not found, in no route, like those that do not exist', async () => {
  const { till, esi, endpoints, keys } = await createSystems();
  const browser = await esi.signIn();
  const [, foreign = ''] = endpoints;
  const [, foreignKey = ''] = keys;
  const before = (await staffActions(till)).length;
  const fields = { event: 'evt_1', from: '2026-03-01', to: '2026-03-02' };
  for (const action of ['', 'test', 'enable', 'disable', 'remove', 'rotate', 'resend', 'replay']) {
    const paths = [foreign, 'ep_unknown'].map((id) => `/endpoints/${id}/${action}`);
    const [found, missing] = await Promise.all(
      paths.map((path) => (action === '' ? browser.get(path.slice(0, -1)) : browser.post(path, fields))),
    );
    expect(found?.status, action).toBe(404);
    expect(found?.text, action).toBe(missing?.text);
  }
  expect((await browser.post(`/keys/${foreignKey}/revoke`)).status).toBe(404);
  for (const path of ['/endpoints', '/keys']) {
    const { text } = await browser.get(path);
    expect(text).toContain('demo-shop');
    for (const other of ['other-shop', foreign, foreignKey]) expect(text).not.toContain(other);
  }
  expect(await staffActions(till)).toHaveLength(before);
  expect(till.logged()).not.toContain(payer.slice(1));
});

test('an admin adds an endpoint of any merchant, with whole numbers, and reads no payments', async () => {
  const { admin, own } = await createSystems();
  const browser = await admin.signIn();
  const form = { merchant: 'other-shop', url: 'https://new.example/hooks', whole: '1' };
  const added = await browser.post('/endpoints', form);
  const [, id = ''] = /\/console\/endpoints\/(ep_\w+)/.exec(added.text) ?? [];
  expect((await browser.get(`/endpoints/${id}`)).text).toContain('<dd>whole</dd>');
  const unknown = await browser.post('/endpoints', { ...form, merchant: 'no-shop' });
  expect(unknown.status).toBe(404);
  expect(unknown.text).toContain('value="no-shop"');
  expect((await browser.get(`/payments/${own.id}`)).status).toBe(403);
});
