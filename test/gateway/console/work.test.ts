import { expect, test } from 'vitest';
import { toMoves } from '../../../src/gateway/console/proposals.tsx';
import {
  type Browser,
  createAccount,
  createBrowser,
  createConsoleTill,
  password,
  payShort,
  rowsOf,
  short,
} from '../../kit/console.ts';
import { staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';

const decisions = async (till: Till) =>
  (await staffActions(till))
    .filter(({ action }) => ['note', 'assign', 'propose', 'approve', 'refuse'].includes(action))
    .map(({ actor, action, result }) => `${actor} ${action} ${result}`);

async function propose(browser: Browser, id: string, version?: string): Promise<string> {
  const page = await browser.get(`/payments/${id}`);
  const [, seen = ''] = /name="version" value="(\d+)"/.exec(page.text) ?? [];
  const form = {
    outcome: 'accept',
    evidence: 'line 7 of the statement',
    reference: '',
    version: version ?? seen,
  };
  const answer = await browser.post(`/payments/${id}/proposals`, form);
  if (answer.status !== 303) return answer.text;
  const [, proposal = ''] =
    /\/console\/proposals\/(prp_\w+)/.exec((await browser.get(`/payments/${id}`)).text) ?? [];
  return proposal;
}

test('one person proposes, and another one with a fresh password sees the postings and approves', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  const efua = await createAccount(till, 'efua', 'lead');
  const yaw = await createAccount(till, 'yaw', 'finance');
  const [proposer, approver] = [await efua.signIn(), await yaw.signIn()];
  await till.clock.advance(6 * 60_000);
  expect((await proposer.get('/desk')).text).toContain(`/console/payments/${id}`);
  const proposal = await propose(proposer, id);
  expect(proposal).toMatch(/^prp_/);

  await proposer.post('/confirm', { password, code: await efua.code(), page: 'proposals' });
  const own = await proposer.post(`/proposals/${proposal}/approve`);
  expect(own.status).toBe(409);
  expect(own.text).toContain('another person must approve');
  const seen = await approver.get(`/proposals/${proposal}`);
  expect(seen.text).toContain('>demo-shop<');
  const stale = await approver.post(`/proposals/${proposal}/approve`);
  expect(stale.location).toBe(`/console/confirm?page=proposals/${proposal}&unsent=1`);
  const confirmed = await approver.post('/confirm', {
    ...{ password, code: await yaw.code(), page: `proposals/${proposal}` },
  });
  expect(confirmed.location).toBe(`/console/proposals/${proposal}`);
  const approved = await approver.post(`/proposals/${proposal}/approve`);
  expect(approved).toMatchObject({ status: 303, location: `/console/proposals/${proposal}` });
  expect(await till.only(short)).toMatchObject({ status: 'paid', review: null });
  expect(await decisions(till)).toEqual(['efua propose done', 'efua approve refused', 'yaw approve done']);
  expect((await till.verify()).ok).toBe(true);
});

test('a decision about an earlier version of a payment is refused', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  const browser = await (await createAccount(till, 'efua', 'lead')).signIn();
  const refused = await propose(browser, id, '2');
  expect(refused).toContain('facts arrived since version 2');
  // The form with the new version is on the page that shows what has changed.
  expect(refused).toContain('See what has changed');
  expect(refused).not.toContain('name="version"');
  expect(refused).toContain('line 7 of the statement');
  expect(await decisions(till)).toEqual([]);
});

test('a note and a hand-over stand in the story of the payment with the name, and no one loses it by default', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  await createAccount(till, 'kofi', 'finance');
  const path = `/payments/${id}`;
  expect((await browser.post(`${path}/notes`, { text: 'called <b>twice</b>' })).location).toBe(
    `/console${path}`,
  );
  const choices = async () => {
    const [, options = ''] = /<select id="to".*?>(.*?)<\/select>/s.exec((await browser.get(path)).text) ?? [];
    return [...options.matchAll(/<option([^>]*)>([^<]*)/g)].map(([, at = '', words]) =>
      at.includes('selected') ? `[${words}]` : words,
    );
  };
  expect(await choices()).toEqual(['[Choose a person]', 'efua', 'kofi']);
  await browser.post(`${path}/assign`, { to: 'kofi' });
  expect(await choices()).toEqual(['efua', '[kofi]', 'No one']);
  const { text } = await browser.get(path);
  expect(text).toContain('called &lt;b&gt;twice&lt;/b&gt;');
  expect(text).toContain('assigned to kofi');
  expect((await browser.post(`${path}/notes`, { text: ' ' })).status).toBe(422);
  expect(await decisions(till)).toEqual(['efua note done', 'efua assign done']);
});

