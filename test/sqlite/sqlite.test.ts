import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CompiledStatement, connect, Database, isVersionAtLeast } from '../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Store, Write } from '../../src/sqlite/store.ts';
import { createFullDisk } from '../kit/backup-till.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { corruptTable } from '../kit/with-database.ts';

function open(file = join(temporaryFolder(), 'ledger.db')): { store: Store; file: string } {
  const store = createSqliteStore({ file, schema: 'gateway', clock: testClock() });
  onTestFinished(() => store.close());
  return { store, file };
}

const seal = (number: number, rows = 0): Write => ({
  sql: `INSERT INTO seal (number, fact_seq, posting_seq, turn_seq, setting_seq, action_seq, rows, at, previous_hash, hash)
    VALUES (?, 0, 0, 0, 0, 0, ?, 0, '', '')`,
  args: [number, rows],
  rows: 1,
});
const count = (store: Store) => store.read.get<[number]>('SELECT count(*) FROM seal').then((row) => row[0]);

test('a batch is written completely or not at all', async () => {
  const { store } = open();
  expect(await store.apply([seal(1)])).toBe(true);
  expect(await store.apply([seal(2), seal(1)])).toBe(false);
  const guard: Write = {
    sql: `INSERT INTO seal SELECT 9, 0, 0, 0, 0, 0, 0, 0, '', '', NULL, NULL WHERE 0`,
    args: [],
    rows: 1,
  };
  expect(await store.apply([seal(3), guard])).toBe(false);
  expect(await count(store)).toBe(1);
});

test('concurrent batches share a commit and succeed or fail independently', async () => {
  const { store } = open();
  const answers = await Promise.all([1, 2, 2, 3, 1].map((number) => store.apply([seal(number)])));
  expect(answers).toEqual([true, true, false, true, false]);
  expect(await count(store)).toBe(3);
});

test('append-only tables reject UPDATE and DELETE, and the error does not affect other batches', async () => {
  const { store } = open();
  await store.apply([seal(1)]);
  const [update, remove, neighbour] = await Promise.allSettled([
    store.apply([{ sql: 'UPDATE seal SET rows = 7', args: [] }]),
    store.apply([{ sql: 'DELETE FROM seal', args: [] }]),
    store.apply([seal(2)]),
  ]);
  expect(update).toMatchObject({ status: 'rejected', reason: { kind: 'refused' } });
  expect(remove).toMatchObject({ status: 'rejected', reason: { kind: 'refused' } });
  expect(neighbour).toEqual({ status: 'fulfilled', value: true });
  expect(await count(store)).toBe(2);
});

test('a second gateway on the same file is rejected, and the file is free after close', async () => {
  const file = join(temporaryFolder(), 'ledger.db');
  const first = createSqliteStore({ file, schema: 'gateway', clock: testClock() });
  expect(() => createSqliteStore({ file, schema: 'gateway', clock: testClock() })).toThrow(
    /in use by another dialtill/,
  );
  await first.close();
  open(file);
});

test('what a batch needs to be undone stays in memory, also when the file was migrated', async () => {
  let connection: Database | undefined;
  const store = createSqliteStore({
    file: join(temporaryFolder(), 'ledger.db'),
    schema: 'gateway',
    clock: testClock(),
    connect(file) {
      connection = connect(file);
      return connection;
    },
  });
  onTestFinished(() => store.close());
  const inMemory = 2;
  expect(connection?.pragma('temp_store', { simple: true })).toBe(inMemory);
});

test('the file is WAL with synchronous FULL, and strict', async () => {
  const { store } = open();
  expect(await store.read.get('PRAGMA journal_mode')).toEqual(['wal']);
  expect(await store.read.get('PRAGMA synchronous')).toEqual([2]);
  await expect(
    store.apply([
      { sql: `INSERT INTO seal VALUES ('x', 0, 0, 0, 0, 0, 0, 0, '', '', NULL, NULL)`, args: [] },
    ]),
  ).rejects.toMatchObject({ kind: 'refused' });
});

test.each([
  ['3.51.2', false],
  ['3.51.3', true],
  ['3.6.99', false],
  ['3.53.0', true],
  ['4.0.0', true],
])('SQLite %s is new enough: %s', (version, expected) => {
  expect(isVersionAtLeast(version, [3, 51, 3])).toBe(expected);
});

test('a permanently failing file is not written again, and onBroken is called once', async () => {
  const { store: first, file } = open();
  await first.apply([seal(1)]);
  await first.close();
  corruptTable(file, 'seal');

  const errors: string[] = [];
  const onBroken = (error: Error) => errors.push(error.message);
  const store = createSqliteStore({ file, schema: 'gateway', clock: testClock(), onBroken });
  onTestFinished(() => store.close());
  expect(store.usable()).toBe(true);
  const outcomes = await Promise.allSettled([store.apply([seal(2)]), store.apply([seal(3)])]);
  expect(outcomes.map((one) => one.status)).toEqual(['rejected', 'rejected']);
  expect(store.usable()).toBe(false);
  await expect(store.apply([seal(4)])).rejects.toMatchObject({ kind: 'broken' });
  expect(errors).toEqual([expect.stringContaining('SQLITE_CORRUPT')]);
});

