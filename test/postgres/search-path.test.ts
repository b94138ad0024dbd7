import { expect, onTestFinished, test } from 'vitest';
import { lockServer } from '../../src/postgres/lock-server.ts';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { createPostgresReader } from '../../src/postgres/reader.ts';
import { createPostgresSnapshots } from '../../src/postgres/snapshots.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';
import { begin, untilWaiting } from '../kit/postgres-gate.ts';
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
  const snapshots = createPostgresSnapshots({
    url,
    maxConnections: 1,
    maxStatementMs: 5_000,
    schema: 'public',
  });
  onTestFinished(() => snapshots.close());
  expect(await snapshots.read(count)).toEqual([1]);
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

test('of two starts on an empty database, with search paths of their own, one begins the ledger, and the other one names it', async () => {
  const url = await createDatabase('template0');
  await runSql(url, 'CREATE SCHEMA till');
  // Both have looked for a ledger, and wait to create one.
  const open = await begin(url);
  await open.query(`SELECT pg_advisory_xact_lock(${0x64_69_61_6c})`);
  const first = createPostgresStore({ url });
  await untilWaiting(url, 1);
  await lead(url, 'till');
  const second = createPostgresStore({ url });
  await untilWaiting(url, 2);
  await open.query('COMMIT');
  await expect(second).rejects.toThrow('the ledger is in the schema "public"');
  await (await first).close();
});

test('two ledgers in the search path are named, and no gateway takes one of them', async () => {
  const url = await createDatabase();
  await runSql(url, 'CREATE SCHEMA till');
  await runSql(url, 'CREATE TABLE till.ledger_file (cluster text)');
  expect(await count(await openPostgres(url))).toEqual([0]);
  await lead(url, 'till, public');
  await expect(openPostgres(url)).rejects.toThrow(
    'there are two ledgers: in the schemas "till" and "public"',
  );
});
