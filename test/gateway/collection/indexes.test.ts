import { getTableConfig } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import { collection } from '../../../src/gateway/database/schema.ts';
import { listPayments } from '../../../src/gateway/merchant-api/payment-query.ts';
import { loadCollectionRecord } from '../../../src/gateway/support/collection-query.ts';
import { findCollections } from '../../../src/gateway/support/find-query.ts';
import { listCollections, listCollectionsInReview } from '../../../src/gateway/support/list-query.ts';
import { retentionStore } from '../../../src/gateway/upkeep/retention-store.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { type Bench, createBench, number } from './bench.ts';

/* Each write of a collection pays for its indexes. This names a query of the product for each. */

const own = { merchantId: 'demo-shop', livemode: 0 } as const;
const list = (filter: Parameters<typeof listCollections>[1]) => (bench: Bench) =>
  listCollections(bench.store, filter, { limit: 10 });
const ofMerchant = (filter: Parameters<typeof listPayments>[2]) => (bench: Bench) =>
  listPayments(bench.store, own, filter, { limit: 10 });
const find = (term: string) => (bench: Bench) => findCollections(bench.store, term);
/** The limits of a dial for another phone. */
const request = ({ rejectionOf }: Bench) => rejectionOf({ dialler: number(2), payer: number(3) });
const dial = ({ rejectionOf }: Bench) => rejectionOf();

const queries: Record<string, (bench: Bench) => Promise<unknown>> = {
  collection_session: ({ collections }) => collections.findBySession({ ...own, sessionId: 'pay_1' }),
  collection_open_payer: ({ collections }) =>
    collections.findOpen({ ...own, payer: number(1), dialler: number(1) }),
  collection_short_reference: ({ collections }) =>
    collections.findByShortReference({ ...own, shortReference: '00000012' }),
  collection_retry_of: async (bench) => {
    const { row } = await bench.open();
    await loadCollectionRecord(bench.store, row.id);
  },
  collection_payer: dial,
  collection_dialler: dial,
  collection_requested_payer: request,
  collection_requested_dialler: request,
  collection_declined_payer: request,
  collection_declined_dialler: request,
  collection_reference: find('INV-70'),
  collection_opened: list({}),
  collection_merchant_opened: ofMerchant({}),
  collection_merchant_reason: ofMerchant({ reason: 'declined' }),
  collection_merchant_late: ofMerchant({ late: true }),
  collection_closed: list({ status: 'paid' }),
  collection_review: ({ store }) => listCollectionsInReview(store, { limit: 10 }),
  collection_review_reason: list({ reason: 'late_success' }),
  collection_reason: list({ reason: 'declined' }),
  collection_payer_ending: find('3456'),
  collection_dialler_ending: find('3456'),
  collection_dialogue: ({ store }) => retentionStore(store).deleteDialogues(1, 10),
};

test('every index of a collection has a query of the product', () => {
  const { indexes } = getTableConfig(collection);
  expect(indexes.map(({ config }) => config.name).toSorted()).toEqual(Object.keys(queries).toSorted());
});

test.each(Object.entries(queries))('a query uses the index %s', async (name, query) => {
  const bench = createBench();
  const plans = await queryPlansOf(bench.file, () => query(bench));
  const steps = plans.flatMap((plan) => plan.steps).filter((step) => step.includes(' INDEX '));
  expect(
    steps.filter((step) => new RegExp(`INDEX ${name}( |$)`).test(step)),
    steps.join('\n'),
  ).not.toEqual([]);
});
