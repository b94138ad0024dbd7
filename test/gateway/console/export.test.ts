import { expect, onTestFinished, test } from 'vitest';
import {
  createExportStream,
  type ExportEnd,
  fileLine,
} from '../../../src/gateway/console/parts/export-stream.ts';
import { listNotes } from '../../../src/gateway/console/payments.tsx';
import { paymentColumns } from '../../../src/gateway/console/payments-query.ts';
import { listCollections, measureList, readListPart } from '../../../src/gateway/support/list-query.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { createAccount, createConsoleTill, password, plainText } from '../../kit/console.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { callWithConfiguration, staffActions } from '../../kit/staff.ts';
import { createTill, type Till } from '../../kit/till.ts';
import { createTwoShops } from './two-shops.ts';

const payer = '0244123456';
const other = '0201234567';

/** One payment is paid, one was requested by another phone, one waits. */
async function threePayments(till: Till): Promise<void> {
  await till.paidPayment();
  await till.pay(other, ['2', '0244120001', '1', '20', '1']);
  await till.prompted('0244120002');
}

/** Returns the cells of a file, without the first line. */
function cellsOf(csv: string): string[][] {
  const lines = csv.trim().split('\r\n').slice(1);
  return lines.map((line) => [...line.matchAll(/"([^"]*)"/g)].map(([, cell = '']) => cell));
}

/** Returns the cells of the payments on a page. */
function rowsOf(page: string): string[][] {
  const [, table = ''] = /<table class="list">(.*?)<\/table>/s.exec(page) ?? [];
  return [...table.matchAll(/<tr>(.*?)<\/tr>/gs)]
    .map(([, row = '']) =>
      [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) =>
        cell.replaceAll(/<[^>]+>/g, '').trim(),
      ),
    )
    .filter((row) => row.length > 0);
}

/** Writes the cells of a file as the page shows them. */
function asShown([, openedAt = '', status = '', price = '', total = '', ...more]: string[]) {
  const [phone = '', dialler = '', reference = '', , , , merchant = '', network = ''] = more;
  const numbers = [phone, dialler].map((one) => one.replace(/^233(..)\*+/, '0$1'));
  // The page spaces a made reference, as payers read it out.
  const spaced = reference.replace(/^'/, '').replace(/^(\d{4})(\d{4})$/, '$1 $2');
  const names = [merchant, network.toUpperCase(), spaced];
  return [openedAt.slice(11, 16), status, total, price, ...numbers, ...names];
}

function readerOf(till: Till) {
  const store = createSqliteReader(till.config.database.file, { live: true });
  onTestFinished(() => store.close());
  return { store };
}

test.each(['', '?status=paid', '?min=20&max=20', '?q=20.00', '?status=expired'])(
  'the file of the list %j has the rows and columns of the screen, with masked numbers',
  async (query) => {
    const till = await createConsoleTill();
    await threePayments(till);
    const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
    const screen = await browser.get(`/payments${query}`);
    const file = await browser.get(`/export.csv${query}`);
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="payments-[\d-]+\.csv"$/);
    const shown = cellsOf(file.text).map(asShown);
    const rows = rowsOf(screen.text).map((row) =>
      // A masked number of the page has four digits at the end, one of the file has three.
      row.map((cell) => cell.replace(/^(\d{3}) ••• \d(\d{3})$/, '$1$2')),
    );
    // The page has the column of the dialler only when a row needs it.
    expect(shown).toEqual(rows.map((row) => (row.length === 9 ? row : row.toSpliced(5, 0, ''))));
    expect(file.text).not.toContain('244123456');
    if (rows.length > 0) expect(screen.text).toContain('/console/export.csv?');
  },
);

