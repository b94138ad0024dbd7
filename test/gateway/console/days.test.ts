import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Browser, createAccount, createConsoleTill } from '../../kit/console.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { callStaff, staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';
import { unboundedScans } from './bounded-scans.ts';
import { formsIn } from './forms.ts';
import { createScene } from './scene.ts';

const dayMs = 86_400_000;
const date = '2026-03-06';
const payer = '0244123456';

async function payOne(till: Till, by: string = payer): Promise<void> {
  await till.paidPayment(by);
}

const signIn = async (till: Till, name: string, role: 'finance' | 'lead' | 'auditor'): Promise<Browser> =>
  (await createAccount(till, name, role)).signIn();

/** Returns the form that closes a day, on the page that the one of the day leads to. */
async function closeForm(browser: Browser) {
  const [, path] =
    /href="\/console(\/days\/[^"]+\/close\?merchant=demo-shop)"/.exec(
      (await browser.get(`/days/${date}`)).text,
    ) ?? [];
  if (path === undefined) return undefined;
  const { text } = await browser.get(path);
  return formsIn(text, () => '').find(({ action }) => action.endsWith('/close'));
}

const closes = async (till: Till) =>
  (await staffActions(till))
    .filter(({ action }) => action === 'close_day')
    .map(({ actor, subject, detail }) => ({ actor, subject, detail }));

test('finance closes a day with the totals of the page, once, and the audit has them', async () => {
  const till = await createConsoleTill();
  await payOne(till);
  await till.clock.skip(dayMs);
  const browser = await signIn(till, 'yaw', 'finance');
  const form = await closeForm(browser);
  if (!form) throw new Error('no form');
  const result = async () => (await browser.get(`/days/${date}?done=closed&merchant=demo-shop`)).text;
  expect(await result()).not.toContain('demo-shop is closed.');
  const closed = await browser.post(form.action, form.fields);
  expect(closed.location).toBe(`/console/days/${date}?done=closed&merchant=demo-shop`);
  expect(await closes(till)).toEqual([
    {
      ...{ actor: 'yaw', subject: date },
      detail: {
        opened: 1,
        paid: 1,
        notPaid: 0,
        chargedMinor: 2_020,
        feeMinor: 20,
        netMinor: 2_000,
        statement: null,
      },
    },
  ]);
  expect(await result()).toContain('demo-shop is closed.');
  const { text } = await browser.get(`/days/${date}`);
  expect(text).toContain('by yaw');
  expect(await closeForm(browser)).toBeUndefined();
  const again = await browser.post(form.action, form.fields);
  expect(again.status).toBe(409);
  expect(again.text).toContain('yaw has closed 2026-03-06 with these totals');
  expect((await browser.get('/days')).text).toContain('1 of 1');
  expect((await browser.get(`/days?date=${date}`)).location).toBe(`/console/days/${date}`);
  expect((await till.verify()).ok).toBe(true);
});

test('a day that is not over, or has open payments or payments to decide, is not closed, and the answer says why', async () => {
  const till = await createConsoleTill();
  await payOne(till);
  const totals = { opened: 1, paid: 1, notPaid: 0, chargedMinor: 2_020, feeMinor: 20, netMinor: 2_000 };
  const close = (day: string, more: object = {}) =>
    callStaff(till, 'kofi', `/days/${day}/close`, { merchantId: 'demo-shop', totals, ...more });
  expect((await close(date)).body).toMatchObject({
    error: { message: expect.stringContaining('is not over') },
  });
  await till.prompted('0201234567');
  till.faults.webhook = async () => new Response('', { status: 500 });
  till.faults.call = async (call, pass) =>
    call.name === 'status' ? new Response('', { status: 500 }) : pass();
  await till.clock.skip(dayMs);
  const browser = await signIn(till, 'yaw', 'finance');
  expect(await closeForm(browser)).toBeUndefined();
  expect((await browser.get(`/days/${date}`)).text).toContain('1 payment open');
  expect((await close(date)).body).toMatchObject({
    error: { message: '2026-03-06 cannot be closed: open payments: 1' },
  });
  expect((await close('2026-02-30')).status).toBe(400);
  expect((await close(date, { merchantId: 'other-shop' })).status).toBe(404);
  expect(await closes(till)).toEqual([]);
});

test('totals that changed since the page was shown are refused, and those of a closed day are shown as changed', async () => {
  const till = await createConsoleTill();
  await payOne(till);
  await till.clock.skip(dayMs);
  const browser = await signIn(till, 'yaw', 'finance');
  const form = await closeForm(browser);
  if (!form) throw new Error('no form');
  const stale = await browser.post(form.action, { ...form.fields, paid: '0', chargedMinor: '0' });
  expect(stale.status).toBe(409);
  expect(stale.text).toContain('are not the ones that you saw');
  expect((await browser.post(form.action, { ...form.fields, paid: 'x' })).status).toBe(422);
  expect(await closes(till)).toEqual([]);
});

