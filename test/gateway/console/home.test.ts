import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { registerInsights } from '../../../src/cli/commands/insights.ts';
import type { Insights } from '../../../src/contract/merchant/insights.ts';
import { accountRoles } from '../../../src/contract/staff/account.ts';
import { showShortReference } from '../../../src/shared/short-reference.ts';
import { runCommand } from '../../kit/command.ts';
import { createAccount, createConsoleTill, payHeld, payShort, plainText, short } from '../../kit/console.ts';
import { callApi, createMerchantKey } from '../../kit/merchant-api.ts';
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

/** Returns the sentences of the queue, each with its verb. */
function queueOf(page: string): string[] {
  const [, card = ''] = /aria-labelledby="needs"(.*?)<\/section>/s.exec(page) ?? [];
  const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(card) ?? [];
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    plainText(row).replaceAll(/\s+/g, ' ').trim(),
  );
}

/** Returns what the figure with an id says. */
function figureOf(page: string, id: string): string {
  const [, text = ''] = new RegExp(`id="figure-${id}">(.*?)</div>`, 's').exec(page) ?? [];
  return plainText(text).replaceAll(/\s+/g, ' ').trim();
}

test('the queue has a sentence and a verb for each kind of work, the oldest first', async () => {
  const till = await createConsoleTill();
  await payShort(till);
  await deliver(till, paidOf('pay_elsewhere_1'));
  await leaveWithoutResult(till, '0244123456');
  const browser = await (await createAccount(till, 'efua', 'lead')).signIn();
  const { text } = await browser.get('/');
  const queue = queueOf(text);
  expect(queue).toHaveLength(3);
  expect(queue[0]).toMatch(/^GHS 10\.10: .* demo-shop · taken by no one [\d a-z]+ Decide ?: GHS 10\.10:$/);
  expect(queue[1]).toMatch(/^GHS 20\.20 belongs to no payment\. .* Place ?: /);
  expect(queue[2]).toMatch(/^GHS 20\.20 has no result\. .* Check ?: /);
  expect(plainText(text)).toMatch(/To decide\s+1\s.*To place\s+1\s.*Waiting too long\s+1\s/s);
  expect(figureOf(text, 'waiting')).toMatch(/^Waiting for a result 1 GHS 20\.00\. The oldest waits /);
  expect(figureOf(text, 'suspense')).toMatch(
    /^In suspense GHS 30\.30 2 sums of money, of which 1 unplaced\. /,
  );
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
  const isListed = (page: string) =>
    queueOf(page).some((row) => row.startsWith('efua proposes to accept GHS'));
  expect(isListed((await browser.get('/')).text)).toBe(false);
  const home = async () => (await (await other.signIn()).get('/')).text;
  expect(isListed(await home())).toBe(true);
  expect(isListed((await (await agent.signIn()).get('/')).text)).toBe(false);
  await till.clock.advance(24 * 3_600_000);
  expect(isListed(await home())).toBe(false);
});

/** Returns what the menu counts, by the link. */
function menuCountsOf({ text }: { text: string }): Record<string, string> {
  const [, menu = ''] = /<nav id="nav"(.*?)<\/nav>/s.exec(text) ?? [];
  const counted = [...menu.matchAll(/<\/svg>([^<]+?) ?<span class="count">([^<]+)</g)];
  return Object.fromEntries(counted.map(([, link = '', count = '']) => [link.trim(), count]));
}

