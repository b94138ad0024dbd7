import { expect, test } from 'vitest';
import { listCollections } from '../../src/gateway/support/list-query.ts';
import type { CollectionFilter } from '../../src/gateway/support/selection-query.ts';
import type { AmountMinor } from '../../src/shared/money.ts';
import { localForm } from '../../src/shared/msisdn.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import { type Bench, createBench, number } from '../gateway/collection/bench.ts';
import { queryPlansOf } from '../kit/query-plans.ts';
import { ledger, printed } from '../kit/staff-command.ts';

type Listed = {
  data: { id: string; goodsMinor: number }[];
  total: number;
  sumMinor: number;
  next: string | null;
};

const json = async (file: string, ...args: string[]) =>
  JSON.parse(await printed(file, ...args, '--json')) as Listed;

const idsOf = async (file: string, ...args: string[]) => (await json(file, ...args)).data.map(({ id }) => id);

/** Opens a collection and returns its id. The clock advances by a second after it. */
async function open({ open, clock }: Bench, changed: Parameters<Bench['open']>[0] = {}): Promise<string> {
  const { row, done } = await open(changed);
  expect(done).toBe(true);
  await clock.advance(1_000);
  return row.id;
}

/** Opens `count` collections of different payers with prices of 1.00, 2.00 …; returns their ids, newest first. */
async function openMany(bench: Bench, count: number, review?: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= count; n++) {
    const request = { payer: number(n), goodsMinor: (n * 100) as AmountMinor };
    let { row, done } = await bench.open(request);
    // A random short reference can be taken.
    while (!done) ({ row, done } = await bench.open(request));
    if (review !== undefined) await bench.end(row, { status: 'review', review });
    ids.unshift(row.id);
    // Two collections of each millisecond.
    if (n % 2 === 0) await bench.clock.advance(1);
  }
  return ids;
}

/** Opens collections that differ in every property that a filter names. */
async function openDifferent(bench: Bench) {
  const paid = await bench.open({ payer: number(1), goodsMinor: 1_000 as AmountMinor });
  await bench.end(paid.row, { status: 'paid' });
  await bench.clock.advance(60_000);
  const declined = await bench.open({
    ...{ payer: number(2), merchantId: 'other-shop', channel: 'hubtel', network: 'telecel' },
    goodsMinor: 3_050 as AmountMinor,
  });
  await bench.end(declined.row, { status: 'failed', reason: 'declined' });
  await bench.clock.advance(60_000);
  const review = await bench.open({
    payer: number(3),
    dialler: number(4_004),
    goodsMinor: 5_000 as AmountMinor,
  });
  await bench.end(review.row, { status: 'review', reason: 'amount_mismatch', review: 'amount_mismatch' });
  await bench.clock.skip(24 * 3_600_000);
  const open = await bench.open({ payer: number(5), goodsMinor: 7_000 as AmountMinor });
  return { paid: paid.row.id, declined: declined.row.id, review: review.row.id, open: open.row.id };
}

test('list prints every collection, newest first, with the count and the sum of the prices', async () => {
  const bench = createBench();
  const ids = await openDifferent(bench);
  expect(await json(bench.file, 'list')).toMatchObject({ total: 4, sumMinor: 16_050, next: null });
  expect(await idsOf(bench.file, 'list')).toEqual([ids.open, ids.review, ids.declined, ids.paid]);
  const out = await printed(bench.file, 'list');
  expect(out).toContain('collection');
  expect(out.endsWith('shown: 4 of 4 collections, sum of all prices GHS 160.50\n')).toBe(true);
  expect(await printed(bench.file, 'list', '--status', 'expired')).toBe('no collection found\n');
});

const filters: [filter: string, ...expected: ('paid' | 'declined' | 'review' | 'open')[]][] = [
  ['--status paid', 'paid'],
  ['--status accepted', 'open'],
  ['--merchant other-shop', 'declined'],
  ['--channel hubtel', 'declined'],
  ['--network mtn', 'open', 'review', 'paid'],
  ['--reason declined', 'declined'],
  ['--reason amount_mismatch', 'review'],
  ['--from 2026-03-07', 'open'],
  ['--to 2026-03-06', 'review', 'declined', 'paid'],
  ['--from 2026-03-06T09:01 --to 2026-03-06T09:01', 'declined'],
  ['--min 30.50', 'open', 'review', 'declined'],
  ['--max 30.50', 'declined', 'paid'],
  ['--min 11 --max 50', 'review', 'declined'],
  ['--dialler 0240004004', 'review'],
  ['--last4 4004', 'review'],
  ['--last4 0003', 'review'],
  ['--last4 0002 --merchant other-shop --status failed --reason declined', 'declined'],
  ['--last4 0002 --status paid'],
  ['--network mtn --from 2026-03-06 --to 2026-03-06 --status paid --min 10 --max 10', 'paid'],
];