test('days that no one has closed wait on the start page of finance, where days are closed', async () => {
  const till = await createConsoleTill();
  await payOne(till);
  await till.clock.skip(dayMs);
  await payOne(till, '0201234567');
  const home = async () => (await (await signIn(till, `yaw-${till.clock.now()}`, 'finance')).get('/')).text;
  expect(await home()).not.toContain('not closed.');
  await till.clock.skip(dayMs);
  const browser = await signIn(till, 'esi', 'finance');
  const form = await closeForm(browser);
  if (!form) throw new Error('no form');
  await browser.post(form.action, form.fields);
  expect(await home()).toContain('<b>1 day is not closed.</b>');
});

test('leads and auditors see the totals of a day and cannot close it', async () => {
  const till = await createConsoleTill();
  await payOne(till);
  await till.clock.skip(dayMs);
  for (const role of ['lead', 'auditor'] as const) {
    const browser = await signIn(till, `the-${role}`, role);
    expect((await browser.get(`/days/${date}`)).text).toContain('>20.20<');
    expect(await closeForm(browser)).toBeUndefined();
    expect((await browser.post(`/days/${date}/close`)).status).toBe(403);
    expect((await browser.get('/days/2026-02-30')).status).toBe(404);
  }
});

test('the pages of days are small, and scan no table', async () => {
  const { till, people } = await createScene();
  const plans = await queryPlansOf(till.config.database.file, async () => {
    for (const path of ['/days', `/days/${date}`, '/']) {
      const { status, text } = await people.finance.get(path);
      expect(status, path).toBe(200);
      expect(gzipSync(text).length, path).toBeLessThan(8 * 1024);
    }
  });
  expect(plans.length).toBeGreaterThan(5);
  expect(unboundedScans(plans)).toEqual([]);
});

test('a statement with payments of which the books have none is shown, and a close before a later statement counts no more', async () => {
  const till = await createConsoleTill();
  await till.clock.skip(dayMs);
  const browser = await signIn(till, 'yaw', 'finance');
  const send = (lines: string) =>
    callStaff(till, 'kofi', `/days/${date}/statement`, {
      merchantId: 'demo-shop',
      content: `session_id,paid_at,status,price,fee,total\n${lines}`,
    });
  await send(`pay_1,${date} 09:00,paid,20.00,0.20,20.20\n`);
  const { text } = await browser.get(`/days/${date}`);
  expect(text).toMatch(
    /demo-shop<\/a><\/th><td[^>]*>0<\/td><td[^>]*>0\.00<\/td><td[^>]*>20\.20<\/td><td[^>]*>−20\.20</,
  );
  expect(text).toContain('In the statement, and unknown to the books.');
  expect(await closeForm(browser)).toBeUndefined();
  await send('');
  const form = await closeForm(browser);
  if (!form) throw new Error('no form');
  await browser.post(form.action, form.fields);
  expect((await browser.get(`/days/${date}`)).text).toContain('by yaw');
  await send(`pay_1,${date} 09:00,paid,20.00,0.20,20.20\n`);
  expect((await browser.get(`/days/${date}`)).text).toContain('The statement changed since.');
  expect((await browser.post(form.action, form.fields)).status).toBe(409);
});

test('a file with a fault is refused with its line, and a file by a stranger is not read', async () => {
  const till = await createConsoleTill();
  const browser = await signIn(till, 'yaw', 'finance');
  const upload = (content: string | Uint8Array<ArrayBuffer>, cookie = browser.cookie() ?? '') => {
    const form = new FormData();
    form.set('merchant', 'demo-shop');
    form.set('file', new Blob([content]), 'statement.csv');
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const path = `/console/days/${date}/statement`;
    return till.gateway().app.request(path, { method: 'POST', headers, body: form });
  };
  const bad = await upload('session_id,paid_at,status,price,fee,total\npay_1,yesterday,paid,1,1,2\n');
  expect([bad.status, await bad.text()]).toEqual([
    422,
    expect.stringContaining('line 2, column paid_at: expected a time'),
  ]);
  expect((await upload(new Uint8Array([0xff, 0xfe, 0]))).status).toBe(415);
  expect((await upload('x'.repeat(1_000_000))).status).toBe(422);
  expect((await upload('x'.repeat(3_000_000))).status).toBe(413);
  expect((await upload('x'.repeat(1_000_000), '')).status).toBe(413);
  expect(await staffActions(till)).not.toContainEqual(
    expect.objectContaining({ action: 'import_statement' }),
  );
});
