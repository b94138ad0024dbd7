import { expect, test } from 'vitest';
import {
  type Browser,
  createAccount,
  createBrowser,
  createConsoleTill,
  password,
  payShort,
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
  expect(seen.text).toContain('merchant:demo-shop');
  const stale = await approver.post(`/proposals/${proposal}/approve`);
  expect(stale.location).toBe(`/console/confirm?page=proposals/${proposal}`);
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
  expect(await propose(browser, id, '2')).toContain('facts arrived since version 2');
  expect(await decisions(till)).toEqual([]);
});

test('a note and a hand-over stand in the story of the payment with the name', async () => {
  const till = await createConsoleTill();
  const { id } = await payShort(till);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  await createAccount(till, 'kofi', 'finance');
  const path = `/payments/${id}`;
  expect((await browser.post(`${path}/notes`, { text: 'called <b>twice</b>' })).location).toBe(
    `/console${path}`,
  );
  await browser.post(`${path}/assign`, { to: 'kofi' });
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
    expect(page.text, path).not.toMatch(/244123906/);
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
