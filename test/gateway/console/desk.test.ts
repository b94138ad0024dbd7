import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { readCursor, workPage } from '../../../src/gateway/console/desk.tsx';
import { type WorkKind, workKinds } from '../../../src/gateway/console/desk-query.ts';
import { eventPath } from '../../../src/gateway/console/event.tsx';
import { createReads } from '../../../src/gateway/wiring/reads.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import {
  type Browser,
  createAccount,
  createConsoleTill,
  password,
  payShort,
  rowsOf,
} from '../../kit/console.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';
import { balancesOf, deliver, onlyUnplaced, paidOf } from '../../kit/unplaced.ts';
import { unboundedScans } from './bounded-scans.ts';
import { createScene } from './scene.ts';

const payer = '0244123456';

const rowOf = (page: string, start: string) => rowsOf(page).find(([first]) => first === start);

test('the desk counts work by its age, and lists the oldest first with the reason in words', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  await till.clock.advance(5 * 3_600_000);
  await deliver(till, paidOf('pay_elsewhere_1'));
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const { text } = await browser.get('/desk');
  expect(rowOf(text, 'To decide')?.slice(1)).toEqual(['–', '–', '1', '–', '–']);
  expect(rowOf(text, 'Unplaced money')?.slice(1)).toEqual(['1', '–', '–', '–', '–']);
  expect(text).toContain('2 of 2, the oldest first');
  expect(text.indexOf(`/console/payments/${id}`)).toBeLessThan(text.indexOf('/console/unplaced/unp_'));
  expect(text).toContain('Another amount than the quoted one arrived.');
  expect(text).toContain('No payment has its payment session.');
  const only = await browser.get('/desk?kind=unplaced');
  expect(only.text).toContain('1 of 1');
  expect(only.text).not.toContain(`/console/payments/${id}`);
});

/** An event of money that names no payment session. */
const dead = (id: string) => ({ ...paidOf('', id), data: {} });

const pageOf = (event: string) => `/events/${encodeURIComponent(`demo-shop:${event}`)}`;

test('an event that could not be handled waits on the desk, by its age', async () => {
  const till = await createConsoleTill();
  await deliver(till, dead('evt_dead'));
  await till.clock.advance(2 * 3_600_000);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const { text } = await browser.get('/desk?kind=events');
  expect(rowOf(text, 'Events not handled')?.slice(1)).toEqual(['–', '1', '–', '–', '–']);
  expect(text).toContain('The event evt_dead (payment.session.paid) could not be handled.');
  expect((await browser.get('/desk')).text).toContain('evt_dead');
  expect(text).toContain(`href="/console${pageOf('evt_dead')}">`);
});

test('the page of an event that could not be handled has its reason and its body, with masked numbers', async () => {
  const till = await createConsoleTill();
  await deliver(till, { ...dead('evt_dead'), data: { payer: '233244123456', note: '<b>024 412 3456</b>' } });
  const holder = await createAccount(till, 'efua', 'auditor');
  const browser = await holder.signIn();
  const { status, text } = await browser.get(pageOf('evt_dead'));
  expect(status).toBe(200);
  expect(text).toContain('The event reports money and names no payment session.');
  expect(text).toContain('href="/console/unplaced"');
  expect(text).toContain('23324****456');
  expect(text).toContain('&lt;b&gt;');
  expect(text.replaceAll(' ', '')).not.toContain('244123456');
  for (const id of ['demo-shop:evt_other', 'other-shop:evt_dead', 'evt_dead', ':', 'demo-shop:'])
    expect((await browser.get(`/events/${encodeURIComponent(id)}`)).status, id).toBe(404);
});

test('a handled event and a parked one have no page', async () => {
  const till = await createConsoleTill();
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_parked'));
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  expect((await browser.get(pageOf('evt_parked'))).status).toBe(404);
});

