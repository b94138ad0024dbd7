import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { exportPages, readBookings } from '../../../src/gateway/support/export/export-query.ts';
import { createAccount, createConsoleTill } from '../../kit/console.ts';
import { staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';
import { payer } from './two-shops.ts';

const date = '2026-03-06';
const payers = [payer, '0244123457', '0244123458'];

async function payAll(): Promise<Till> {
  const till = await createConsoleTill();
  for (const one of payers) {
    await till.paidPayment(one);
  }
  return till;
}

const cellsOf = (text: string) =>
  [...text.matchAll(/<td[^>]*>(?:<a[^>]*>)?([^<]*)/g)].map(([, cell]) => cell);

test('a day shows each booking once and in order, and its amounts add up to the balances', async () => {
  const till = await payAll();
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  expect((await browser.get(`/days/${date}`)).text).toContain(`/console/days/${date}/bookings`);
  const { text } = await browser.get(`/days/${date}/bookings`);
  expect(text).toContain('3 bookings');
  const rows = await Promise.all(payers.map((one) => till.only(one)));
  const references = cellsOf(text).filter((cell) => rows.some((row) => row.shortReference === cell));
  expect(references).toEqual(rows.map(({ shortReference }) => shortReference));
  // Three payments of GHS 20.00 with a fee of GHS 0.20.
  expect(text).toMatch(/>demo-shop<\/th><td[^>]*>60\.00/);
  expect(text).toMatch(/payers<\/th><td[^>]*>−60\.60/);
  expect(text).toMatch(/This page<\/th>(<td[^>]*><\/td>){3}<td[^>]*>60\.60<\/td><td[^>]*>0\.60/);
  expect((await browser.get(`/days/${date}/bookings?merchant=other-shop`)).text).toContain('No bookings');
  expect((await browser.get('/days/2026-03-07/bookings')).text).toContain('No bookings');
  expect((await browser.get('/days/2026-02-30/bookings')).status).toBe(404);
  expect((await browser.get(`/days/${date}/bookings?after=x`)).status).toBe(404);
});

test('the file of a day has the bookings of the page, with masked numbers, and each export is in the audit', async () => {
  const till = await payAll();
  const agent = await (await createAccount(till, 'efua', 'agent')).signIn();
  const lead = await (await createAccount(till, 'yaw', 'lead')).signIn();
  const path = `/days/${date}/bookings.csv`;
  const file = await agent.get(path);
  const lines = file.text.trim().split('\r\n');
  expect(lines).toHaveLength(4);
  for (const one of payers) expect(file.text).toContain((await till.only(one)).id);
  expect(file.text).toContain('23324****456');
  expect(file.text).not.toContain('244123456');
  expect((await agent.get(`${path}?numbers=whole`)).status).toBe(403);
  expect((await agent.get(`${path}?numbers=all`)).status).toBe(422);
  // The same lines as those of the command.
  const whole = (await lead.post(`/days/${date}/export`, { reason: 'the bank asks' })).text;
  const exported = await till.read(async (store) => {
    const ids: string[] = [];
    for await (const page of exportPages({ read: (work) => work(store) }, {}, 'booked'))
      ids.push(...page.map(({ subject }) => subject.row.id));
    return ids;
  });
  expect(
    whole
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split('","')[0]?.slice(1)),
  ).toEqual(exported);
  expect(whole).toContain('233244123456');
  const actions = (await staffActions(till)).filter(({ action }) => action.endsWith('export'));
  expect(
    actions.map(({ actor, action, result, detail }) => [
      actor,
      action,
      result,
      (detail as { rows?: number }).rows,
    ]),
  ).toEqual([
    ['efua', 'start_export', 'done', undefined],
    ['efua', 'export', 'done', 3],
    ['efua', 'export', 'refused', undefined],
    ['yaw', 'start_export', 'done', undefined],
    ['yaw', 'export', 'done', 3],
  ]);
  expect(actions[0]?.detail).toMatchObject({ of: 'bookings', filter: { date }, numbers: 'masked' });
});

test('pages of bookings follow each other without a gap', async () => {
  const till = await payAll();
  await till.read(async (store) => {
    const idsOf = async (limit: number, after?: string) => {
      const part = await readBookings(store, {}, { limit, after });
      if (part === 'unknown_cursor') throw new Error('the cursor is unknown');
      return { ids: part.data.map(({ subject }) => subject.row.id), next: part.next };
    };
    const found: string[] = [];
    let part = await idsOf(1);
    for (;;) {
      expect(part.ids).toHaveLength(1);
      found.push(...part.ids);
      if (part.next === null) break;
      part = await idsOf(1, part.next);
    }
    expect(found).toEqual((await idsOf(100)).ids);
    expect(found).toHaveLength(3);
  });
});

test('a booking belongs to the day on which it was made, whenever its payment was opened', async () => {
  const till = await createConsoleTill();
  const midnight = Date.parse('2026-03-07T00:00:00.000Z');
  await till.clock.advance(midnight - 20_000 - till.clock.now());
  await till.prompted(payer);
  await till.clock.advance(Math.max(0, midnight - till.clock.now()));
  await till.approved(payer);
  const browser = await (await createAccount(till, 'efua', 'auditor')).signIn();
  expect((await browser.get(`/days/${date}/bookings`)).text).toContain('No bookings');
  const { text } = await browser.get('/days/2026-03-07/bookings');
  expect(text).toContain('1 booking');
  expect(text).toContain((await till.only(payer)).shortReference);
});

test('the page and the file have the mode of the gateway only', async () => {
  const till = await payAll();
  const [first = ''] = payers;
  const { id } = await till.only(first);
  const file = new Database(till.config.database.file ?? '');
  onTestFinished(() => void file.close());
  file
    .prepare(`INSERT INTO posting (subject_id, merchant_id, livemode, version, booking, account, amount_minor, at)
      VALUES (?, 'demo-shop', 1, 99, 'paid', 'merchant:demo-shop', 7, ?)`)
    .run(id, till.clock.now());
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  expect((await browser.get(`/days/${date}/bookings`)).text).toContain('3 bookings');
  const { text } = await browser.get(`/days/${date}/bookings.csv`);
  expect(text.trim().split('\r\n')).toHaveLength(4);
});

test('people of a merchant have no bookings', async () => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'esi', 'merchant', 'demo-shop')).signIn();
  for (const path of [`/days/${date}/bookings`, `/days/${date}/bookings.csv`])
    expect((await browser.get(path)).status, path).toBe(403);
  expect((await browser.get(`/days/${date}`)).text).not.toContain('bookings');
});

test('an exported file carries the name of its day, whenever it is exported', async () => {
  const till = await payAll();
  await till.clock.advance(3 * 86_400_000);
  const browser = await (await createAccount(till, 'yaw', 'lead')).signIn();
  const nameOf = async (path: string) => (await browser.get(path)).headers.get('content-disposition');
  expect(await nameOf(`/days/${date}/bookings.csv`)).toBe(`attachment; filename="bookings-${date}.csv"`);
  const ofDay = `/export.csv?from=${date}&to=${date}`;
  expect(await nameOf(ofDay)).toBe(`attachment; filename="payments-${date}.csv"`);
  expect(await nameOf('/export.csv')).toBe('attachment; filename="payments-2026-03-09.csv"');
});
