import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, onTestFinished, test } from 'vitest';
import { staffActionWrite } from '../../src/gateway/access/action-store.ts';
import { systemActor } from '../../src/gateway/access/permissions.ts';
import * as schema from '../../src/gateway/database/schema.ts';
import { dayMs, readDay, showDay } from '../../src/gateway/ledger/day.ts';
import { createThreadReader } from '../../src/gateway/reading/thread-reader.ts';
import { allMerchants } from '../../src/gateway/support/page.ts';
import { startReadThread } from '../../src/gateway/wiring/create-reader.ts';
import { createReads, gatewayReads } from '../../src/gateway/wiring/reads.ts';
import { createPostgresSnapshots, type SnapshotOptions } from '../../src/postgres/reader.ts';
import type { Snapshots, Store, Write } from '../../src/sqlite/store.ts';
import { testClock } from '../kit/clock.ts';
import { createSilentLog } from '../kit/log.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';
import { openingOf } from './gateway.ts';

const tables = Object.values(schema).filter((one) => is(one, SQLiteTable));

const configs = tables.map((table) => getTableConfig(table as SQLiteTable));

const sqliteMigration = readdirSync('drizzle/gateway')
  .filter((name) => name.endsWith('.sql'))
  .map((name) => readFileSync(join('drizzle/gateway', name), 'utf8'))
  .join('\n');

async function rows(url: string, sql: string): Promise<unknown[]> {
  return ((await runSql(url, sql)) as { line: unknown }[]).map(({ line }) => line);
}

test('PostgreSQL has the tables and columns of the schema, with the counterparts of their types', async () => {
  const url = await createDatabase();
  const found = await rows(
    url,
    `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || is_identity
       || ' ' || coalesce(collation_name, '') AS line
     FROM information_schema.columns WHERE table_schema = 'dialtill' AND table_name <> '__drizzle_migrations'`,
  );
  const expected = configs.flatMap(({ name, columns, primaryKeys }) => {
    const keyed = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
    return columns.map((column) => {
      const isText = column.getSQLType() === 'text';
      const nullable = column.notNull || column.primary || keyed.has(column.name) ? 'NO' : 'YES';
      const identity = 'autoIncrement' in column && column.autoIncrement ? 'YES' : 'NO';
      return `${name}.${column.name} ${isText ? 'text' : 'bigint'} ${nullable} ${identity} ${isText ? 'C' : ''}`;
    });
  });
  expect([...found].sort()).toEqual(expected.sort());
});

test('PostgreSQL has the indexes of the schema, with their columns and conditions', async () => {
  const url = await createDatabase();
  const found = await rows(
    url,
    `SELECT c.relname || ' ' || i.indisunique || ' ' || i.indnatts || ' ' || (i.indpred IS NOT NULL) AS line
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'dialtill' AND NOT i.indisprimary`,
  );
  const expected = configs.flatMap(({ indexes }) =>
    indexes.map(
      ({ config: one }) => `${one.name} ${one.unique} ${one.columns.length} ${one.where !== undefined}`,
    ),
  );
  expect([...found].sort()).toEqual(expected.sort());
});

test('PostgreSQL has the checks of the schema', async () => {
  const url = await createDatabase();
  const found = await rows(
    url,
    `SELECT conname AS line FROM pg_constraint WHERE contype = 'c' AND connamespace = 'dialtill'::regnamespace`,
  );
  const expected = configs.flatMap(({ checks }) => checks.map(({ name }) => name));
  expect([...found].sort()).toEqual(expected.sort());
});

test('PostgreSQL has each trigger of SQLite, and rejects TRUNCATE where a row cannot be deleted', async () => {
  const url = await createDatabase();
  const found = await rows(url, 'SELECT tgname AS line FROM pg_trigger WHERE NOT tgisinternal');
  const created = [...sqliteMigration.matchAll(/CREATE TRIGGER `(\w+)`/g)].map(([, name]) => name ?? '');
  const onSqlite = [...new Set(created)];
  const truncated = onSqlite
    .filter((name) => name.endsWith('_no_delete'))
    .map((name) => name.replace('_no_delete', '_no_truncate'));
  expect(onSqlite.length).toBeGreaterThan(20);
  expect([...found].sort()).toEqual([...onSqlite, ...truncated].sort());
  await expect(runSql(url, 'TRUNCATE fact')).rejects.toThrow('fact cannot be emptied');
});