test('an event whose id has a number has no address', () => {
  expect(eventPath({ merchantId: 'demo-shop', eventId: 'evt_0244123456' })).toBe(null);
  expect(eventPath({ merchantId: 'demo-shop', eventId: 'a 1/2?3' })).toBe(
    '/console/events/demo-shop%3Aa%201%2F2%3F3',
  );
});

test('the pages of the desk have all work once, the oldest first', async () => {
  const till = await createConsoleTill();
  await payShort(till);
  for (const number of [1, 2, 3]) await deliver(till, paidOf(`pay_elsewhere_${number}`, `evt_${number}`));
  await deliver(till, dead('evt_dead'));
  const store = createSqliteReader(till.config.database.file, { live: true });
  onTestFinished(() => store.close());
  const reads = createReads(store);
  const walk = async (limit: number, kind?: WorkKind) => {
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const after = next === undefined ? undefined : (readCursor(next) ?? undefined);
      const now = till.clock.now();
      const desk = await reads.desk({ kinds: workKinds, livemode: 0, now, limit: limit + 1, after });
      const page = workPage(desk, now, { kind, limit });
      seen.push(...page.items.map(({ kind, why }) => `${kind} ${why}`));
      next = page.next;
    } while (next !== undefined);
    return seen;
  };
  const whole = await walk(100);
  // The money of the event without a session is unplaced, too.
  expect(whole).toHaveLength(6);
  expect(whole[0]).toContain('reviews');
  for (const limit of [1, 2, 6]) expect(await walk(limit), String(limit)).toEqual(whole);
  expect(await walk(1, 'unplaced')).toHaveLength(4);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  expect((await browser.get('/desk?after=x')).status).toBe(404);
});

test('a person takes a payment from the desk, and the others see who has it', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const auditor = await (await createAccount(till, 'esi', 'auditor')).signIn();
  const { text } = await browser.get('/desk');
  const [, form = ''] = /<form method="post" action="\/console([^"]+\/assign)">/.exec(text) ?? [];
  expect((await browser.post(form, { to: 'efua' })).location).toBe(`/console/payments/${id}`);
  const { text: seen } = await auditor.get('/desk');
  expect(rowsOf(seen).find((row) => row.includes('efua'))?.[1]).toBe('To decide demo-shop');
  expect(seen).not.toContain('Take it');
  expect((await browser.post(`/payments/${id}/assign`, { to: 'nobody' })).status).toBe(404);
});

/** A payment that the service reports with a payment session that no payment has, and a payment without money. */
async function payElsewhere(
  till: Till,
): Promise<{ unplaced: string; payment: string; shortReference: string }> {
  await till.prompted(payer);
  const { id, shortReference } = await till.declined();
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_1', { payer_msisdn: '233244123456' }));
  return { unplaced: (await onlyUnplaced(till)).id, payment: id, shortReference };
}

const evidence = 'statement of the service, line 12';

/** Proposes as one person, and returns the id of the proposal. */
async function propose(browser: Browser, unplaced: string, fields: Record<string, string>): Promise<string> {
  const { text } = await browser.get(`/unplaced/${unplaced}`);
  const [, version = ''] = /name="version" value="(\d+)"/.exec(text) ?? [];
  const answer = await browser.post(`/unplaced/${unplaced}/proposals`, { version, evidence, ...fields });
  expect(answer.status, answer.text).toBe(303);
  return answer.location?.slice('/console/proposals/'.length) ?? '';
}

test('a refused proposal about unplaced money keeps what was typed, with phone numbers masked', async () => {
  const till = await createConsoleTill();
  const { unplaced } = await payElsewhere(till);
  const browser = await (await createAccount(till, 'efua', 'lead')).signIn();
  const typed = { outcome: 'return', version: '9', evidence: 'the SMS of 0244123456', reference: 'TR-77' };
  const { status, text } = await browser.post(`/unplaced/${unplaced}/proposals`, typed);
  expect(status).toBe(409);
  expect(text).toMatch(/<textarea id="evidence-return"[^>]*>the SMS of [^<]*<\/textarea>/);
  expect(text).toMatch(/<textarea id="evidence-foreign"[^>]*><\/textarea>/);
  expect(text).toContain('value="TR-77"');
  expect(text).not.toContain('244123456');
});

