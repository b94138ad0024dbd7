import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { accountRoles } from '../../../src/contract/staff/account.ts';
import { showShortReference } from '../../../src/shared/short-reference.ts';
import { createAccount, createConsoleTill, payShort, plainText, short } from '../../kit/console.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import type { Till } from '../../kit/till.ts';
import { deliver, paidOf } from '../../kit/unplaced.ts';
import { unboundedScans } from './bounded-scans.ts';
import { createScene } from './scene.ts';

/** Prompts a payer, and loses every answer about the result until a retry is allowed. */
async function leaveWithoutResult(till: Till, payer: string): Promise<void> {
  await till.prompted(payer);
  till.faults.webhook = async () => new Response('', { status: 500 });
  till.faults.call = async (call, pass) =>
    call.name === 'status' ? new Response('', { status: 500 }) : pass();
  await till.until(async () => (await till.only(payer)).lapsedAt !== null, 15 * 60_000);
}

/** Returns what the card with a title says. */
function cardOf(page: string, title: string): string | undefined {
  const cards = [...page.matchAll(/<li class="card">(.*?)<\/li>/gs)].map(([, card = '']) => plainText(card));
  return cards
    .find((card) => card.startsWith(title))
    ?.slice(title.length)
    .trim();
}

test('the start page counts what waits, with the age of the oldest and the sum', async () => {
  const till = await createConsoleTill();
  await payShort(till);
  await deliver(till, paidOf('pay_elsewhere_1'));
  await leaveWithoutResult(till, '0244123456');
  const browser = await (await createAccount(till, 'efua', 'lead')).signIn();
  const { text } = await browser.get('/');
  expect(cardOf(text, 'To decide')).toMatch(
    /^1 payment GHS 20\.00 is the sum of the prices\. The oldest waits [\d a-z]+\.$/,
  );
  expect(cardOf(text, 'Unplaced money')).toMatch(/^1 payment GHS 20\.20 is in suspense\. /);
  expect(cardOf(text, 'Waiting too long')).toMatch(/^1 payment GHS 20\.00 is/);
  expect(cardOf(text, 'Proposals to approve')).toBe('None');
  expect(cardOf(text, 'Notifications failing')).toBe('None');
  expect(text).toContain('href="/console/payments"');
});

test('a proposal waits for the others who can approve it, until it ends, and not for its author', async () => {
  const till = await createConsoleTill();
  await payShort(till);
  const author = await createAccount(till, 'efua', 'lead');
  const other = await createAccount(till, 'yaw', 'finance');
  const agent = await createAccount(till, 'esi', 'agent');
  const browser = await author.signIn();
  const { id, version } = await till.only(short);
  const form = { outcome: 'accept', evidence: 'line 7', reference: '', version: String(version) };
  expect((await browser.post(`/payments/${id}/proposals`, form)).status).toBe(303);
  expect(cardOf((await browser.get('/')).text, 'Proposals to approve')).toBe('None');
  const home = async () => (await (await other.signIn()).get('/')).text;
  expect(cardOf(await home(), 'Proposals to approve')).toContain('1 proposal');
  expect(cardOf((await (await agent.signIn()).get('/')).text, 'Proposals to approve')).toBeUndefined();
  await till.clock.advance(24 * 3_600_000);
  expect(cardOf(await home(), 'Proposals to approve')).toBe('None');
});

test('the start page has a card with the notes that mention the person', async () => {
  const till = await createConsoleTill();
  const { id, shortReference } = await till.prompted('0244123456');
  const kwame = await createAccount(till, 'kwame', 'lead');
  const agent = await (await createAccount(till, 'efua', 'agent')).signIn();
  for (let count = 1; count <= 3; count++)
    await agent.post(`/payments/${id}/notes`, { text: `please look, @kwame, ${count}` });
  const { text } = await (await kwame.signIn()).get('/');
  expect(text).not.toContain('Nothing waits for you.');
  expect(cardOf(text, 'Notes that mention you')).toContain(
    `UTC, efua: ${showShortReference(shortReference)}`,
  );
  expect(text.match(new RegExp(`UTC, efua: <a href="/console/payments/${id}">`, 'g'))).toHaveLength(1);
  expect(cardOf((await agent.get('/')).text, 'Notes that mention you')).toBe('None');
});

test('the start page names an outage of the service and a rejected key', async () => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  expect((await browser.get('/')).text).not.toContain('role="alert"');
  till.faults.call = async () => new Response('{}', { status: 401 });
  await till.pay('0244123456');
  await till.clock.advance(5_000);
  expect((await browser.get('/')).text).toContain('The service rejects the key of demo-shop');
  expect(await (await till.gateway().app.request('/readyz')).json()).toMatchObject({ keyRejected: true });
  till.faults.call = async () => new Response('', { status: 500 });
  await till.clock.advance(10 * 60_000);
  const { text } = await (await (await createAccount(till, 'esi', 'agent')).signIn()).get('/');
  expect(text).toContain('The service does not answer for demo-shop');
});

test.each(accountRoles)('the start page of %s has the work of the role', async (role) => {
  const till = await createConsoleTill();
  const merchant = role === 'merchant' ? 'demo-shop' : null;
  const browser = await (await createAccount(till, 'efua', role, merchant)).signIn();
  const { status, location, text } = await browser.get('/');
  if (role === 'merchant') return expect(location).toBe('/console/payments');
  expect(status).toBe(200);
  expect(text.includes('Unplaced money')).toBe(role !== 'admin');
  expect(text.includes('Notifications failing')).toBe(role !== 'agent');
});

test('the start page is small, and reads only indexes of what waits', async () => {
  const { till, people } = await createScene();
  const plans = await queryPlansOf(till.config.database.file, async () => {
    const { status, text } = await people.lead.get('/');
    expect(status).toBe(200);
    expect(gzipSync(text).length).toBeLessThan(8 * 1024);
  });
  expect(unboundedScans(plans)).toEqual([]);
});