test('the menu counts what waits for the person on every page, up to 99', async () => {
  const till = await createConsoleTill();
  await payShort(till);
  await deliver(till, paidOf('pay_elsewhere_1'));
  const signIn = async (name: string, role: Parameters<typeof createAccount>[2]) =>
    (await createAccount(till, name, role)).signIn();
  const lead = await signIn('efua', 'lead');
  const finance = await signIn('yaw', 'finance');
  const agent = await signIn('esi', 'agent');
  const auditor = await signIn('adwoa', 'auditor');
  const { id, version } = await till.only(short);
  const form = { outcome: 'accept', evidence: 'line 7', reference: '', version: String(version) };
  await lead.post(`/payments/${id}/proposals`, form);
  const counts = async (browser: typeof lead, path = '/desk') => menuCountsOf(await browser.get(path));
  expect(await counts(lead)).toEqual({ Desk: '1', 'Unplaced money': '1' });
  expect(await counts(finance)).toEqual({ Desk: '1', Proposals: '1', 'Unplaced money': '1' });
  expect(await counts(agent, '/payments')).toEqual({ Desk: '1', 'Unplaced money': '1' });
  expect(await counts(auditor)).toEqual({});
  for (let count = 2; count <= 100; count++)
    await deliver(till, paidOf(`pay_elsewhere_${count}`, `evt_${count}`));
  expect(await counts(finance)).toMatchObject({ 'Unplaced money': '99+' });
});

test('the author of a refused proposal reads who refused it and why, until somebody proposes again', async () => {
  const till = await createConsoleTill();
  await payShort(till);
  const author = await (await createAccount(till, 'efua', 'lead')).signIn();
  const other = await (await createAccount(till, 'yaw', 'finance')).signIn();
  const { id, version } = await till.only(short);
  const form = { outcome: 'accept', evidence: 'line 7', reference: '', version: String(version) };
  await author.post(`/payments/${id}/proposals`, form);
  const [path = ''] = /\/proposals\/prp_\w+/.exec((await other.get('/proposals')).text) ?? [];
  await other.post(`${path}/refuse`, { reason: 'line 7 is of another payer' });
  const refusalIn = ({ text }: { text: string }) => queueOf(text).find((row) => row.includes('refused'));
  expect(refusalIn(await author.get('/'))).toMatch(
    /^yaw refused your proposal: “line 7 is of another payer” demo-shop .* Propose again ?: /,
  );
  expect(refusalIn(await other.get('/'))).toBeUndefined();
  await author.post(`/payments/${id}/proposals`, form);
  expect(refusalIn(await author.get('/'))).toBeUndefined();
});