test('a number that the database assigns cannot be chosen by a statement', async () => {
  const store = await openPostgres(await createDatabase());
  const sql = `INSERT INTO fact (seq, subject_id, merchant_id, version, kind, data, at) VALUES (7, 'c', 'm', 1, 'k', '{}', 1)`;
  await expect(store.apply([{ sql, args: [] }])).rejects.toMatchObject({ kind: 'refused' });
});

test('the lists of the console read a database of PostgreSQL', async () => {
  const store = await openPostgres(await createDatabase());
  await store.apply(openingOf('0244123456'));
  const reader = createReads(store);
  const page = { limit: 2 };
  const list = await reader.list(allMerchants, {}, page);
  const [row] = list === 'unknown_cursor' ? [] : list.data;
  if (!row) throw new Error('no payment was written');
  const { id, openedAt, merchantId } = row;
  const date = showDay(Math.floor(openedAt / dayMs));
  const totals = { opened: 1, paid: 0, notPaid: 0, chargedMinor: 0, feeMinor: 0, netMinor: 0 };
  const of = { merchantId, livemode: 0 };
  await store.apply([
    staffActionWrite(
      {
        actor: systemActor('ama'),
        action: 'assign',
        subject: { kind: 'collection', id, ...of },
        detail: { to: 'efua' },
      },
      openedAt,
    ),
    staffActionWrite(
      {
        actor: systemActor('yaw'),
        action: 'close_day',
        subject: { kind: 'day', id: date, ...of },
        detail: totals,
      },
      openedAt,
    ),
    staffActionWrite(
      {
        ...{
          actor: systemActor('ama'),
          action: 'block',
          subject: { kind: 'phone', id: '233244123456', ...of },
        },
        detail: { role: 'dialler', reason: 'x', until: null },
      },
      openedAt,
    ),
    { sql: "UPDATE collection SET review = 'no_outcome' WHERE id = ?", args: [id], rows: 1 },
  ]);
  const at = { livemode: 0, now: openedAt + 5 * 3_600_000 } as const;
  const span = { ...at, since: 0 };
  const merchantIds = [merchantId, 'other-shop'];

  expect((await reader.needs({ name: 'efua', ...at })).reviews).toEqual({
    ...{ count: 1, oldestAt: openedAt, sumMinor: 2_000 },
  });
  const desk = await reader.desk({
    kinds: ['reviews', 'overdue', 'unplaced', 'endpoints'],
    ...{ ...at, limit: 2 },
  });
  expect(desk).toMatchObject({ counts: { reviews: [0, 0, 1, 0, 0] }, takenBy: { [id]: 'efua' } });
  expect(await reader.list(allMerchants, { assigned: 'efua' }, page)).toMatchObject({ data: [{ id }] });
  expect(await reader.list(allMerchants, { assigned: 'ama' }, page)).toMatchObject({ data: [] });
  expect(await reader.deadEvent({ merchantId, eventId: 'evt_none', livemode: 0 })).toBe(undefined);
  expect(await reader.refusedDiallers(span)).toEqual({ data: [], isCut: false });
  expect((await reader.dialler(id, span))?.blocks).toHaveLength(1);
  const blocks = await reader.blocks({ now: at.now, limit: 2 });
  expect(blocks).toMatchObject({ total: 1, next: null });
  expect(await reader.block(blocks.data[0]?.seq ?? 0, at.now)).toMatchObject({ msisdn: '233244123456' });
  expect(await reader.days(allMerchants, { ...at, merchantIds })).toContainEqual({
    ...{ date, merchants: 1, closed: 1, open: 1, toDecide: 1, receivedMinor: expect.any(Number) },
  });
  expect(await reader.unclosedDays({ ...at, merchantIds })).toEqual({ count: 0, oldestAt: null });
  const day = readDay(date);
  if (!day) throw new Error(`no day ${date}`);
  expect(await reader.day(allMerchants, { ...at, merchantIds }, date, day)).toMatchObject({
    ...{ sums: [{ merchantId, opened: 1, toDecide: 1 }], closes: [{ actor: 'yaw', totals }] },
  });
  expect(await reader.sessions({}, page)).toEqual({ data: [], next: null, searched: 0 });
  expect(await reader.session('dlg_none')).toBeUndefined();
});

