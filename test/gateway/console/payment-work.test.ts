import { expect, onTestFinished, test } from 'vitest';
import type { CollectionRow } from '../../../src/gateway/collection/collection.ts';
import { readMentions } from '../../../src/gateway/console/home-query.ts';
import { showShortReference } from '../../../src/shared/short-reference.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { type Browser, createAccount, createConsoleTill, payShort, plainText } from '../../kit/console.ts';
import { withNotify } from '../../kit/receiver.ts';
import { callStaff, staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';

const payer = '0244123456';
const dialler = '0277654321';

/** A till whose merchant is notified, with an agent. */
async function start(): Promise<{ till: Till; agent: Browser }> {
  const till = await createConsoleTill({
    configure: withNotify,
    overrides: () => ({ notifyFetch: async () => ({ status: 500, body: new Response('no').body }) }),
  });
  await callStaff(till, 'adwoa', '/endpoints', {
    merchantId: 'demo-shop',
    url: 'https://shop.example/hooks',
  });
  return { till, agent: await (await createAccount(till, 'efua', 'agent')).signIn() };
}

/** A payment that another phone requested from the payer. */
async function requested(till: Till): Promise<CollectionRow> {
  await till.pay(dialler, ['2', payer, '1', '20', '1']);
  return till.only(payer);
}

const textsOf = (page: string) =>
  [...page.matchAll(/<li class="story"><time.*?<div>(.*?)<\/div>/gs)].map(([, text = '']) =>
    plainText(text).replaceAll(' :', ':'),
  );

test('the dialler and the payer are blocked for a reason and a time, without a number in the form, and unblocked again', async () => {
  const { till, agent } = await start();
  const { id } = await requested(till);
  const path = `/payments/${id}`;
  const page = await agent.get(path);
  const forms = page.text.slice(page.text.indexOf('id="blocks"'));
  expect(forms).not.toContain(dialler.slice(1));
  const block = { role: 'dialler', everywhere: '', length: 'week', reason: 'false requests' };
  expect((await agent.post(`${path}/block`, { ...block, length: 'ever' })).status).toBe(422);
  expect((await agent.post(`${path}/block`, { ...block, reason: '' })).status).toBe(422);
  expect((await agent.post(`${path}/block`, block)).location).toBe(`/console${path}`);
  const blocked = await agent.get(path);
  expect(blocked.text).toContain('<strong>The dialler may not request payments</strong> at demo-shop until');
  expect(textsOf(blocked.text).at(-1)).toMatch(
    /^efua: blocked the dialler at demo-shop until 2026-\d\d-\d\d \d\d:\d\d:\d\d: false requests$/,
  );
  await till.pay(dialler, ['2', '0559876543', '1', '20', '1']);
  expect(await till.find('0559876543')).toEqual([]);
  const unblock = { role: 'dialler', everywhere: '', reason: 'the owner called' };
  expect((await agent.post(`${path}/unblock`, unblock)).status).toBe(303);
  expect((await agent.post(`${path}/unblock`, unblock)).status).toBe(404);
  const after = await agent.get(path);
  expect(after.text).not.toContain('The dialler may not request payments</strong>');
  expect(textsOf(after.text).at(-1)).toBe('efua: unblocked the dialler at demo-shop: the owner called');
  expect(till.logged()).not.toContain(dialler.slice(1));
});

test('a notification about the payment is sent again, and one of another payment is not found', async () => {
  const { till, agent } = await start();
  const own = await requested(till);
  await till.pay('0201234567');
  const other = await till.only('0201234567');
  await till.clock.advance(2_000);
  const { text } = await agent.get(`/payments/${own.id}`);
  expect(text).toContain('Notifications to the merchant');
  const attempts = (page: string) =>
    Number(/https:\/\/shop\.example\/hooks: (\d+) attempts?, the last one 500 in \d+ ms/.exec(page)?.[1]);
  expect(attempts(text)).toBeGreaterThan(0);
  const [, endpoint = ''] = /name="endpoint" value="(ep_\w+)"/.exec(text) ?? [];
  const [, event = ''] = /name="event" value="(evt_\w+)"/.exec(text) ?? [];
  const resend = (id: string) => agent.post(`/payments/${id}/resend`, { endpoint, event });
  expect((await resend(other.id)).status).toBe(404);
  expect((await resend(own.id)).location).toBe(`/console/payments/${own.id}`);
  await till.clock.advance(2_000);
  const after = await agent.get(`/payments/${own.id}`);
  expect(attempts(after.text)).toBeGreaterThan(attempts(text));
  expect(textsOf(after.text).join('\n')).toContain(
    'efua: sent payment.opened again to https://shop.example/hooks',
  );
});

test('a person whom a note mentions sees it on the own account for a week; people of merchants do not', async () => {
  const { till, agent } = await start();
  const { id, shortReference } = await requested(till);
  const kwame = await createAccount(till, 'kwame', 'lead');
  const esi = await createAccount(till, 'esi', 'merchant', 'demo-shop');
  await agent.post(`/payments/${id}/notes`, { text: 'please look, @Kwame\r\n@esi\t@nobody, not mail@efua' });
  const account = await (await kwame.signIn()).get('/me');
  expect(account.text).toContain('<b>efua</b>');
  expect(account.text).toContain(
    `<a href="/console/payments/${id}">${showShortReference(shortReference)}</a>`,
  );
  for (const browser of [agent, await esi.signIn()])
    expect((await browser.get('/me')).text).not.toContain('Notes that mention you');
  const mentions = (await staffActions(till)).filter(({ action }) => action === 'mention');
  expect(mentions.map(({ detail }) => detail)).toEqual([{ name: 'kwame', collection: id }]);
  const store = createSqliteReader(till.config.database.file, { live: true });
  onTestFinished(() => store.close());
  const [{ subject = '' } = {}] = mentions;
  const seenAfter = (days: number) => readMentions(store, subject, till.clock.now() + days * 24 * 3_600_000);
  expect([await seenAfter(6), await seenAfter(8)].map(({ length }) => length)).toEqual([1, 0]);
});

test('a check and a hand-over can have a reason, which stands in the timeline with the name', async () => {
  const { till, agent } = await start();
  await createAccount(till, 'kofi', 'finance');
  const { id } = await till.prompted(payer);
  await till.clock.advance(60_000);
  const path = `/payments/${id}`;
  expect((await agent.post(`${path}/check`, { reason: 'the caller has an SMS' })).status).toBe(303);
  await agent.post(`${path}/assign`, { to: 'kofi', reason: 'my shift ends' });
  const texts = textsOf((await agent.get(path)).text).join('\n');
  expect(texts).toContain('efua: check now: the caller has an SMS');
  expect(texts).toContain('efua: assigned to kofi: my shift ends');
});

test('the case summary is plain text with masked numbers, also for a person who sees whole ones', async () => {
  const { till, agent } = await start();
  const { id, shortReference } = await requested(till);
  const path = `/payments/${id}`;
  await agent.post(`${path}/reveal`, { reason: 'to compare' });
  const { text } = await agent.get(path);
  expect(text).toContain(payer);
  const [, summary = ''] = /<pre id="case"[^>]*>(.*?)<\/pre>/s.exec(text) ?? [];
  expect(summary).toContain(`(${id})`);
  expect(summary).toContain('Payer: 024 ••• 3456 on mtn');
  expect(summary).toContain('Dialled by: 027 ••• 4321');
  expect(summary).toContain('efua: saw the whole numbers: to compare');
  for (const number of [payer, dialler]) expect(summary).not.toContain(number.slice(1));
  expect(summary).toContain(shortReference.slice(0, 4));
});

test('retries, payments with the same reference and payments of the same payer are linked by their ids', async () => {
  const { till } = await start();
  await till.pay(payer, ['3', 'INV-1234', '20', '1']);
  const [first] = await till.find(payer);
  await till.clock.advance(30 * 60_000);
  await till.pay('0201234567', ['3', 'INV-1234', '20', '1']);
  const [second] = await till.find('0201234567');
  await till.pay(payer, ['1', '35', '1']);
  const third = (await till.find(payer)).find(({ id }) => id !== first?.id);
  const agent = await (await createAccount(till, 'yaw', 'agent')).signIn();
  const { text } = await agent.get(`/payments/${first?.id}`);
  const related = text.slice(text.indexOf('id="related"'));
  const group = (title: string) => related.slice(related.indexOf(`<h3>${title}`)).split('<h3>')[1] ?? '';
  expect(group('With the same reference')).toContain(`/console/payments/${second?.id}`);
  expect(group('Of the same payer')).toContain(`/console/payments/${third?.id}`);
  expect(group('Of the same payer')).not.toContain(`/console/payments/${second?.id}`);
  expect(related).not.toMatch(/href="[^"]*(244123456|201234567)/);
});

test('a case that a colleague has taken is not taken by the button of an older page', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  const [efua, kofi] = [
    await (await createAccount(till, 'efua', 'agent')).signIn(),
    await (await createAccount(till, 'kofi', 'finance')).signIn(),
  ];
  for (const browser of [efua, kofi])
    expect((await browser.get('/desk')).text).toContain('name="from" value=""');
  expect((await kofi.post(`/payments/${id}/assign`, { to: 'kofi', from: '' })).status).toBe(303);
  const late = await efua.post(`/payments/${id}/assign`, { to: 'efua', from: '' });
  expect([late.status, late.text.includes('kofi has it now')]).toEqual([409, true]);
  // A hand-over that a person chooses names no one before.
  expect((await efua.post(`/payments/${id}/assign`, { to: 'efua' })).status).toBe(303);
});