test.each(filters)(
  'list and export %s select the same collections, with the same sum',
  async (filter, ...expected) => {
    const bench = createBench();
    const ids = await openDifferent(bench);
    const args = filter.split(' ');
    const listed = await json(bench.file, 'list', ...args);
    expect(listed.data.map(({ id }) => id)).toEqual(expected.map((name) => ids[name]));
    expect(listed.total).toBe(expected.length);

    const [head = '', ...rows] = (await printed(bench.file, 'export', '--csv', ...args)).trim().split('\r\n');
    const column = head.split(',').indexOf('"goods_pesewas"');
    const cells = rows.map((row) => row.slice(1, -1).split('","'));
    // The export is oldest first.
    expect(cells.map(([id]) => id).reverse()).toEqual(listed.data.map(({ id }) => id));
    expect(cells.reduce((sum, row) => sum + Number(row[column]), 0)).toBe(listed.sumMinor);
  },
);

test('a collection with an earlier flag is listed with both reasons for a decision', async () => {
  const bench = createBench();
  const { row } = await bench.open({ payer: number(1) });
  await bench.end(row, { status: 'review', reason: 'failed_after_paid', review: 'second_charge' });
  expect(await printed(bench.file, 'reviews')).toMatch(/ second_charge, failed_after_paid\n/);
});

test('the export equals all pages of the list, to the last row and sum', async () => {
  const bench = createBench();
  await openMany(bench, 1_203);
  const listed: string[] = [];
  let total = 0;
  let sum = 0;
  for (let next: string | null = ''; next !== null; ) {
    const after = next === '' ? [] : ['--after', next];
    const page: Listed = await json(bench.file, 'list', '--min', '2', '--limit', '500', ...after);
    listed.push(...page.data.map(({ id }) => id));
    ({ total, sumMinor: sum, next } = page);
  }
  expect(total).toBe(1_202);
  const rows = (await printed(bench.file, 'export', '--csv', '--min', '2')).trim().split('\r\n').slice(1);
  expect(rows.map((row) => row.split('"')[1]).reverse()).toEqual(listed);
  expect(rows.reduce((all, row) => all + Number(/"(\d+)","\d+\.\d\d"/.exec(row)?.[1]), 0)).toBe(sum);
});

test.each(['list', 'reviews', 'find KA-7'])(
  '%s shows 100 of 129 collections, newest first, and the next page continues without a gap',
  async (command) => {
    const bench = createBench();
    const original = bench.open;
    bench.open = (changed) => original({ ...changed, reference: 'KA-7' });
    const ids = await openMany(bench, 129, 'amount_mismatch');
    const args = command.split(' ');
    const first = await json(bench.file, ...args);
    expect(first).toMatchObject({ total: 129, next: ids[99] });
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 100));
    const out = await printed(bench.file, ...args);
    expect(out).toContain('shown: 100 of 129 collections');
    expect(out).toContain(`next page: --after ${ids[99]}\n`);

    const rest = await json(bench.file, ...args, '--after', String(first.next));
    expect(rest).toMatchObject({ total: 129, next: null });
    expect(rest.data.map(({ id }) => id)).toEqual(ids.slice(100));
    const three = await json(bench.file, ...args, '--limit', '3');
    expect(three.data.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(await printed(bench.file, ...args, '--after', String(first.next))).not.toContain('next page');
  },
);