test('the queue has the newest note of each payment that mentions the person', async () => {
  const till = await createConsoleTill();
  const { id, shortReference } = await till.prompted('0244123456');
  const kwame = await createAccount(till, 'kwame', 'lead');
  const agent = await (await createAccount(till, 'efua', 'agent')).signIn();
  for (let count = 1; count <= 3; count++)
    await agent.post(`/payments/${id}/notes`, { text: `please look, @kwame, ${count}` });
  const { text } = await (await kwame.signIn()).get('/');
  expect(queueOf(text)).toEqual([
    expect.stringMatching(
      new RegExp(`^efua mentions you in a note\\. ${showShortReference(shortReference)} .* Reply`),
    ),
  ]);
  expect((await agent.get('/')).text).toContain('Nothing needs you.');
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

test.each(accountRoles)('the start page of %s has the work and the figures of the role', async (role) => {
  const till = await createConsoleTill();
  await till.paidPayment('0244123456');
  const merchant = role === 'merchant' ? 'demo-shop' : null;
  const browser = await (await createAccount(till, 'efua', role, merchant)).signIn();
  const { status, text } = await browser.get('/');
  expect(status).toBe(200);
  expect(text.includes('id="needs"')).toBe(role !== 'merchant');
  expect(figureOf(text, 'paid').startsWith('Paid today GHS 20.20')).toBe(role !== 'admin');
  expect((await browser.get('/menu')).status).toBe(role === 'admin' ? 403 : 200);
});

test('people of a merchant see the figures of their merchant, and others those that they choose', async () => {
  const till = await createConsoleTill({
    configure(config) {
      const [shop] = config.merchants;
      if (shop) config.merchants.push({ ...shop, id: 'other-shop' });
    },
  });
  await till.paidPayment('0244123456');
  const own = await (await createAccount(till, 'efua', 'merchant', 'other-shop')).signIn();
  const lead = await (await createAccount(till, 'yaw', 'lead')).signIn();
  for (const path of ['', '?merchant=demo-shop'])
    expect(figureOf((await own.get(path)).text, 'paid')).toContain('GHS 0.00');
  expect((await own.get('/menu?merchant=demo-shop')).text).toContain('No one has dialled in these days.');
  expect(figureOf((await lead.get('?merchant=demo-shop')).text, 'paid')).toContain('GHS 20.20');
  expect(figureOf((await lead.get('?merchant=other-shop')).text, 'paid')).toContain('GHS 0.00');
});

test('the page of the menu shows each screen, how payers left it, and the kinds of refused inputs', async () => {
  const till = await createConsoleTill();
  await till.paidPayment('0244123456');
  const left = till.phone('0501234567');
  await left.dial();
  await left.press('Pay with this number');
  await left.type('20,5', 'twenty');
  await left.leave();
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const text = plainText((await browser.get('/menu?days=1')).text).replaceAll(/\s+/g, ' ');
  const amount = 'Amount in GHS, such as 20 or 20.50';
  expect(text).toContain(`Most payers are lost on “${amount}”. 1 of 2: 1 hung up.`);
  expect(text).toMatch(new RegExp(`${amount} amount 2 1 50 % 1 hung up \\d s`));
  expect(text).toMatch(new RegExp(`${amount}: refused inputs .* A comma, such as “20,50” 1 With letters 1 `));
  expect(text).not.toContain('twenty');
});

test('the page of the menu has titles from the menu file, where the merchants of the page have the same one', async () => {
  const till = await createConsoleTill({
    configure(config) {
      const [shop] = config.merchants;
      if (shop) config.merchants.push({ ...shop, id: 'other-shop', name: 'Other Shop' });
    },
  });
  await till.paidPayment('0244123456');
  const other = till.phone('0501234567');
  await other.dial();
  await other.press('Pay with another number');
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const screensOf = async (query: string) => {
    const { text } = await browser.get(`/menu${query}`);
    return [...text.matchAll(/<th scope="row">(.*?)<\/th><td class="n rest"/g)].map(([, one = '']) =>
      plainText(one).replaceAll('\u00a0', ' '),
    );
  };
  const amount = 'Amount in GHS, such as 20 or 20.50 amount';
  const number = 'Number that pays, such as 024 ••• 3456 number';
  expect(new Set(await screensOf(''))).toEqual(new Set([amount, number, 'Pay … to … confirm', 'welcome']));
  expect(new Set(await screensOf('?merchant=demo-shop'))).toEqual(
    new Set([amount, number, 'Pay … to Demo Shop confirm', 'Demo Shop welcome']),
  );
});

test('the start page is small, and reads only indexes of what waits', async () => {
  const { till, people } = await createScene();
  const plans = await queryPlansOf(till.config.database.file, async () => {
    const { status, text } = await people.lead.get('/');
    expect(status).toBe(200);
    expect(gzipSync(text).length).toBeLessThan(8 * 1024);
    expect((await people.lead.get('/menu?days=28')).status).toBe(200);
  });
  expect(unboundedScans(plans)).toEqual([]);
});

test('the start page says how long the prompts of a network take, when it is clearly longer than usual', async () => {
  const till = await createConsoleTill();
  for (let one = 100; one < 120; one++) await till.paidPayment(`0244123${one}`);
  // Half of them were prompted 20 s earlier, two days ago.
  const plant = async (set: string, where: string, rows: number) =>
    expect(await till.write([{ sql: `UPDATE collection SET ${set} WHERE ${where}`, args: [], rows }])).toBe(
      true,
    );
  const isRecent = "payer >= '233244123110'";
  await plant(
    'opened_at = opened_at - 172800000, initiate_sent_at = initiate_sent_at - 20000',
    `NOT ${isRecent}`,
    10,
  );
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const notice = async () =>
    /\w+ prompts took .*?, usually .*?\./.exec(plainText((await browser.get('/')).text))?.[0];
  await plant('initiate_sent_at = initiate_sent_at - 45000', isRecent, 10);
  expect(await notice()).toBeUndefined();
  await plant('initiate_sent_at = initiate_sent_at - 15000', isRecent, 10);
  expect(await notice()).toMatch(/^MTN prompts took 1 min( \d s)? in the last hour, usually 2\d s\.$/);
  const key = await createMerchantKey(till);
  const { body } = await callApi(till, key.secret, '/insights');
  const [slow] = (body as Insights).now.slow_prompts;
  expect(slow).toEqual({
    network: 'mtn',
    median_seconds: expect.any(Number),
    usual_seconds: expect.any(Number),
  });
  expect(slow?.median_seconds).toBeGreaterThanOrEqual(60);
  const { out } = await runCommand(['insights', '--db', 'till'], (program, { stdout }) =>
    registerInsights(program, { stdout, now: till.clock.now, database: () => till.ledger.location }),
  );
  expect(out).toMatch(/^MTN prompts took 1m(\ds)? in the last hour, usually 2\ds$/m);
  await plant('paid_at = NULL', "payer = '233244123110'", 1);
  expect(await notice()).toBeUndefined();
});

test('a figure of the overview and the list behind it count the same, and a proposal has its total', async () => {
  const till = await createConsoleTill();
  const held = await payHeld(till);
  await payShort(till);
  await deliver(till, paidOf('pay_elsewhere_1'));
  await till.prompted('0201234567');
  const lead = await (await createAccount(till, 'efua', 'lead')).signIn();
  const { text } = await lead.get('/');
  expect(figureOf(text, 'waiting')).toMatch(/^Waiting for a result 2 /);
  const waiting = await lead.get('/payments?status=waiting');
  expect(waiting.text).toContain('2 of 2');
  expect(waiting.text).toContain(held.id);
  expect(figureOf(text, 'suspense')).toMatch(/sums of money, of which 1 unplaced\. /);
  const { id, version } = await till.only(short);
  const form = { outcome: 'accept', evidence: 'line 7', reference: '', version: String(version) };
  await lead.post(`/payments/${id}/proposals`, form);
  const other = await (await createAccount(till, 'yaw', 'finance')).signIn();
  expect(queueOf((await other.get('/')).text).join(' ')).toContain('efua proposes to accept GHS 10.10.');
  expect(plainText((await other.get('/desk')).text)).toContain('efua proposes to accept it');
});

test('an admin, who reads endpoints and no cases, reads that notifications fail', async () => {
  const { people } = await createScene();
  const { text } = await people.admin.get('/');
  expect(plainText(text)).toContain('Notifications failing 1');
  expect(queueOf(text).join(' ')).toContain('An endpoint');
  expect(text).not.toContain('Nothing needs you.');
});

test('the figures of a language have no payments, and a language that no menu has is refused', async () => {
  const till = await createConsoleTill();
  await till.paidPayment('0244123456');
  const lead = await (await createAccount(till, 'efua', 'lead')).signIn();
  expect((await lead.get('/menu')).text).toContain('id="figure-paid"');
  const twi = await lead.get('/menu?language=TW');
  expect(twi.text).not.toContain('id="figure-paid"');
  expect(twi.text).not.toContain('After the confirmation');
  expect(twi.text).not.toContain('No one has dialled');
  expect(twi.text).toContain('No dialogue in the language “tw” in these days.');
  const unknown = plainText((await lead.get('/menu?language=fr')).text);
  expect(unknown).toContain('No menu has the language “fr”. Write one of en, tw');
});

test('an empty ledger advises no removal of a filter', async () => {
  const till = await createConsoleTill();
  const lead = await (await createAccount(till, 'efua', 'lead')).signIn();
  const { text } = await lead.get('/payments');
  expect(text).toContain('A payment appears here when a payer has confirmed it.');
  expect(text).not.toContain('Remove a filter');
});
