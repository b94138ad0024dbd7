import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { GatewayReads } from '../../../src/gateway/wiring/reads.ts';
import type { Msisdn } from '../../../src/shared/msisdn.ts';
import { readAssets } from '../../../src/shared/pages/assets.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { createTill } from '../../kit/till.ts';
import { unboundedScans } from './bounded-scans.ts';
import { createConsoleApp, get, origin, search } from './console-app.tsx';

const payer = '0244123456';
/** Nine digits that every spelling of the payer's number contains. */
const digits = '244123456';

test('a person finds a paid payment by its number, and reads what to say, the amounts and the screens', async () => {
  const till = await createTill();
  const { id, shortReference } = await till.paidPayment();
  const app = createConsoleApp(till);

  const found = await search(app, '024 412 3456');
  expect(found).toMatchObject({ status: 303, path: `/console/payments/${id}` });
  const { status, page } = await get(app, found.path ?? '');
  expect(status).toBe(200);
  expect(page).toContain(`Payment ${shortReference.slice(0, 4)}`);
  expect(page).toContain('The payment is paid');
  expect(page).toContain('Your payment was received. Thank you.');
  expect(page).toContain('GHS 20.20');
  expect(page).toContain('1. Pay with this number');
  expect(page).toContain('with your PIN');
  expect(await search(app, shortReference)).toMatchObject({ status: 303, path: `/console/payments/${id}` });
});

test('no page, path or asset has the number of a payer whose numbers are not revealed', async () => {
  const till = await createTill();
  await till.pay('0201234567', ['2', payer, '1', '20', '1']);
  const { id } = await till.untilStatus(payer, 'initiated');
  await till.declined();
  await till.clock.advance(3 * 3_600_000);
  await till.pay(payer);
  expect(await till.find(payer)).toHaveLength(2);
  const app = createConsoleApp(till);
  const byNumber = await search(app, payer);
  expect(byNumber).toMatchObject({
    status: 303,
    path: expect.stringMatching(/^\/console\/payments\/col_\w+\/payer$/),
  });
  const paths = ['/console/payments', `/console/payments/${id}`, `/console/payments/${id}/payer`];
  const pages = await Promise.all(
    [...paths, byNumber.path ?? ''].map(async (path) => (await get(app, path)).page),
  );
  for (const page of pages) {
    expect(page.replaceAll(/[ .-]/g, '')).not.toContain(digits);
    expect(page.replaceAll(/[ .-]/g, '')).not.toContain('201234567');
    expect(page).toContain('024 ••• 3456');
  }
  expect(till.logged()).not.toContain(digits);
});

test('the list shows each payment with its count and sum, and pages that follow', async () => {
  const till = await createTill();
  for (const number of ['0244120000', '0244120001', '0244120002']) await till.pay(number);
  const app = createConsoleApp(till, {
    reads: ({ list }) => ({ list: (scope, filter, page) => list(scope, filter, { ...page, limit: 2 }) }),
  });
  const { page } = await get(app, '/console/payments');
  expect(page).toContain('2 of 3, sum of prices GHS 60.00');
  const [, next = ''] = /href="([^"]+)" rel="next"/.exec(page) ?? [];
  const second = (await get(app, next.replaceAll('&amp;', '&'))).page;
  expect(second).toContain('1 of 3');
  expect(second).not.toContain('rel="next"');
  expect((await get(app, '/console/payments?after=col_unknown')).status).toBe(404);
});

test('operators of the search box become filters of the URL, and filters select payments', async () => {
  const till = await createTill();
  await till.prompted();
  const app = createConsoleApp(till);
  const found = await search(app, 'status:initiated amount:20..50');
  expect(found.path).toBe('/console/payments?status=initiated&min=20&max=50');
  expect((await get(app, found.path ?? '')).page).toContain('1 of 1, sum of prices GHS 20.00');
  expect((await get(app, '/console/payments?status=paid')).page).toContain('No payment found.');
  const wrong = await get(app, '/console/payments?from=2026-02-30');
  expect(wrong.status).toBe(422);
  expect(wrong.page).toContain(
    'First day: expected a day such as 2026-03-06, or a minute such as 2026-03-06T09:30, found “2026-02-30”.',
  );
});

test.each(['20', '20.20'])(
  'a payment of GHS 20.00 for which GHS 20.20 is charged is found by %s',
  async (amount) => {
    const till = await createTill();
    const { id } = await till.prompted();
    const app = createConsoleApp(till);
    expect(await search(app, amount)).toMatchObject({ status: 303, path: `/console/payments/${id}` });
    const { path } = await search(app, `amount:${amount}`);
    expect((await get(app, path ?? '')).page).toContain('1 of 1');
    for (const range of ['?min=20.21', '?max=19.99', '?min=20.01&max=20.19'])
      expect((await get(app, `/console/payments${range}`)).page, range).toContain('No payment found.');
  },
);

