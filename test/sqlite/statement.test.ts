import { join } from 'node:path';
import { asc, eq, sql } from 'drizzle-orm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { merchant } from '../../src/service/schema.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { build, insertRow, prepareQuery, prepareWrite } from '../../src/sqlite/statement.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { placeMigrated } from '../kit/migrated.ts';

function openStore(): Store {
  const file = join(temporaryFolder(), 'service.db');
  placeMigrated(file, 'service');
  const store = createSqliteStore({ file, schema: 'service', clock: systemClock() });
  onTestFinished(store.close);
  return store;
}

const shop = (id: string) => ({ id, name: 'Shop', offlineApprovedAt: null, createdAt: 1 });
const insert = insertRow(merchant);
const select = () => build.select({ id: merchant.id, approvedAt: merchant.offlineApprovedAt }).from(merchant);

test('a prepared query returns the rows of the store that it runs on, by the names of its fields', async () => {
  const [one, other] = [openStore(), openStore()];
  await one.apply([insert(shop('a')), insert(shop('b'))]);
  await other.apply([insert(shop('c'))]);
  const all = prepareQuery(select().orderBy(asc(merchant.id)));
  const find = prepareQuery(select().where(eq(merchant.id, sql.placeholder('id'))));

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
  const statement = build.delete(merchant).where(eq(merchant.id, sql.placeholder('id')));
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