test.each([
  ['list --after col_unknown', 1, '--after: the ledger has no collection col_unknown'],
  ['list --limit 0', 2, 'Expected a whole number from 1 to 1000'],
  ['list --status unknown', 2, 'Allowed choices are accepted'],
  ['list --last4 123', 2, 'Expected four digits'],
  ['list --min 1.234', 2, 'Expected an amount in cedis'],
  ['list --dialler 12', 2, 'Expected a Ghanaian number'],
  ['list --from 2026-02-30', 2, '--from: expected a day such as 2026-03-01'],
  ['list --from 2026-03-01T25:00', 2, '--from: expected a day such as 2026-03-01'],
  ['list --from 2026-03-02 --to 2026-03-01', 2, '--to 2026-03-01 is before --from 2026-03-02'],
  ['list --min 20 --max 10', 2, '--max GHS 10.00 is less than --min GHS 20.00'],
])('%s is rejected with a reason', async (command, code, reason) => {
  const { file } = createBench();
  const ran = await ledger(file, ...command.split(' '));
  expect(ran.err).toContain(reason);
  expect(ran.code).toBe(code);
});

test('find matches the last digits of a phone, any part of a reference, and an amount', async () => {
  const bench = createBench();
  const { file } = bench;
  const a = await open(bench, {
    payer: number(1_234),
    reference: 'XKA1024-B',
    goodsMinor: 2_550 as AmountMinor,
  });
  const b = await open(bench, {
    payer: number(77),
    dialler: number(991_234),
    reference: 'INV-1',
    shownTotalMinor: 4_120,
  });
  const c = await open(bench, { payer: number(5), reference: 'BILL 20551234X' });
  expect(await idsOf(file, 'find', '1234')).toEqual([c, b, a]);
  expect(await idsOf(file, 'find', '01234')).toEqual([a]);
  expect(await idsOf(file, 'find', '99', '1234')).toEqual([b]);
  expect(await idsOf(file, 'find', 'a1024')).toEqual([a]);
  expect(await idsOf(file, 'find', '055123')).toEqual([c]);
  expect(await idsOf(file, 'find', '25.50')).toEqual([a]);
  expect(await idsOf(file, 'find', 'GHS', '25.5')).toEqual([a]);
  expect(await idsOf(file, 'find', '41.20')).toEqual([b]);
  expect(await idsOf(file, 'find', '123')).toEqual([c]);
});

test('find names the number of older collections in which it searched no parts of references and no amounts', async () => {
  const bench = createBench();
  await open(bench, { reference: 'KA1024' });
  expect(await printed(bench.file, 'find', 'A102')).not.toContain('older');
  expect(JSON.parse(await printed(bench.file, 'find', 'A102', '--json')).notSearched).toBe(0);
});

test('show accepts a phone number and a payment session id when exactly one collection matches', async () => {
  const bench = createBench();
  const id = await open(bench, { payer: number(1), dialler: number(2), reference: 'INV-7' });
  const sql = 'UPDATE collection SET session_id = ? WHERE id = ?';
  await bench.store.apply([{ sql, args: ['pay_01m8032gm18Xn16g', id] }]);
  for (const name of [
    '0240000001',
    '+233 24 000 0002',
    'pay_01m8032gm18Xn16g',
    'pay_01m8032g',
    'INV-7',
    id,
  ]) {
    expect(await printed(bench.file, 'show', ...name.split(' '))).toContain(`collection       ${id}\n`);
  }
});

test('show lists the newest matches, with a hint, when several collections match', async () => {
  const bench = createBench();
  const ids = [];
  for (let n = 0; n < 12; n++) {
    const id = await open(bench, { merchantId: `shop-${n}`, payer: number(1), reference: 'INV-7' });
    ids.unshift(id);
  }
  const { out, err, code } = await ledger(bench.file, 'show', '0240000001');
  expect([out, code]).toEqual(['', 1]);
  expect(err).toContain('12 collections match 0240000001');
  expect(err).toMatch(/INV-7 {2}2026-03-06 [\d:.]+ UTC$/m);
  const positions = ids.map((id) => err.indexOf(id));
  expect(positions.slice(0, 10).every((at, n) => at > (positions[n - 1] ?? -1))).toBe(true);
  expect(positions.slice(10)).toEqual([-1, -1]);
  expect(err).toContain(`Show one by its id: dialtill ledger show ${ids[0]}`);
  expect(err).toContain('To list all of them, run: dialtill ledger find 0240000001');
});

