import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createAccount, createConsoleTill, rowsOf } from '../../kit/console.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { callStaff, staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';
import { unboundedScans } from './bounded-scans.ts';
import { createScene } from './scene.ts';

const dialler = '0277654321';
const victims = ['0244123456', '0201234567'] as const;

/** The options of their networks. */
const networks = { '0244123456': '1', '0201234567': '2' };

/** A phone asks other phones to pay, and they decline. */
async function askOthers(till: Till): Promise<void> {
  for (const victim of victims) {
    await till.pay(dialler, ['2', victim, networks[victim], '20', '1']);
    await till.untilStatus(victim, 'initiated');
    await till.declined(victim);
    // A repeated request is asked about within some time.
    await till.clock.advance(2 * 3_600_000);
  }
  await till.pay('0261234567');
}

const blocksOf = async (till: Till) =>
  (await staffActions(till))
    .filter(({ action }) => action.endsWith('block'))
    .map(({ actor, action, subject, detail }) => ({ actor, action, subject, detail }));

test('a phone whose requests were declined is listed with its victims, and blocked by the payment', async () => {
  const till = await createConsoleTill();
  await askOthers(till);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const { text } = await browser.get('/abuse');
  expect(rowsOf(text, 'td')[1]?.slice(0, 4)).toEqual(['027 ••• 4321', 'another person', '2', '2']);
  const [, path = ''] = /href="\/console(\/abuse\/col_\w+)"/.exec(text) ?? [];
  const page = (await browser.get(path)).text;
  expect(rowsOf(page, 'td').map(([payer]) => payer)).toEqual([undefined, '020 ••• 4567', '024 ••• 3456']);
  const payment = path.slice('/abuse/'.length);
  const form = { payment, role: 'dialler', merchant: '', days: '7', reason: 'false requests' };
  expect((await browser.post('/abuse/blocks', form)).location).toBe(`/console${path}`);
  const until = till.clock.now() + 7 * 86_400_000;
  expect(await blocksOf(till)).toEqual([
    {
      ...{ actor: 'efua', action: 'block', subject: '233277654321' },
      detail: { role: 'dialler', reason: 'false requests', until },
    },
  ]);
  for (const seen of [(await browser.get('/abuse')).text, (await browser.get(path)).text]) {
    expect(seen).toContain('may not request payments');
    expect(seen).not.toContain('277654321');
  }
  await till.clock.advance(2 * 3_600_000);
  await till.pay(dialler, ['2', victims[0], '1', '20', '1']);
  expect(await till.find(dialler)).toHaveLength(2);
});

test('a payer of a request is protected from other phones, and the block is removed for a reason', async () => {
  const till = await createConsoleTill();
  await askOthers(till);
  const browser = await (await createAccount(till, 'efua', 'lead')).signIn();
  const { id: payment } = await till.only(victims[0]);
  const form = { payment, role: 'payer', merchant: 'demo-shop', days: '', reason: 'asked for it' };
  expect((await browser.post('/abuse/blocks', form)).status).toBe(303);
  const { text } = await browser.get('/abuse');
  expect(text).toContain('1 of 1 that hold');
  const [, path = ''] = /action="\/console(\/abuse\/blocks\/\d+\/remove)"/.exec(text) ?? [];
  expect((await browser.post(path, { reason: '' })).status).toBe(422);
  expect((await browser.post(path, { reason: 'asked again' })).location).toBe('/console/abuse');
  expect((await browser.post(path, { reason: 'asked again' })).status).toBe(404);
  expect((await blocksOf(till)).map(({ action, subject }) => [action, subject])).toEqual([
    ['block', '233244123456'],
    ['unblock', '233244123456'],
  ]);
});

test('a number that a person types is blocked, and an invalid one is refused, without a number on the page', async () => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'efua', 'finance')).signIn();
  const form = { role: 'dialler', merchant: '', days: '', reason: 'the caller of 0244123456' };
  const wrong = await browser.post('/abuse/blocks', { ...form, number: '02441234' });
  expect(wrong.status).toBe(422);
  expect(wrong.text).not.toContain('02441234');
  // What else was typed is there for the second try.
  expect(wrong.text).toContain('value="the caller of 23324****456"');
  expect((await browser.post('/abuse/blocks', { ...form, number: '024 412 3456' })).status).toBe(303);
  const { text } = await browser.get('/abuse');
  expect(text).toContain('the caller of 024 ••• 3456');
  expect(text).not.toContain('244123456');
  expect(till.logged()).not.toContain('244123456');
});

test('an auditor reads abuse and changes nothing, and a payment that does not exist is not found', async () => {
  const till = await createConsoleTill();
  await askOthers(till);
  const block = { msisdn: dialler, role: 'dialler', merchantId: null, reason: 'x', until: null };
  await callStaff(till, 'ama', '/blocks', block);
  const auditor = await (await createAccount(till, 'esi', 'auditor')).signIn();
  const { text } = await auditor.get('/abuse');
  expect(text).toContain('blocked');
  expect(text).not.toContain('/console/abuse/blocks');
  expect((await auditor.get('/abuse/col_none')).status).toBe(404);
  expect((await auditor.post('/abuse/blocks')).status).toBe(403);
});

test('the pages of abuse are small, and scan no table', async () => {
  const { till, people } = await createScene();
  const { id } = await till.only('0559876543');
  const plans = await queryPlansOf(till.config.database.file, async () => {
    for (const path of ['/abuse', '/abuse?before=9999', `/abuse/${id}`]) {
      const { status, text } = await people.lead.get(path);
      expect(status, path).toBe(200);
      expect(gzipSync(text).length, path).toBeLessThan(8 * 1024);
    }
  });
  expect(plans.length).toBeGreaterThan(5);
  expect(unboundedScans(plans)).toEqual([]);
  // An index of the action has every block that was ever made.
  const ofNumbers = plans.filter(({ sql }) => sql.includes('"block"."subject_id" in'));
  expect(new Set(ofNumbers.map(({ steps }) => steps[0]))).toEqual(
    new Set(['SEARCH block USING INDEX staff_action_subject (subject_id=?)']),
  );
});