test('after a transaction that can be neither committed nor rolled back, the process stops using the file', async () => {
  const file = join(temporaryFolder(), 'ledger.db');
  let isBad = false;
  const errors: string[] = [];
  const store = createSqliteStore({
    file,
    schema: 'gateway',
    clock: testClock(),
    onBroken: ({ message }) => void errors.push(message),
    connect: (path) => failing(new Database(path), () => isBad),
  });
  onTestFinished(() => store.close());
  expect(await store.apply([seal(1)])).toBe(true);
  isBad = true;
  await expect(store.apply([seal(2)])).rejects.toMatchObject({ kind: 'broken' });
  isBad = false;
  expect(store.usable()).toBe(false);
  await expect(store.apply([seal(2)])).rejects.toMatchObject({ kind: 'broken' });
  expect(errors).toEqual([expect.stringContaining('SQLITE_FULL')]);
});

test('onFull is called once for a full disk and once for its recovery, and not for a commit without changes', async () => {
  const file = join(temporaryFolder(), 'ledger.db');
  const disk = createFullDisk();
  const reports: boolean[] = [];
  const store = disk.createStore({
    file,
    schema: 'gateway',
    clock: testClock(),
    onFull: (isFull) => void reports.push(isFull),
  });
  onTestFinished(() => store.close());
  expect(await store.apply([seal(1)])).toBe(true);
  expect(reports).toEqual([]);
  disk.fill(true);
  for (const number of [2, 3])
    await expect(store.apply([seal(number)])).rejects.toMatchObject({ kind: 'full' });
  expect(reports).toEqual([true]);
  disk.fill(false);
  const nothing: Write = { sql: 'UPDATE horizon SET at = at', args: [] };
  expect(await store.apply([nothing])).toBe(true);
  // A batch that loses its guard writes nothing.
  expect(await store.apply([seal(2), seal(1)])).toBe(false);
  expect(reports).toEqual([true]);
  expect(await store.apply([seal(2)])).toBe(true);
  expect(reports).toEqual([true, false]);
});

/** Makes commits fail with a full disk and rollbacks with an I/O error, while `isBad`. */
function failing(connection: Database, isBad: () => boolean): Database {
  const { exec, prepare } = connection;
  connection.exec = (sql) => {
    if (isBad() && sql === 'ROLLBACK') throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR');
    return exec.call(connection, sql);
  };
  const prepared = (sql: string) => {
    const statement = prepare.call(connection, sql) as CompiledStatement;
    const { run } = statement;
    statement.run = (...args: unknown[]) => {
      if (isBad() && sql === 'COMMIT') throw new Database.SqliteError('disk is full', 'SQLITE_FULL');
      return run.apply(statement, args);
    };
    return statement;
  };
  return Object.assign(connection, { prepare: prepared });
}

describe('an aborted batch', () => {
  test('is not written, and other batches of the same commit are', async () => {
    const { store } = open();
    const waiting = new AbortController();
    const late = store.apply([seal(1)], waiting.signal);
    const neighbour = store.apply([seal(2)], new AbortController().signal);
    waiting.abort();
    await expect(late).rejects.toMatchObject({ kind: 'late' });
    expect(await neighbour).toBe(true);
    await expect(store.apply([seal(3)], waiting.signal)).rejects.toMatchObject({ kind: 'late' });
    expect(await count(store)).toBe(1);
  });

  test('is not written when it was aborted while another process had locked the file', async () => {
    const clock = testClock();
    const file = join(temporaryFolder(), 'ledger.db');
    const store = createSqliteStore({ file, schema: 'gateway', clock });
    onTestFinished(() => store.close());
    const other = new Database(file);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    const waiting = new AbortController();
    const batches = Promise.allSettled([store.apply([seal(1)], waiting.signal), store.apply([seal(2)])]);
    await clock.advance(200);
    waiting.abort();
    other.exec('ROLLBACK');
    await clock.advance(250);
    expect(await batches).toMatchObject([
      { status: 'rejected', reason: { kind: 'late' } },
      { status: 'fulfilled', value: true },
    ]);
    expect(await count(store)).toBe(1);
  });

  test('remains written when it is aborted after the commit', async () => {
    const { store } = open();
    const waiting = new AbortController();
    expect(await store.apply([seal(1)], waiting.signal)).toBe(true);
    waiting.abort();
    expect(await count(store)).toBe(1);
  });
});
