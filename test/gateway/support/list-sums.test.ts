import { expect, test } from 'vitest';
import type { CollectionRow } from '../../../src/gateway/collection/collection.ts';
import { listCollections, listWithSums } from '../../../src/gateway/support/list-query.ts';
import { allMerchants } from '../../../src/gateway/support/page.ts';
import { addUp, type StatusSum } from '../../../src/gateway/support/page-query.ts';
import type { CollectionFilter } from '../../../src/gateway/support/selection-query.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { type Bench, createBench, number } from '../collection/bench.ts';

const dayMs = 24 * 3_600_000;

const ends = [
  { status: 'paid', booked: 'paid' },
  { status: 'paid', booked: 'suspense', review: 'declined' },
  { status: 'failed', reason: 'declined' },
  { status: 'failed', reason: 'timeout' },
  { status: 'expired', reason: 'declined' },
  { status: 'abandoned', reason: 'blocked' },
  { status: 'review', review: 'amount_mismatch', booked: 'suspense' },
  { status: 'review', reason: 'declined', review: 'declined', booked: 'returned' },
] as const;

/** Opens payments with every end on each of three days, of two merchants; some share a millisecond. */
async function openEvery(bench: Bench): Promise<void> {
  let payer = 0;
  for (const merchantId of ['demo-shop', 'other-shop', 'demo-shop']) {
    for (const end of [...ends, undefined]) {
      payer++;
      const goodsMinor = (payer * 100) as AmountMinor;
      const { row } = await bench.open({
        payer: number(payer),
        dialler: number(payer),
        merchantId,
        goodsMinor,
      });
      if (end) await bench.end(row, end);
      if (payer % 2 === 0) await bench.clock.advance(1_000);
    }
    await bench.clock.skip(dayMs);
  }
  const sql = 'UPDATE collection SET amount_minor = goods_minor + 10 WHERE booked IS NOT NULL';
  expect(await bench.store.apply([{ sql, args: [] }])).toBe(true);
}

const from = (row: CollectionRow) => Math.floor(row.openedAt / dayMs) * dayMs;

const charges = ({ booked, amountMinor }: CollectionRow) =>
  booked === 'paid' || booked === 'suspense' || booked === 'released' ? (amountMinor ?? 0) : 0;

function sumRows(rows: readonly CollectionRow[]) {
  const add = (amount: (row: CollectionRow) => number) => rows.reduce((sum, row) => sum + amount(row), 0);
  return { total: rows.length, sumMinor: add((row) => row.goodsMinor), chargedMinor: add(charges) };
}

const byStatus = (sums: readonly StatusSum[]) =>
  [...Map.groupBy(sums, ({ status, hasReview }) => `${status} ${hasReview}`)]
    .map(([key, group]) => ({ key, ...addUp(group) }))
    .toSorted((one, other) => one.key.localeCompare(other.key));

const rowsByStatus = (rows: readonly CollectionRow[]) =>
  [...Map.groupBy(rows, ({ status, review }) => `${status} ${review === null ? 0 : 1}`)]
    .map(([key, group]) => ({ key, ...sumRows(group) }))
    .toSorted((one, other) => one.key.localeCompare(other.key));

const rowsByDay = (rows: readonly CollectionRow[]) =>
  [...Map.groupBy(rows, from)]
    .map(([day, group]) => {
      const paid = sumRows(group.filter(({ status }) => status === 'paid'));
      return { from: day, total: group.length, paid: paid.total, chargedMinor: paid.chargedMinor };
    })
    .toSorted((one, other) => other.from - one.from);

const findDays = (rows: readonly CollectionRow[]) =>
  [...new Set(rows.map(from))].map((day) => ({ from: day, to: day + dayMs }));

/** Lists all rows that have the properties. */
async function readRows(bench: Bench, has: (row: CollectionRow) => boolean): Promise<CollectionRow[]> {
  const all = await listCollections(bench.store, { from: 0 }, { limit: 1_000 });
  return all === 'unknown_cursor' ? [] : all.data.filter(has);
}

type Case = [filter: CollectionFilter, has: (row: CollectionRow) => boolean];

const hasReason = (name: string) => (row: CollectionRow) => row.reason === name || row.review === name;
const isUnpaid = (row: CollectionRow) => ['failed', 'expired', 'abandoned'].includes(row.status);

const others: Case[] = [
  [{}, () => true],
  [{ reason: 'declined' }, hasReason('declined')],
  [{ reason: 'amount_mismatch' }, hasReason('amount_mismatch')],
  [{ merchantId: 'other-shop' }, (row) => row.merchantId === 'other-shop'],
  [{ minMinor: 1_500 as AmountMinor }, (row) => row.goodsMinor >= 1_500],
];

const statuses: Case[] = [
  [{}, () => true],
  [{ status: 'paid' }, (row) => row.status === 'paid'],
  [{ status: 'unpaid' }, isUnpaid],
  [{ status: 'decide' }, (row) => row.review !== null],
  [{ status: 'waiting' }, (row) => row.status === 'accepted'],
];

test('the sums of a list are those of its rows, whatever finds them', async () => {
  const bench = createBench();
  await openEvery(bench);
  for (const time of [{}, { from: bench.clock.now() - 2 * dayMs }, { before: bench.clock.now() - 2 * dayMs }])
    for (const [other, hasOther] of others)
      for (const [status, hasStatus] of statuses)
        for (const scope of [allMerchants, { merchantId: 'demo-shop' }]) {
          const filter = { ...time, ...other, ...status };
          const ofAny = await readRows(
            bench,
            (row) =>
              hasOther(row) &&
              row.openedAt >= (filter.from ?? 0) &&
              row.openedAt < (filter.before ?? Number.MAX_SAFE_INTEGER) &&
              (scope.merchantId === null || row.merchantId === scope.merchantId),
          );
          const rows = ofAny.filter(hasStatus);
          const page = await listWithSums(bench.store, scope, filter, { limit: 1_000, findDays });
          if (page === 'unknown_cursor' || page.sums === undefined) throw new Error('the list has no sums');
          const { sums, total, sumMinor, data } = page;
          const what = JSON.stringify({ ...filter, ...scope });
          expect({ what, ids: data.map(({ id }) => id), total, sumMinor }).toEqual({
            ...{ what, ids: rows.map(({ id }) => id), total: rows.length, sumMinor: sumRows(rows).sumMinor },
          });
          expect({ what, sums: byStatus(sums.statuses) }).toEqual({ what, sums: rowsByStatus(ofAny) });
          expect({ what, days: sums.days.toSorted((one, two) => two.from - one.from) }).toEqual({
            what,
            days: rowsByDay(rows),
          });
        }
});

test('a list by a reason sums its rows with one query, and its pages have each row once', async () => {
  const bench = createBench();
  await openEvery(bench);
  const plans = await queryPlansOf(bench.file, async () => {
    const page = await listWithSums(
      bench.store,
      allMerchants,
      { reason: 'declined' },
      { limit: 5, findDays },
    );
    expect(page).toMatchObject({ total: 12 });
  });
  expect(plans.filter(({ sql }) => sql.includes('sum('))).toHaveLength(1);
  const expected = await readRows(bench, hasReason('declined'));
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const bounds = { maxRead: 0, maxSearched: 1_000 };
    const page = await listCollections(bench.store, { reason: 'declined' }, { limit: 5, after }, bounds);
    if (page === 'unknown_cursor') throw new Error(page);
    ids.push(...page.data.map(({ id }) => id));
    if (page.next === null) break;
    after = page.next;
  }
  expect(ids).toEqual(expected.map(({ id }) => id));
});
