import { describe, expect, test } from 'vitest';
import type { CollectionWithJob } from '../../../src/gateway/collection/collection.ts';
import type { TurnRow } from '../../../src/gateway/dialogue/turn-store.ts';
import { findCollectionPage } from '../../../src/gateway/support/find-query.ts';
import { listCollections, listInScope } from '../../../src/gateway/support/list-query.ts';
import type { CollectionFilter } from '../../../src/gateway/support/selection-query.ts';
import { timeline } from '../../../src/gateway/support/timeline.ts';
import { createReads } from '../../../src/gateway/wiring/reads.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import { endings } from '../../../src/shared/ussd.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { type Bench, createBench, number } from '../collection/bench.ts';

const at = Date.parse('2026-03-06T09:00:00Z');

const turn = (changed: Partial<TurnRow>): TurnRow => ({
  channel: 'till',
  session: 's-1',
  sequence: 1,
  dialogueId: 'dlg_1',
  merchantId: 'shop',
  dialler: '233244123456',
  operator: 'mtn',
  input: null,
  position: null,
  payer: null,
  ussdRef: null,
  ending: null,
  state: '{}',
  reply: 'continue',
  screen: 'Amount in GHS',
  collectionId: null,
  at,
  ...changed,
});

function entriesOf(...turns: TurnRow[]): string[] {
  const others = { retriedAs: null, facts: [], postings: [], events: [], charges: [], actions: [] };
  const record = { collection: { payer: turn({}).dialler } as CollectionWithJob, turns, ...others };
  return timeline(record).map(({ at: when, kind, text }) => `${when - at} ${kind}: ${text}`);
}

describe('the timeline entries of a turn', () => {
  test('are the dial or the input, and the screen; the last screen is marked', () => {
    const second = turn({ sequence: 2, input: '20', screen: 'Approve it.', reply: 'end', at: at + 5 });
    expect(entriesOf(turn({}), second)).toEqual([
      '0 payer: dialled',
      '0 screen: Amount in GHS',
      '5 payer: entered 20',
      '5 screen: Approve it. (END)',
    ]);
  });

  test('include the reference of the aggregator for the request', () => {
    const second = turn({ sequence: 2, input: '1', ussdRef: 'a820', at: at + 5 });
    expect(entriesOf(turn({ ussdRef: 'a81f' }), second)).toEqual([
      "0 payer: dialled (aggregator's reference a81f)",
      '0 screen: Amount in GHS',
      "5 payer: entered 1 (aggregator's reference a820)",
      '5 screen: Amount in GHS',
    ]);
  });

  test.each(endings)('are one notice without input and screen when the session has ended (%s)', (ending) => {
    const last = { screen: 'Approve it.', reply: 'end', ussdRef: 'a820' } as const;
    const confirmed = turn({ ...last, input: '1' });
    const notice = turn({ ...last, sequence: 2, ending, at: at + 7 });
    expect(entriesOf(confirmed, notice)).toEqual([
      "0 payer: entered 1 (aggregator's reference a820)",
      '0 screen: Approve it. (END)',
      `7 notice: the aggregator reports: session ${ending}`,
    ]);
  });
});

test('the timeline entry of an action names its fields in words, and says when it was refused', () => {
  const detail = JSON.stringify({ outcome: 'accept', reference: null, why: 'another person must approve' });
  const action = {
    ...({ seq: 1, at: at + 3, actor: 'ama', action: 'approve', result: 'refused', detail } as const),
    ...{ subjectKind: 'collection', subjectId: 'col_1', merchantId: 'shop', livemode: 0 },
  };
  const others = { retriedAs: null, facts: [], postings: [], events: [], charges: [], turns: [] };
  const record = { collection: {} as CollectionWithJob, actions: [action], ...others };
  expect(timeline(record).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'support ama: approve: outcome: accept, why: another person must approve (refused)',
  ]);
});

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
