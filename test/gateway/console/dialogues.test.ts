import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { listUnopenedSessions } from '../../../src/gateway/support/session-query.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { type Browser, createAccount, createConsoleTill } from '../../kit/console.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import type { Till } from '../../kit/till.ts';

const leaves = '0500111222';

const signIn = async (till: Till, role: 'agent' | 'merchant' = 'agent'): Promise<Browser> =>
  (await createAccount(till, 'efua', role, role === 'merchant' ? 'demo-shop' : null)).signIn();

/** One caller pays, one chooses No, and one leaves on a screen. */
async function dial(till: Till): Promise<void> {
  await till.pay('0244123456');
  await till.pay('0201234567', ['1', '20', '2']);
  await till.pay(leaves, ['2', '0244123456']);
}

test('dialogues without a payment are listed with where they ended and the last screen, without a number', async () => {
  const till = await createConsoleTill();
  await dial(till);
  const browser = await signIn(till);
  const { text } = await browser.get('/dialogues');
  expect(text).toContain('2 dialogues without a payment, of 3 that were searched');
  expect(text).toContain('>No input on the last screen</td>');
  expect(text).toContain('>The caller chose No</td>');
  expect(text).not.toMatch(/500111222|244123456/);
  const only = await browser.get('/dialogues?end=cancelled&merchant=demo-shop');
  expect(only.text).toContain('1 dialogue without a payment, of 3');
  expect((await browser.get('/payments')).text).toContain('href="/console/dialogues"');
});

test('the page of a dialogue has its inputs and screens, and masks the numbers that were typed', async () => {
  const till = await createConsoleTill();
  await dial(till);
  const browser = await signIn(till);
  const { text: list } = await browser.get('/dialogues?end=unanswered');
  const [, path = ''] = /href="\/console(\/dialogues\/[^"?]+)"/.exec(list) ?? [];
  const { status, text } = await browser.get(path);
  expect(status).toBe(200);
  expect(text).toContain('The caller entered </span>024 ••• 3456');
  expect(text).toContain('class="chat"');
  expect(text).not.toMatch(/500111222|244123456/);
  expect(till.logged()).not.toContain('500111222');
  expect((await browser.get('/dialogues/dlg_none')).status).toBe(404);
});

test('people of a merchant do not read dialogues', async () => {
  const till = await createConsoleTill();
  const browser = await signIn(till, 'merchant');
  expect((await browser.get('/dialogues')).status).toBe(403);
  expect((await browser.get('/payments')).text).not.toContain('/console/dialogues');
});

test('the pages of dialogues follow each other, and each dialogue is on one of them', async () => {
  const till = await createConsoleTill();
  const phones = ['0500111220', '0500111221', '0500111222', '0500111223', '0500111224'];
  for (const phone of phones) await till.pay(phone, ['1']);
  // Its first screen is older than the dialogues of the others.
  await till.pay('0244123456');
  const store = createSqliteReader(till.config.database.file, { live: true });
  onTestFinished(() => store.close());
  const seen: string[] = [];
  for (let before: number | undefined, left = 5; left > 0; left--) {
    const { data, next } = await listUnopenedSessions(store, {}, { limit: 2, before });
    seen.push(...data.map(({ dialler }) => dialler));
    if (next === null) break;
    before = next;
  }
  expect(seen).toEqual(phones.toReversed().map((phone) => `233${phone.slice(1)}`));
});

test('dialogues that all opened a payment are searched with one statement', async () => {
  const till = await createConsoleTill();
  for (const phone of ['0244123456', '0244123457', '0244123458']) await till.pay(phone);
  const { file } = till.config.database;
  const store = createSqliteReader(file, { live: true });
  onTestFinished(() => store.close());
  const plans = await queryPlansOf(file, async () => {
    expect(await listUnopenedSessions(store, {}, { limit: 2 })).toEqual({
      data: [],
      next: null,
      searched: 3,
    });
  });
  expect(plans.map(({ steps }) => steps.filter((step) => step.startsWith('SEARCH')))).toEqual([
    [
      'SEARCH turn USING INTEGER PRIMARY KEY (rowid<?)',
      'SEARCH collection USING COVERING INDEX collection_dialogue (dialogue_id=?)',
      'SEARCH later USING COVERING INDEX turn_dialogue (dialogue_id=? AND rowid>?)',
    ],
  ]);
});

test('the list of dialogues is small', async () => {
  const till = await createConsoleTill();
  for (let index = 0; index < 50; index++) await till.pay(`05001112${String(index).padStart(2, '0')}`, ['1']);
  const { text } = await (await signIn(till)).get('/dialogues');
  expect(text).toContain('50 dialogues');
  expect(gzipSync(text).length).toBeLessThan(8 * 1024);
});
