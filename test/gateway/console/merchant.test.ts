import { expect, test } from 'vitest';
import { roleHas } from '../../../src/gateway/access/permissions.ts';
import { consoleRoutes } from '../../../src/gateway/console/pages.ts';
import { type Browser, createAccount, createConsoleTill, payShort, short } from '../../kit/console.ts';
import { callStaff } from '../../kit/staff.ts';
import { createTwoShops, payer } from './two-shops.ts';

test('a merchant lists, searches and reads its own payments, with masked numbers', async () => {
  const { browser, own, other, till } = await createTwoShops();
  const list = await browser.get('/payments');
  expect(list.text).toContain('1 of 1, sum of prices GHS 20.00');
  expect(list.text).toContain(own.id);
  expect(list.text).not.toContain(other.id);
  for (const q of [payer, '3456', own.id.slice(0, 12), own.shortReference])
    expect((await browser.post('/search', { q })).location, q).toBe(`/console/payments/${own.id}`);
  for (const q of [other.id, other.shortReference]) {
    const answer = await browser.post('/search', { q });
    const found =
      answer.location === null ? answer : await browser.get(answer.location.slice('/console'.length));
    expect(found.text, q).toContain('No payment found.');
  }
  const payerList = await browser.get(`/payments/${own.id}/payer`);
  const page = await browser.get(`/payments/${own.id}`);
  for (const { status, text } of [list, payerList, page]) {
    expect(status).toBe(200);
    expect(text).toContain('024 ••• 3456');
    expect(text.replaceAll(/[ .-]/g, '')).not.toContain('244123456');
    expect(text).not.toContain(other.id);
  }
  expect(till.logged()).not.toContain('244123456');
});

test('a payment of another merchant is not found, in no route, like one that does not exist', async () => {
  const { browser, own, other } = await createTwoShops();
  const routes = consoleRoutes.filter(
    ({ name, audience }) =>
      name.includes('/:id') && typeof audience === 'object' && roleHas('merchant', audience.needs),
  );
  const ofPayments = routes.map(({ name }) => name).filter((name) => name.includes('/payments/'));
  expect(ofPayments).toEqual(
    ['payer', 'dialler', '', 'live'].map((part) => `GET /payments/:id${part && `/${part}`}`),
  );
  const paths = [...ofPayments.map((name) => name.slice('GET '.length)), '/payments?after=:id'];
  for (const path of paths) {
    const [found, missing] = await Promise.all(
      [other.id, 'col_01k8n2rmzzzzzzzzzzzzzzzzzz'].map((id) => browser.get(path.replace(':id', id))),
    );
    expect(found?.status, path).toBe(404);
    expect(found?.text, path).toBe(missing?.text);
  }
  expect((await browser.get(`/payments/${own.id}/payer?after=${other.id}`)).status).toBe(404);
});

test('a merchant reads no note, no name of staff, no evidence and no call', async () => {
  const { till, browser, own } = await createTwoShops();
  const agent = await (await createAccount(till, 'efua', 'agent')).signIn();
  await agent.post(`/payments/${own.id}/notes`, { text: 'angry caller' });
  await agent.post(`/payments/${own.id}/assign`, { to: 'kofi' });
  await till.untilStatus(own.id, 'initiated');
  expect((await agent.get(`/payments/${own.id}`)).text).toContain('angry caller');
  const { text } = await browser.get(`/payments/${own.id}`);
  expect(text).toContain('Say to the caller');
  expect(text).toContain('initiated: the prompt was sent');
  for (const word of ['angry', 'efua', 'kofi', 'Never:', 'pay_', 'Technical', 'status: ', 'create: '])
    expect(text, word).not.toContain(word);
});

test('a decision of staff is a result in the timeline of the merchant, without names and evidence', async () => {
  const till = await createConsoleTill();
  const { id, version } = await payShort(till);
  const proposal = { outcome: 'accept', evidence: 'line 7', version };
  const proposed = await callStaff(till, 'ama', `/reviews/${id}/proposals`, proposal);
  expect(proposed.status).toBe(200);
  await callStaff(till, 'kofi', `/proposals/${String(proposed.body.id)}/approve`, {});
  expect((await till.only(short)).status).toBe('paid');
  const browser = await (await createAccount(till, 'esi', 'merchant', 'demo-shop')).signIn();
  const { text } = await browser.get(`/payments/${id}`);
  expect(text).toContain('decided: accept');
  for (const word of ['line 7', 'ama', 'kofi']) expect(text, word).not.toMatch(new RegExp(`\\b${word}\\b`));
});

test('the filters of a merchant have no merchant and no assignment', async () => {
  const { browser } = await createTwoShops();
  const { text } = await browser.get('/payments');
  expect(text).not.toMatch(/name="(merchant|assigned)"/);
  for (const filter of ['merchant=other-shop', 'merchant=demo-shop', 'assigned=kofi']) {
    const answer = await browser.get(`/payments?${filter}`);
    expect(answer.status, filter).toBe(422);
    expect(answer.text, filter).toContain('your list of payments does not have this filter');
  }
});

test('a merchant reads the totals of its own days, and not who of support staff closed one', async () => {
  const { till, browser } = await createTwoShops();
  const date = '2026-03-06';
  const agent = await (await createAccount(till, 'efua', 'agent')).signIn();
  const openOf = async (person: Browser) =>
    /days\/2026-03-06">[^<]*<\/a><\/td><td[^>]*>[^<]*<\/td><td[^>]*>(\d+)/.exec(
      (await person.get('/days')).text,
    )?.[1];
  expect([await openOf(agent), await openOf(browser)]).toEqual(['2', '1']);
  // Neither payer approves.
  await till.clock.advance(86_400_000);
  const totals = { opened: 1, paid: 0, notPaid: 1, chargedMinor: 0, feeMinor: 0, netMinor: 0 };
  await callStaff(till, 'kofi', `/days/${date}/close`, { merchantId: 'demo-shop', totals });
  // The sessions of the day before have ended.
  const next = await (await createAccount(till, 'abena', 'merchant', 'demo-shop')).signIn();
  const { text } = await next.get(`/days/${date}`);
  expect(text).toContain('demo-shop');
  expect(text).toContain('2026-03-07');
  for (const word of ['other-shop', 'kofi', 'merchant=', '/close']) expect(text, word).not.toContain(word);
  const nextAgent = await (await createAccount(till, 'yaw', 'agent')).signIn();
  expect((await nextAgent.get(`/days/${date}`)).text).toContain('by kofi');
  const close = await next.post(`/days/${date}/close`, { merchant: 'demo-shop' });
  expect(close.status).toBe(403);
});