test('unplaced money is matched: a suggestion, a proposal, its postings, and the approval of another person', async () => {
  const till = await createConsoleTill();
  const { unplaced, payment } = await payElsewhere(till);
  const proposer = await (await createAccount(till, 'efua', 'agent')).signIn();
  const yaw = await createAccount(till, 'yaw', 'finance');
  const approver = await yaw.signIn();
  const page = (await proposer.get(`/unplaced/${unplaced}`)).text;
  expect(page).toContain(`name="collectionId" value="${payment}"`);
  expect(page).not.toContain('244123456');
  const proposal = await propose(proposer, unplaced, { outcome: 'match', collectionId: payment });
  expect((await proposer.get(`/unplaced/${unplaced}`)).text).toContain(
    'efua proposes: it belongs to a payment',
  );
  await approver.post('/confirm', { password, code: await yaw.code(), page: `proposals/${proposal}` });
  const seen = (await approver.get(`/proposals/${proposal}`)).text;
  expect(seen).toContain('>demo-shop<');
  expect((await approver.post(`/proposals/${proposal}/approve`)).status).toBe(303);
  expect(await till.only(payer)).toMatchObject({ status: 'paid', unplacedId: unplaced });
  expect((await staffActions(till)).map(({ actor, action }) => `${actor} ${action}`)).toEqual(
    expect.arrayContaining(['efua propose', 'yaw approve']),
  );
  expect((await approver.get(`/unplaced/${unplaced}`)).text).toContain('<dd>placed</dd>');
  expect((await till.verify()).ok).toBe(true);
});

test('a payment is named by its short reference, and nothing is proposed for a term that finds none or several', async () => {
  const till = await createConsoleTill();
  const { unplaced, payment, shortReference } = await payElsewhere(till);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const fields = { outcome: 'match', evidence, version: '1' };
  for (const other of ['11112222', '', 'KA1024']) {
    const answer = await browser.post(`/unplaced/${unplaced}/proposals`, { ...fields, other });
    expect(answer.status, other).toBe(422);
    expect(answer.text).toContain('finds exactly one');
  }
  const proposal = await propose(browser, unplaced, { outcome: 'match', other: shortReference });
  expect((await browser.get(`/proposals/${proposal}`)).text).toContain(payment);
});

test('money goes back to the payer, or is declared as money of another channel, by two people', async () => {
  for (const fields of [{ outcome: 'return', reference: 'TRF-1' }, { outcome: 'foreign' }]) {
    const till = await createConsoleTill();
    const { unplaced } = await payElsewhere(till);
    const proposer = await (await createAccount(till, 'efua', 'lead')).signIn();
    const yaw = await createAccount(till, 'yaw', 'lead');
    const approver = await yaw.signIn();
    const proposal = await propose(proposer, unplaced, fields);
    expect((await proposer.post(`/proposals/${proposal}/approve`)).status).toBe(409);
    await approver.post('/confirm', { password, code: await yaw.code() });
    expect((await approver.post(`/proposals/${proposal}/approve`)).status).toBe(303);
    expect((await balancesOf(till)).suspense, fields.outcome).toBe(0);
  }
});

test('a proposal about an earlier version of unplaced money is refused, and the page says why', async () => {
  const till = await createConsoleTill();
  const { unplaced } = await payElsewhere(till);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const form = { outcome: 'foreign', evidence, version: '1' };
  await deliver(till, paidOf('pay_elsewhere_1', 'evt_2', { amount_minor: 2_100 }));
  const answer = await browser.post(`/unplaced/${unplaced}/proposals`, form);
  expect(answer.status).toBe(409);
  expect(answer.text).toContain('role="alert"');
  expect((await staffActions(till)).some(({ action }) => action === 'propose')).toBe(false);
});