test('an agent cannot approve, and an auditor sees everything and has no forms', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  const agent = await (await createAccount(till, 'efua', 'agent')).signIn();
  const auditor = await (await createAccount(till, 'esi', 'auditor')).signIn();
  const proposal = await propose(agent, id);
  expect((await agent.post(`/proposals/${proposal}/approve`)).status).toBe(403);
  const page = await auditor.get(`/payments/${id}`);
  expect(page.status).toBe(200);
  expect(page.text).not.toContain('Add the note');
  expect((await auditor.post(`/payments/${id}/notes`, { text: 'x' })).status).toBe(403);
  const audit = await auditor.get('/audit');
  expect(audit.text).toContain('propose');
  expect((await agent.get('/audit')).status).toBe(403);
});

test('the lists of unplaced money and endpoints are pages, without a number', async () => {
  const till = await createConsoleTill();
  await payShort(till);
  const browser = await (await createAccount(till, 'efua', 'lead')).signIn();
  for (const path of ['/unplaced', '/endpoints', '/audit', '/desk']) {
    const page = await browser.get(path);
    expect(page.status, path).toBe(200);
    expect(page.text, path).not.toMatch(/244123806/);
  }
  expect((await browser.get('/audit?after=nonsense')).status).toBe(404);
});

test('without the demo, no account signs in without a password', async () => {
  const till = await createConsoleTill();
  await createAccount(till, 'efua', 'lead');
  for (const open of ['efua', 'ama', '']) {
    const answer = await createBrowser(till).post('/sign-in', { open });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([422, null]);
  }
});

test('a live gateway refuses accounts without a password', async () => {
  const openAccounts = [{ name: 'efua', role: 'lead' }] as const;
  const live = createConsoleTill({
    overrides: () => ({ openAccounts }),
    configure(config) {
      config.environment = 'live';
    },
  });
  await expect(live).rejects.toThrow('a live gateway has no open accounts');
});

test('a page says once what its form did, and a refused form says nothing of it', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  const efua = await createAccount(till, 'efua', 'lead');
  const kofi = await createAccount(till, 'kofi', 'finance');
  const [author, other] = [await efua.signIn(), await kofi.signIn()];
  const proposal = await propose(author, id);
  const path = `/proposals/${proposal}`;
  const refused = await other.post(`${path}/refuse`, { reason: '' });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('<details open');
  const done = 'Refused. The author reads the reason on the overview.';
  expect((await other.get(path)).text).not.toContain(done);
  expect((await other.post(`${path}/refuse`, { reason: 'another amount' })).status).toBe(303);
  const first = await other.get(path);
  expect(first.text).toContain(`<div>${done}</div>`);
  expect(first.text).toContain('kofi refused it:</b> “another amount”');
  expect((await other.get(path)).text).not.toContain(done);
  expect((await author.get('/proposals?of=own')).text).toContain('“another amount”');
});

test('the inbox has a sentence and an amount for others, and no approval of the own proposal', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  const efua = await createAccount(till, 'efua', 'lead');
  const kofi = await createAccount(till, 'kofi', 'finance');
  const [author, other] = [await efua.signIn(), await kofi.signIn()];
  const proposal = await propose(author, id);
  const inbox = (await other.get('/proposals')).text;
  expect(inbox).toContain('Give GHS 10.10 from suspense to demo-shop for the payment ');
  expect(inbox).toMatch(/Approve GHS\s10\.10/);
  expect(inbox).not.toContain('books nothing');
  const own = (await author.get('/proposals?of=own')).text;
  expect(own).toContain('Withdraw the proposal');
  expect(own).not.toContain(`${proposal}/approve`);
  expect(rowsOf(own)).toEqual(rowsOf(inbox));
  expect((await author.get('/proposals')).text).toContain('No proposal waits for you.');
});

test('postings are shown as transfers from one account to another', () => {
  const side = (account: string, amountMinor: number) => ({ booking: 'release', account, amountMinor });
  expect(
    toMoves([side('suspense', -1_010), side('merchant:demo-shop', 990), side('service_fees', 20)]),
  ).toEqual([
    { booking: 'release', from: 'suspense', to: 'merchant:demo-shop', amountMinor: 990 },
    { booking: 'release', from: 'suspense', to: 'service_fees', amountMinor: 20 },
  ]);
});