test('lead and finance export whole numbers for a reason, soon after the password; others are refused', async () => {
  const till = await createConsoleTill();
  await threePayments(till);
  for (const role of ['lead', 'finance'] as const) {
    const holder = await createAccount(till, role, role);
    const browser = await holder.signIn();
    expect((await browser.get('/payments')).text).toContain('/console/export"');
    expect(await browser.get('/export.csv?numbers=whole&status=paid')).toMatchObject({
      ...{ status: 303, location: '/console/export?status=paid' },
    });
    await till.clock.advance(6 * 60_000);
    const reason = `asked for by the police, call of ${payer}`;
    // The filter stays: a file with every payer would be another one than was asked for.
    const page = 'export?status=paid&merchant=demo-shop';
    const back = `/console/confirm?page=${encodeURIComponent(page)}`;
    expect((await browser.get(`/${page}`)).location).toBe(back);
    expect((await browser.post(`/${page}`, { reason })).location).toBe(`${back}&unsent=1`);
    expect((await browser.get(`/export?q=${'x'.repeat(400)}`)).location).toBe('/console/confirm?page=');
    const confirmed = await browser.post('/confirm', { password, code: await holder.code(), page });
    expect(confirmed.location).toBe(`/console/${page}`);
    const asked = (await browser.get(`/${page}`)).text;
    expect(asked).toContain('Export the whole numbers');
    expect(plainText(asked)).toContain('Only: status paid, merchant demo-shop');
    expect((await browser.post('/export', { reason: ' ' })).status).toBe(422);
    const { text } = await browser.post('/export', { reason });
    const [started] = (await staffActions(till)).filter(
      ({ actor, action }) => actor === role && action === 'start_export',
    );
    expect(started?.detail).toMatchObject({
      ...{ numbers: 'whole', reason: 'asked for by the police, call of 23324****456' },
    });
    expect(cellsOf(text).map(([, , , , , phone, dialler]) => [phone, dialler])).toContainEqual([
      '233244120001',
      '233201234567',
    ]);
  }
  for (const role of ['agent', 'auditor'] as const) {
    const browser = await (await createAccount(till, role, role)).signIn();
    expect((await browser.get('/payments')).text).not.toContain('/console/export"');
    expect((await browser.post('/export', { reason: 'x' })).status).toBe(403);
    const refused = await browser.get('/export.csv?numbers=whole');
    expect(refused.status).toBe(403);
    expect(refused.text).toContain(`The role ${role} may not export whole numbers.`);
  }
  expect((await till.verify()).ok).toBe(true);
});

test('a person of a merchant exports the payments of that merchant, with masked numbers', async () => {
  const { own, browser } = await createTwoShops();
  for (const query of ['', '?channel=africastalking', '?q=20.00']) {
    const { status, text } = await browser.get(`/export.csv${query}`);
    expect(status).toBe(200);
    expect(cellsOf(text).map(([id]) => id)).toEqual([own.id]);
    expect(text).not.toContain('244123456');
  }
  expect((await browser.get('/export.csv?merchant=other-shop')).status).toBe(422);
  expect((await browser.get('/export.csv?numbers=whole')).status).toBe(403);
});

test('each export is in the audit trail with its filter: before its first line, and with its size at its end', async () => {
  const till = await createConsoleTill();
  await threePayments(till);
  const agent = await (await createAccount(till, 'efua', 'agent')).signIn();
  await agent.get('/export.csv?status=paid&after=col_1&merchant=');
  await agent.get('/export.csv?numbers=whole&q=KA10');
  await agent.get('/export.csv?status=unknown');
  const exports = (await staffActions(till)).filter(({ action }) => action.endsWith('export'));
  const filter = { status: 'paid' };
  expect(exports.map(({ actor, action, result, detail }) => [actor, action, result, detail])).toEqual([
    ['efua', 'start_export', 'done', { name: 'efua', filter, numbers: 'masked', payments: 1 }],
    ['efua', 'export', 'done', { name: 'efua', filter, numbers: 'masked', rows: 1, end: 'complete' }],
    [
      ...['efua', 'export', 'refused'],
      { name: 'efua', filter: { q: 'KA10' }, numbers: 'whole', reason: 'whole_numbers' },
    ],
  ]);
});

test('a file ends at the part at whose end its person has no access any more', async () => {
  const till = await createConsoleTill();
  await threePayments(till);
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const headers = { cookie: browser.cookie() ?? '' };
  const file = await till.gateway().app.request('/console/export.csv', { headers });
  expect(file.status).toBe(200);
  await callWithConfiguration(till, '/accounts/efua/role', { role: 'auditor', merchantId: null });
  await expect(file.text()).rejects.toThrow('your access was ended or changed');
  const [end] = (await staffActions(till)).filter(({ action }) => action === 'export');
  expect(end).toMatchObject({ actor: 'efua', detail: { end: 'failed' } });
  expect(await till.verify()).toMatchObject({ faults: [] });
});

test('a number in the address of a file or a list is refused, and stands nowhere on the page', async () => {
  const till = await createConsoleTill();
  const agent = await (await createAccount(till, 'efua', 'agent')).signIn();
  for (const path of ['/payments', '/export.csv'])
    for (const query of ['q=0244123456', 'merchant=244123456', 'min=0244123456', 'assigned=233244123456']) {
      const answer = await agent.get(`${path}?${query}`);
      expect(answer.status, query).toBe(422);
      expect(answer.text).toContain('Enter it in the search box instead.');
      expect(answer.text).not.toContain('244123456');
    }
  expect(till.logged()).not.toContain('244123456');
});