test.each([
  ['reviews', ['collection_review']],
  ['list', ['collection_opened']],
  ['list --from 2026-03-06', ['collection_opened']],
  ['list --status paid --from 2026-03-06', ['collection_closed']],
  ['list --status accepted', ['sqlite_autoindex_collection_1', 'sqlite_autoindex_job_1']],
  ['list --merchant demo-shop', ['collection_merchant_opened']],
  ['list --reason declined', ['collection_reason', 'collection_review_reason']],
  ['list --dialler 0244123456', ['collection_dialler']],
  ['list --last4 3456', ['collection_payer_ending', 'collection_dialler_ending']],
  ['find 0244123456', ['collection_payer', 'collection_dialler']],
  ['find pay_01m8032g', ['sqlite_autoindex_collection_1', 'collection_session']],
  ['find KA1024', ['collection_reference', 'sqlite_autoindex_collection_1', 'collection_session']],
  ['find 3456', ['collection_payer_ending', 'collection_dialler_ending']],
])('%s reads its collections through indexes and scans no table', async (command, indexes) => {
  const bench = createBench();
  await openDifferent(bench);
  const plans = await queryPlansOf(bench.file, () => printed(bench.file, ...command.split(' ')));
  const steps = plans.filter(({ sql }) => sql.includes('"collection"')).flatMap((plan) => plan.steps);
  expect(steps.length).toBeGreaterThan(0);
  for (const index of indexes) {
    expect(
      steps.some((step) => new RegExp(`INDEX ${index}( |$)`).test(step)),
      `${index} in ${steps.join('; ')}`,
    ).toBe(true);
  }
  expect(steps).not.toContain('SCAN collection');
});

test('the help of list has examples', async () => {
  const { out } = await ledger('', 'list', '--help');
  expect(out).toContain('dialtill ledger list --status review --from 2026-03-01');
  expect(out).toContain('--last4 3456');
});

test('a list names the phones that dialled when another phone than the payer requested a payment', async () => {
  const bench = createBench();
  await open(bench, { payer: number(1) });
  const own = await printed(bench.file, 'list');
  expect(own.split('\n')[0]).toMatch(/payer +reference/);
  await open(bench, { payer: number(2), dialler: number(4_004) });
  const [head, byOther, byPayer] = (await printed(bench.file, 'list')).split('\n');
  expect(head).toMatch(/payer +dialled by +reference/);
  expect(byOther).toMatch(new RegExp(` ${localForm(number(2))} +${localForm(number(4_004))} `));
  expect(byPayer).toMatch(new RegExp(` ${localForm(number(1))} +- `));
  expect((await json(bench.file, 'list')).data[0]).toMatchObject({
    dialler: number(4_004),
    payer: number(2),
  });
});

test('a list without a time searches the newest collections, and counts the others', async () => {
  const bench = createBench();
  const ids = await openMany(bench, 40);
  const list = (filter: CollectionFilter) =>
    listCollections(bench.store, filter, { limit: 3 }, { maxSearched: 20 });
  const all = await list({});
  if (all === 'unknown_cursor') throw new Error('the list has no cursor');
  expect(all).toMatchObject({ total: 20, notSearched: 20, next: ids[2] });
  expect(all.data.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  expect(await list({ minMinor: 3_901 as AmountMinor })).toMatchObject({ total: 1, notSearched: 20 });
  expect(await list({ maxMinor: 100 as AmountMinor })).toMatchObject({ total: 0, notSearched: 20 });
  expect(await list({ network: 'mtn', from: 0 })).toMatchObject({ total: 40, notSearched: 0 });
  expect(await list({ last4: '0001' })).toMatchObject({ notSearched: 0 });
  expect(await list({ reason: 'declined' })).toMatchObject({ total: 0, notSearched: 0 });
  expect(await list({ status: 'review', network: 'mtn' })).toMatchObject({ total: 0, notSearched: 0 });
  expect(await list({ merchantId: 'demo-shop' })).toMatchObject({ total: 40, notSearched: 0 });
});

test('a list of a frequent reason uses the index of its time', async () => {
  const bench = createBench();
  await openDifferent(bench);
  const filter = { reason: 'declined' };
  const plans = await queryPlansOf(bench.file, async () => {
    const store = createSqliteReader(bench.file);
    expect(await listCollections(store, filter, { limit: 3 }, { maxSearched: 2, maxRead: 0 })).toMatchObject({
      total: 0,
    });
    await store.close();
  });
  expect(plans.flatMap(({ steps }) => steps)).toContainEqual(
    expect.stringMatching(
      /^SEARCH collection USING .*INDEX collection_reason \(reason=\? AND opened_at>\?\)/,
    ),
  );
});