test('a person takes unplaced money, from the list and from the desk, and the others see who has it', async () => {
  const till = await createConsoleTill();
  const { unplaced } = await payElsewhere(till);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const auditor = await (await createAccount(till, 'esi', 'auditor')).signIn();
  const path = `/unplaced/${unplaced}/assign`;
  for (const page of ['/unplaced', '/desk', `/unplaced/${unplaced}`]) {
    expect((await browser.get(page)).text, page).toContain(`action="/console${path}"`);
    expect((await auditor.get(page)).text, page).not.toContain('Take it');
  }
  expect((await browser.post(path, { to: 'efua' })).location).toBe(`/console/unplaced/${unplaced}`);
  for (const page of ['/unplaced', '/desk']) {
    const row = rowsOf((await auditor.get(page)).text).find((cells) => cells.includes('efua'));
    expect(row, page).toBeDefined();
  }
  expect((await auditor.get(`/unplaced/${unplaced}`)).text).toContain('efua has it.');
  await browser.post(path);
  expect((await auditor.get(`/unplaced/${unplaced}`)).text).not.toContain('has it.');
  expect((await browser.post(path, { to: 'nobody' })).status).toBe(404);
  expect((await browser.post('/unplaced/unp_none/assign')).status).toBe(404);
  expect((await auditor.post(path)).status).toBe(403);
});

test('unplaced money is found by amount, number, last digits, reference and id, in every state, without a number in an address', async () => {
  const till = await createConsoleTill();
  const { unplaced } = await payElsewhere(till);
  await deliver(
    till,
    paidOf('pay_elsewhere_2', 'evt_2', { amount_minor: 5_050, reference: 'KA-77 for Ama' }),
  );
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const search = async (q: string) => {
    const answer = await browser.post('/unplaced/search', { q });
    const path = answer.location?.slice('/console'.length);
    return { path, text: path === undefined ? answer.text : (await browser.get(path)).text };
  };
  for (const q of ['20.20', '3456', unplaced, unplaced.slice(0, 14), 'pay_elsewhere_1', 'evt_1']) {
    const { text } = await search(q);
    expect(text, q).toContain(`/console/unplaced/${unplaced}"`);
    expect(text, q).toContain('1 of 1');
  }
  expect((await search('50.50')).text).toContain('KA-77 for Ama');
  expect((await search('ka 77')).text).toContain('GHS 50.50');
  const byNumber = await search('024 412 3456');
  expect(byNumber.path).toBeUndefined();
  expect(byNumber.text).toContain(`/console/unplaced/${unplaced}"`);
  expect(byNumber.text).not.toContain('244123456');
  expect((await browser.get('/unplaced?q=0244123456')).status).toBe(422);
  expect((await search('99.99')).text).toContain('Nothing found for “99.99”.');
  expect(till.logged()).not.toContain('244123456');
});

test('an auditor reads unplaced money and proposes nothing', async () => {
  const till = await createConsoleTill();
  const { unplaced } = await payElsewhere(till);
  const auditor = await (await createAccount(till, 'esi', 'auditor')).signIn();
  const page = await auditor.get(`/unplaced/${unplaced}`);
  expect(page.status).toBe(200);
  expect(page.text).not.toContain(`${unplaced}/proposals"`);
  expect((await auditor.post(`/unplaced/${unplaced}/proposals`)).status).toBe(403);
  expect((await auditor.get('/unplaced/unp_none')).status).toBe(404);
});

test('the desk and the pages of unplaced money are small, and read only indexes of what waits', async () => {
  const { till, people } = await createScene();
  const { id } = await onlyUnplaced(till);
  const plans = await queryPlansOf(till.config.database.file, async () => {
    for (const path of ['/desk', '/desk?kind=reviews', '/unplaced', `/unplaced/${id}`]) {
      const { status, text } = await people.lead.get(path);
      expect(status, path).toBe(200);
      expect(gzipSync(text).length, path).toBeLessThan(8 * 1024);
    }
  });
  expect(unboundedScans(plans)).toEqual([]);
});