/** Reads a file whose parts have one row each. */
function fileOf(rows: number, options: { maxRows?: number; notSearched?: number; failAt?: number } = {}) {
  const ends: ExportEnd[] = [];
  const faults: unknown[] = [];
  const rests: number[] = [];
  let now = 0;
  const stream = createExportStream({
    head: 'head\r\n',
    notesOf: (read, isCut) => listNotes({ total: 5, notSearched: options.notSearched ?? 0 }, read, isCut),
    maxRows: options.maxRows ?? 10,
    partRows: 1,
    clock: { now: () => now++, sleep: async (ms) => void rests.push(ms) },
    async read({ after = '0' }) {
      const row = Number(after) + 1;
      if (row === options.failAt) throw new Error('the disk failed');
      return {
        lines: new TextEncoder().encode(`"${row}"\r\n`),
        rows: 1,
        next: row === rows ? null : String(row),
      };
    },
    onEnd: async (end) => void ends.push(end),
    onFault: (fault) => void faults.push(fault),
  });
  return { stream, ends, faults, rests };
}

test('a file that is cut, and a list that does not search all payments, say so in the last line', async () => {
  const cut = fileOf(5, { maxRows: 3 });
  const text = await new Response(cut.stream).text();
  expect(text.split('\r\n').slice(1)).toEqual([
    ...['"1"', '"2"', '"3"'],
    '"cut after the newest 3 of 5 payments: export shorter spans of time"',
    '',
  ]);
  expect(cut.ends).toEqual([{ rows: 3, end: 'cut' }]);
  const exact = fileOf(3, { maxRows: 3, notSearched: 7 });
  expect(await new Response(exact.stream).text()).toMatch(
    /"3"\r\n"7 older payments were not searched: set the first day"\r\n$/,
  );
  expect(exact.ends).toEqual([{ rows: 3, end: 'complete' }]);
});

test('an export waits between two parts, by the time that the last one took', async () => {
  const { stream, rests } = fileOf(4);
  await new Response(stream).text();
  expect(rests).toEqual([2, 2, 2]);
});

test('an export that fails or is not read to its end records how far it came', async () => {
  const failed = fileOf(5, { failAt: 3 });
  await expect(new Response(failed.stream).text()).rejects.toThrow('the disk failed');
  expect(failed.ends).toEqual([{ rows: 2, end: 'failed' }]);
  expect(failed.faults).toHaveLength(1);
  const stopped = fileOf(5);
  const reader = stopped.stream.getReader();
  await reader.read();
  await reader.cancel();
  expect(stopped.ends).toEqual([{ rows: 1, end: 'stopped' }]);
  const unread = fileOf(5);
  await unread.stream.cancel();
  expect(unread.ends).toEqual([{ rows: 0, end: 'stopped' }]);
});

test('texts of payers cannot become formulas of a spreadsheet, and lose no character', async () => {
  const till = await createTill();
  const row = await till.prompted();
  for (const reference of ['=1+2', '+233', '-5', '@SUM(A1)', '0012', 'a,"b"']) {
    const line = fileLine(paymentColumns, { ...row, reference }, 'masked');
    const safe = /^[=+\-@0]/.test(reference) ? `'${reference}` : reference;
    expect(line).toContain(`,"${safe.replaceAll('"', '""')}",`);
  }
  expect(fileLine(paymentColumns, { ...row, reference: `for ${payer}` }, 'masked')).not.toContain(
    '244123456',
  );
});

test('a long list is read by time in parts, with the rows of the list, and without a scan', async () => {
  const till = await createTill();
  await threePayments(till);
  const { store } = readerOf(till);
  const [{ reason = null } = {}] = (await till.find('0244120001')) ?? [];
  const from = 0;
  const filters = [
    { from },
    { from, status: 'paid' as const },
    { from, reason: reason ?? 'declined' },
    { from, network: 'mtn' },
  ];
  for (const filter of filters) {
    const listed = await listCollections(store, filter, { limit: 10 });
    const extent = await measureList(store, filter);
    const ids: string[] = [];
    const plans = await queryPlansOf(till.config.database.file, async () => {
      for (let after: string | undefined; ; ) {
        const part = await readListPart(store, extent, { limit: 1, after }, { maxRead: 0 });
        if (part === 'unknown_cursor') throw new Error(part);
        ids.push(...part.data.map(({ id }) => id));
        if (part.next === null) break;
        after = part.next;
      }
    });
    expect(ids).toEqual(listed === 'unknown_cursor' ? [] : listed.data.map(({ id }) => id));
    expect(
      plans.flatMap(({ steps }) => steps.filter((step) => /^SCAN|TEMP B-TREE FOR ORDER/.test(step))),
    ).toEqual([]);
  }
});
