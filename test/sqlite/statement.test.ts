import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { expect, test, vi } from 'vitest';
import { merchantTable } from '../../src/service/schema.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { build, insertRow, prepareQuery, prepareWrite } from '../../src/sqlite/statement.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { openOwnStore } from '../kit/migrated.ts';

function openStore(): Store {
  const { store } = openOwnStore('service', { clock: systemClock() });
  return store;
}

const shop = (id: string) => ({ id, name: 'Shop', offlineApprovedAt: null, createdAt: 1 });
const insert = insertRow(merchantTable);
const select = () =>
  build.select({ id: merchantTable.id, approvedAt: merchantTable.offlineApprovedAt }).from(merchantTable);

test('a prepared query returns the rows of the store that it runs on, by the names of its fields', async () => {
  const [one, other] = [openStore(), openStore()];
  await one.apply([insert(shop('a')), insert(shop('b'))]);
  await other.apply([insert(shop('c'))]);
  const all = prepareQuery(select().orderBy(asc(merchantTable.id)));
  const find = prepareQuery(select().where(eq(merchantTable.id, sql.placeholder('id'))));

  expect(await all.all(one)).toEqual([
    { id: 'a', approvedAt: null },
    { id: 'b', approvedAt: null },
  ]);
  expect(await all.all(other)).toEqual([{ id: 'c', approvedAt: null }]);
  expect(await find.get(one, { id: 'b' })).toEqual({ id: 'b', approvedAt: null });
  expect(await find.get(other, { id: 'b' })).toBeUndefined();
});

test('a query is compiled at its first run, once for all stores', async () => {
  const statement = select();
  const compile = vi.spyOn(statement, 'prepare');
  const query = prepareQuery(statement);
  expect(compile).not.toHaveBeenCalled();

  for (const store of [openStore(), openStore()]) expect(await query.get(store)).toBeUndefined();

  expect(compile).toHaveBeenCalledTimes(1);
});

test('a write is compiled at its first use, once', () => {
  const statement = build.delete(merchantTable).where(eq(merchantTable.id, sql.placeholder('id')));
  const compile = vi.spyOn(statement, 'toSQL');
  const write = prepareWrite<{ id: string }>(statement, 1);
  expect(compile).not.toHaveBeenCalled();

  expect([write({ id: 'a' }), write({ id: 'b' })]).toEqual(
    ['a', 'b'].map((id) => ({
      sql: 'delete from "merchant" where "merchant"."id" = ?',
      args: [id],
      rows: 1,
    })),
  );

  expect(compile).toHaveBeenCalledTimes(1);
});

test('a store rejects a write that is sent as a query, and changes nothing', async () => {
  const store = openStore();
  const { sql: text, args } = insert(shop('a'));

  await expect(store.query(text, args, 'rows')).rejects.toThrow('a write must use apply');

  expect(await prepareQuery(select()).all(store)).toEqual([]);
});

test('rows of a join have one object for each table, and null for a missing row', async () => {
  const store = openStore();
  await store.apply([insert(shop('a')), insert(shop('b'))]);
  const other = alias(merchantTable, 'other');
  const pairs = prepareQuery(
    build
      .select({ merchant: merchantTable, other: { id: other.id, name: other.name } })
      .from(merchantTable)
      .leftJoin(other, and(eq(other.id, sql.placeholder('id')), gt(other.id, merchantTable.id)))
      .orderBy(asc(merchantTable.id)),
  );
  expect(await pairs.all(store, { id: 'b' })).toEqual([
    { merchant: shop('a'), other: { id: 'b', name: 'Shop' } },
    { merchant: shop('b'), other: null },
  ]);
});

test('a field that converts its values keeps the conversion', async () => {
  const store = openStore();
  await store.apply([insert({ ...shop('a'), createdAt: 5 })]);
  const query = prepareQuery(
    build
      .select({
        id: merchantTable.id,
        created: sql`${merchantTable.createdAt}`.mapWith((at: number) => `at ${at}`),
      })
      .from(merchantTable),
  );
  expect(await query.all(store)).toEqual([{ id: 'a', created: 'at 5' }]);
});

test('a placeholder without a value is an error that names it, and no value', () => {
  const find = prepareQuery(select().where(eq(merchantTable.id, sql.placeholder('id'))));
  return expect(find.get(openStore(), { name: '0244123456' })).rejects.toThrow(
    'no value for the placeholder id',
  );
});

test('only an insert of one row needs no savepoint, and a rejected one leaves the other batches of its commit', async () => {
  const remove = prepareWrite(
    build.delete(merchantTable).where(eq(merchantTable.id, sql.placeholder('id'))),
    1,
  );
  expect([insert(shop('a')), remove({ id: 'a' })].map(({ isSingleRow }) => isSingleRow)).toEqual([
    true,
    undefined,
  ]);

  const store = openStore();
  const batches = [[insert(shop('a'))], [insert(shop('a'))], [insert(shop('b')), remove({ id: 'c' })]];
  expect(await Promise.all(batches.map((batch) => store.apply(batch)))).toEqual([true, false, false]);
  expect(await prepareQuery(select()).all(store)).toEqual([{ id: 'a', approvedAt: null }]);
});
