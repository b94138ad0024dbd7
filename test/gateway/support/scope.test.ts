import { expect, test } from 'vitest';
import { findCollectionPage } from '../../../src/gateway/support/find-query.ts';
import { listInScope } from '../../../src/gateway/support/list-query.ts';
import { createReads } from '../../../src/gateway/wiring/reads.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { type Bench, createBench, number } from '../collection/bench.ts';

const own = { merchantId: 'demo-shop' };
const all = { limit: 50 };

/** Opens payments of a merchant, alike at each one: the same payers, prices and references. */
async function openAlike(bench: Bench, merchantId: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= 4; n++) {
    const goodsMinor = (n * 1_000) as AmountMinor;
    const request = { merchantId, payer: number(n), dialler: number(9), goodsMinor, reference: `KA10${n}` };
    const { row, done } = await bench.open(request);
    expect(done).toBe(true);
    if (n === 1) await bench.end(row, { status: 'failed', reason: 'declined' });
    if (n === 2) await bench.end(row, { status: 'review', review: 'amount_mismatch' });
    ids.unshift(row.id);
    await bench.clock.advance(1_000);
  }
  return ids;
}

const terms = ['0240000001', '0240000009', '0003', 'KA102', 'A10', '20.00', 'col_00000000', 'KA'];
const filters = [
  ...[{}, { status: 'failed' }, { status: 'accepted' }, { status: 'review' }, { reason: 'declined' }],
  ...[{ reason: 'amount_mismatch' }, { last4: '0002' }, { network: 'mtn' }, { merchantId: 'other-shop' }],
  ...[{ dialler: number(9) }, { minMinor: 2_000 as AmountMinor }, { from: 0 }, { before: 9_000_000_000_000 }],
] as const;

/** Everything that a merchant can find out, with bounds that are smaller than the number of payments. */
async function everyAnswer({ store }: Bench, ids: readonly string[]) {
  const reader = createReads(store);
  const asked = [...terms, ...ids];
  return {
    lists: await Promise.all(filters.map((filter) => reader.list(own, filter, all))),
    bounded: await Promise.all(
      filters.map((filter) => listInScope(store, own, filter, { ...all, maxSearched: 2 })),
    ),
    searches: await Promise.all(asked.map((term) => reader.search(own, term, all))),
    names: await Promise.all(asked.map((name) => reader.named(own, name, all))),
    payments: await Promise.all(ids.map((id) => reader.payment(own, id))),
  };
}

test('no read of one merchant depends on payments of another one', async () => {
  const bench = createBench();
  const ids = await openAlike(bench, 'demo-shop');
  const before = await everyAnswer(bench, ids);
  expect(before.lists[0]).toMatchObject({ total: 4, notSearched: 0 });
  expect(before.bounded[0]).toMatchObject({ total: 2, notSearched: 2 });
  expect(before.searches.slice(0, 6)).toMatchObject([1, 4, 1, 1, 4, 1].map((total) => ({ total })));
  const others = await openAlike(bench, 'other-shop');
  expect(await everyAnswer(bench, ids)).toEqual(before);
  const earlier = "UPDATE collection SET opened_at = opened_at - 1000000 WHERE merchant_id = 'other-shop'";
  await bench.store.apply([{ sql: earlier, args: [] }]);
  expect(await everyAnswer(bench, ids)).toEqual(before);

  const reader = createReads(bench.store);
  for (const id of others) {
    expect(await reader.payment(own, id)).toBeUndefined();
    expect(await reader.named(own, id, all)).toMatchObject({ data: [], total: 0 });
    expect(await reader.search(own, id, all)).toMatchObject({ data: [], total: 0 });
    expect(await reader.list(own, {}, { limit: 2, after: id })).toBe('unknown_cursor');
    expect(await reader.search(own, 'KA10', { limit: 2, after: id })).toBe('unknown_cursor');
  }
  expect(await reader.list({ merchantId: null }, {}, all)).toMatchObject({ total: 8 });
  expect(await findCollectionPage(bench.store, '0240000001', all)).toMatchObject({ total: 2 });
});

test('reads of one merchant scan no table', async () => {
  const bench = createBench();
  const ids = await openAlike(bench, 'demo-shop');
  const plans = await queryPlansOf(bench.file, async () => {
    const store = createSqliteReader(bench.file);
    await everyAnswer({ ...bench, store }, ids);
    await store.close();
  });
  const steps = plans.filter(({ sql }) => sql.includes('"collection"')).flatMap((plan) => plan.steps);
  expect(steps).toContainEqual(expect.stringContaining('INDEX collection_merchant_opened'));
  const scans = steps.filter((step) => /^SCAN (?!json_each)/.test(step));
  expect(scans.filter((step) => !/INDEX collection_(due|review)\b/.test(step))).toEqual([]);
});
