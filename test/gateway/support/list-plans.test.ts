import { expect, test } from 'vitest';
import type { CollectionFilter } from '../../../src/gateway/support/collection-filter.ts';
import { listCollections } from '../../../src/gateway/support/list-query.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { type Bench, createBench, number } from '../collection/bench.ts';

async function openFailed(bench: Bench, merchantId: string, payer: number): Promise<void> {
  const { row, done } = await bench.open({ merchantId, payer: number(payer), dialler: number(payer) });
  expect(done).toBe(true);
  await bench.end(row, { status: 'failed', reason: 'declined' });
  await bench.clock.advance(1_000);
}

/** Returns what a list finds, and the indexes of collections that its page and its sum use. */
async function listed(bench: Bench, filter: CollectionFilter) {
  let ids: string[] = [];
  const plans = await queryPlansOf(bench.file, async () => {
    const page = await listCollections(bench.store, filter, { limit: 10 }, { maxRead: 2 });
    if (page !== 'unknown_cursor') ids = page.data.map(({ payer }) => payer);
  });
  const steps = plans
    .filter(({ sql }) => sql.includes('"collection"') && !sql.includes('offset'))
    .flatMap((plan) => plan.steps);
  const indexes = steps.flatMap((step) => /USING (?:COVERING )?INDEX (\w+)/.exec(step)?.[1] ?? []);
  return { ids, indexes: [...new Set(indexes)] };
}

test('a list by status and merchant reads the index of the one that few payments have', async () => {
  const bench = createBench();
  for (const payer of [1, 2, 3, 4]) await openFailed(bench, 'demo-shop', payer);
  await openFailed(bench, 'other-shop', 5);
  const { row } = await bench.open({ payer: number(6), dialler: number(6) });
  await bench.end(row, { status: 'review', review: 'amount_mismatch' });

  expect(await listed(bench, { status: 'review', merchantId: 'demo-shop' })).toEqual({
    ids: [number(6)],
    indexes: ['collection_closed'],
  });
  expect(await listed(bench, { status: 'failed', merchantId: 'other-shop' })).toEqual({
    ids: [number(5)],
    indexes: ['collection_merchant_opened'],
  });
});
