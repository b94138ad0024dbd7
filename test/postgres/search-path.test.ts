import { expect, test } from 'vitest';
import { lockServer } from '../../src/postgres/lock-server.ts';
import { createPostgresReader } from '../../src/postgres/reader.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';
import { openingOf } from './gateway.ts';

const count = (store: Store) => store.query('SELECT count(*) FROM collection', [], 'row');

/** Sets the search path of new connections. */
const lead = (url: string, path: string) =>
  runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = ${path}`);

test('a schema with the name of the role hides no ledger: not at the next start, and not from what is open', async () => {
  const url = await createDatabase();
  const one = await openPostgres(url, { maxConnections: 1 });
  await one.apply(openingOf('0244123456'));
  await runSql(url, 'CREATE SCHEMA AUTHORIZATION CURRENT_USER');
  const two = await openPostgres(url);
  const reader = await createPostgresReader(url);
  expect([await count(one), await count(two), await count(reader)]).toEqual([[1], [1], [1]]);
  await reader.close();
  // The same payer has an open payment, whichever gateway asks.
  expect(await two.apply(openingOf('0244123456'))).toBe(false);
});

test('a ledger outside of the search path is named, and no second one begins', async () => {
  const url = await createDatabase();
  await runSql(url, 'CREATE SCHEMA till');
  await lead(url, 'till');
  const refusal = 'the ledger is in the schema "public", to which the search_path of the role does not lead';
  await expect(openPostgres(url)).rejects.toThrow(refusal);
  await expect(createPostgresReader(url)).rejects.toThrow(refusal);
  await expect(lockServer(url)).rejects.toThrow(refusal);
  await lead(url, 'till, public');
  expect(await count(await openPostgres(url))).toEqual([0]);
});

test('a search path that is changed while a gateway runs changes no connection that it opens later', async () => {
  const url = await createDatabase();
  const store = await openPostgres(url, { maxConnections: 2 });
  await store.apply(openingOf('0244123456'));
  await runSql(url, 'CREATE SCHEMA till');
  await lead(url, 'till');
  // One of them uses the connection that is open.
  const both = [count(store), store.query('SELECT count(*), pg_sleep(0.1) FROM collection', [], 'row')];
  expect(await Promise.all(both)).toEqual([[1], [1, '']]);
});

test('a new ledger is created in the schema to which the search path leads', async () => {
  const url = await createDatabase('template0');
  await runSql(url, 'CREATE SCHEMA till');
  await lead(url, 'till');
  expect(await count(await openPostgres(url))).toEqual([0]);
  expect(await runSql(url, `SELECT to_regclass('till.collection') IS NOT NULL AS found`)).toEqual([
    { found: true },
  ]);
  // Its objects are those that the program expects, in that schema.
  expect(await (await openPostgres(url)).ledgerDifferences()).toEqual([]);
});