const quote = (id: string): Write => ({
  sql: `INSERT INTO quote (id, merchant_id, livemode, dialogue_id, create_key, create_body, requested_at)
    VALUES (?, 'shop', 0, 'd', 'k', '{}', 1)`,
  args: [id],
  rows: 1,
});

function openSnapshots(url: string, options: Partial<SnapshotOptions> = {}): Snapshots {
  const snapshots = createPostgresSnapshots({ maxConnections: 2, maxStatementMs: 5_000, ...options, url });
  onTestFinished(() => snapshots.close());
  return snapshots;
}

const count = (store: Store) => store.query('SELECT count(*) FROM quote', [], 'row');

test('a read sees the database as it is at its beginning, and the next read sees what was written meanwhile', async () => {
  const url = await createDatabase();
  const [writer, snapshots] = [await openPostgres(url), openSnapshots(url)];
  await writer.apply([quote('a')]);
  await snapshots.read(async (store) => {
    expect(await count(store)).toEqual([1]);
    await writer.apply([quote('b')]);
    expect(await count(store)).toEqual([1]);
  });
  expect(await snapshots.read(count)).toEqual([2]);
});

test('a statement that takes too long is ended by the server, and its connection serves the next read', async () => {
  const snapshots = openSnapshots(await createDatabase(), { maxConnections: 1, maxStatementMs: 50 });
  const slow = snapshots.read((store) => store.query('SELECT pg_sleep(60)', [], 'row'));
  await expect(slow).rejects.toMatchObject({ kind: 'busy' });
  expect(await snapshots.read(count)).toEqual([0]);
});

test('a read cannot write, and a lost connection fails one read only', async () => {
  const url = await createDatabase();
  const snapshots = openSnapshots(url);
  const write = snapshots.read((store) => store.query('INSERT INTO quote DEFAULT VALUES', [], 'row'));
  await expect(write).rejects.toThrow('read-only transaction');
  const lost = snapshots.read(async (store) => {
    await runSql(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'dialtill console'`,
    );
    return count(store);
  });
  await expect(lost).rejects.toThrow();
  expect(await snapshots.read(count)).toEqual([0]);
});

test('the console reads a server in a thread, several pages at once, and says when the server is too slow', async () => {
  const url = await createDatabase();
  const location = { url, maxConnections: 10 };
  const reader = createThreadReader(gatewayReads, {
    start: () => startReadThread({ location, lanes: 3, maxStatementMs: 200 }),
    ...{ clock: testClock(), log: createSilentLog(), lanes: 3 },
  });
  onTestFinished(() => reader.close());
  const list = (name = 'efua') => reader.by({ name, merchantId: null }).list(allMerchants, {}, { limit: 10 });
  const pages = await Promise.all([list('ama'), list('efua'), list('yaw'), list('efua')]);
  const empty = {
    data: [],
    next: null,
    notSearched: 0,
    sumMinor: 0,
    total: 0,
    sums: { statuses: [], days: [] },
  };
  expect(pages).toEqual(pages.map(() => empty));
  // A lock that no read of the gateway takes stands for a slow server.
  const locked = runSql(url, 'BEGIN; LOCK TABLE collection; SELECT pg_sleep(3); COMMIT').catch(() => []);
  await expect
    .poll(() =>
      runSql(
        url,
        `SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = 'collection'::regclass`,
      ),
    )
    .toHaveLength(1);
  await expect(list()).rejects.toMatchObject({ kind: 'slow' });
  await locked;
  expect(await list()).toMatchObject({ total: 0 });
});