test('a list without a payment says what was searched, and what an amount is compared with', async () => {
  const till = await createTill();
  const app = createConsoleApp(till);
  const listed = (page: string) => [...page.matchAll(/<li>([^<]*)<\/li>/g)].map(([, text]) => text);
  const found = async (q: string) => {
    const { path, page } = await search(app, q);
    return listed(path === null ? page : (await get(app, path)).page);
  };
  const meaning = 'the price, or a total that the payer was asked for or charged';
  expect(await found('20.20')).toEqual([
    ...['a phone number that ends with “2020”', `the amount GHS 20.20: ${meaning}`],
    'a reference that contains “20.20”',
  ]);
  expect(await found('0244 123 456')).toEqual([
    'the phone number “024 ••• 3456”, of the payer or of the phone that dialled',
  ]);
  expect(await found('col_01k8n2rm')).toEqual(['an id that is “col_01k8n2rm” or starts with it']);
  expect(await found('status:paid amount:5..20 on:2026-03-06 channel:nalo')).toEqual([
    ...['Status: Paid', 'Channel: nalo', 'Opened: 2026-03-06'],
    'Amount from GHS 5.00 to GHS 20.00',
  ]);
});

test('a filter that is refused says what is expected, and not that no payment was found', async () => {
  const app = createConsoleApp(await createTill());
  const { page } = await search(app, 'from:noon');
  expect(page).toContain('First day: expected a day');
  expect(page).not.toMatch(/No payment found|0 of 0/);
});

test('an unknown id is not found, and a search without a result names what was searched for', async () => {
  const till = await createTill();
  const app = createConsoleApp(till);
  expect((await get(app, '/console/payments/col_1')).status).toBe(404);
  expect((await get(app, '/console/payments/col_1/payer')).status).toBe(404);
  const { path } = await search(app, 'KA1024');
  const { page } = await get(app, path ?? '');
  expect(page).toContain('Payments for “KA1024”');
  expect(page).toContain('No payment found.');
  expect(page).toContain('Money without a payment is not searched here.');
  expect((await get(app, '/console/payments')).page).not.toContain('Money without a payment');
  expect((await search(app, ' ')).path).toBe('/console/payments');
});

const emptyContext = { retries: [], sameReference: [], samePayer: [], blocks: [], notifications: [] };

test('a search and a list state what they did not search', async () => {
  const page = { data: [], total: 0, sumMinor: 0, next: null, notSearched: 12 };
  const reads: Partial<GatewayReads> = {
    ...{ list: async () => page, search: async () => page, named: async () => page },
    payment: async () => undefined,
    paymentContext: async () => emptyContext,
    resolve: async (_, filter) => ({ ok: true, filter }),
  };
  const app = createConsoleApp(await createTill(), { reads: () => reads });
  expect((await get(app, '/console/payments?merchant=demo-shop')).page).toContain(
    '12 older payments were not searched. Set the first day to search them.',
  );
  expect((await get(app, '/console/payments?q=20.50')).page).toContain(
    'were not searched in 12 older payments.',
  );
});

test('texts of payers are shown as text and never as markup', async () => {
  const till = await createTill();
  const app = createConsoleApp(till);
  const { page } = await get(app, `/console/payments?q=${encodeURIComponent('<script>"x')}`);
  expect(page).not.toContain('<script>"x');
  expect(page).toContain('&lt;script&gt;&quot;x');
});

test('no page scans a table', async () => {
  const till = await createTill();
  const { id } = await till.prompted();
  const plans = await queryPlansOf(till.config.database.file, async () => {
    const app = createConsoleApp(till);
    for (const path of [
      '/payments',
      '/payments?status=paid',
      '/payments?q=KA1024',
      `/payments/${id}`,
      `/payments/${id}/payer`,
    ])
      expect((await get(app, `/console${path}`)).status, path).toBe(200);
    await search(app, payer);
  });
  expect(plans.length).toBeGreaterThan(10);
  expect(unboundedScans(plans)).toEqual([]);
});

test('a list of 50 payments, and a timeline of 200 entries, are small', async () => {
  const till = await createTill();
  const row = await till.prompted();
  const record = await till.record(row.id);
  const rows = Array.from({ length: 50 }, (_, index) => ({
    ...row,
    id: `col_${createHash('sha256').update(String(index)).digest('hex').slice(0, 26)}`,
    openedAt: row.openedAt + index * 77_777,
    reference: `INV-${(index * 7_919) % 10_000}`,
    payer: `23324${String((index * 104_729) % 10_000_000).padStart(7, '0')}` as Msisdn,
  }));
  const facts = Array.from({ length: 200 }, (_, index) => record.facts[index % record.facts.length]).flatMap(
    (fact, index) => (fact ? [{ ...fact, at: fact.at + index * 9_999 }] : []),
  );
  const reads: Partial<GatewayReads> = {
    list: async () => ({ data: rows, total: 50, sumMinor: 0, next: null, notSearched: 0 }),
    search: async () => 'unknown_cursor',
    named: async () => 'unknown_cursor',
    payment: async () => ({ ...record, facts }),
    paymentContext: async () => emptyContext,
  };
  const app = createConsoleApp(till, { reads: () => reads });
  expect(gzipSync((await get(app, '/console/payments')).page).length).toBeLessThan(8 * 1024);
  expect(gzipSync((await get(app, '/console/payments/1')).page).length).toBeLessThan(12 * 1024);
});

test('the style sheet and the script are small, compressed, and stay valid for ever', async () => {
  const { css, js } = readAssets('console');
  const app = createConsoleApp(await createTill());
  for (const [{ name }, maxBytes] of [
    [css, 5_000],
    [js, 2_200],
  ] as const) {
    const headers = { 'accept-encoding': 'gzip' };
    const answer = await app.request(`${origin}/console/assets/${name}`, { headers });
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect((await answer.arrayBuffer()).byteLength).toBeLessThan(maxBytes);
  }
  expect((await app.request(`${origin}/console/assets/other.css`)).status).toBe(404);
});
