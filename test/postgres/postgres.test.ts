import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { prepareSession, requireOwnSession, requireSafeServer } from '../../src/postgres/server.ts';
import type { Write } from '../../src/sqlite/store.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';

test('an empty database is migrated once, however many gateways open it at the same time', async () => {
  const url = await createDatabase('template0');
  const stores = await Promise.all([1, 2, 3].map(() => openPostgres(url)));
  const { entries } = JSON.parse(readFileSync('drizzle/postgres/gateway/meta/_journal.json', 'utf8'));
  const applied = await stores[0]?.query('SELECT count(*) FROM "__drizzle_migrations"', [], 'row');
  expect(applied).toEqual([entries.length]);
  expect(await stores[2]?.query('SELECT count(*) FROM collection', [], 'row')).toEqual([0]);
});

test('a database of a newer program is refused', async () => {
  const url = await createDatabase();
  await runSql(url, `INSERT INTO "__drizzle_migrations" VALUES ('later', 9999999999999)`);
  await expect(createPostgresStore({ url })).rejects.toThrow(
    /a newer version of dialtill wrote the database/,
  );
});

const safe = { fsync: 'on', pages: 'on', standby: false };
const server = (settings: Partial<typeof safe>) => ({
  query: async () => ({ rows: [{ ...safe, ...settings }] }),
});

test.each([
  [{ fsync: 'off' }, 'fsync=off and full_page_writes=on: a power cut could lose an acknowledged event'],
  [{ pages: 'off' }, 'full_page_writes=off'],
  [{ standby: true }, 'is a standby'],
])('a server with %j is refused', async (settings, message) => {
  await expect(requireSafeServer(server(settings))).rejects.toThrow(message);
});

test('a server before 17 is refused before it gets a setting that it does not know', async () => {
  const asked: string[] = [];
  const query = async (sql: string) => {
    asked.push(sql);
    return { rows: [{ version: 160_009, name: '16.9' }] };
  };
  await expect(prepareSession({ query })).rejects.toThrow(
    'PostgreSQL 16.9; dialtill needs version 17 or newer',
  );
  expect(asked.filter((sql) => sql.startsWith('SET'))).toEqual([]);
});

/** A session whose statements are answered by these processes of the server, one after the other. */
const sessionOf = (...pids: number[]) => {
  let asked = 0;
  return { query: async () => ({ rows: [{ pid: pids[asked++ % pids.length] }] }) };
};

test.each([
  ['one process answers both sessions', sessionOf(7), sessionOf(7)],
  ['several processes answer one session', sessionOf(7, 7, 9), sessionOf(8)],
  ['several processes answer the other session', sessionOf(7), sessionOf(8, 8, 7)],
])('a pooler that shares sessions between transactions is refused: %s', async (_, one, other) => {
  await expect(requireOwnSession(one, other)).rejects.toThrow(/pool_mode = session/);
});

test('sessions with a process of their own are accepted', async () => {
  await expect(requireOwnSession(sessionOf(7), sessionOf(8))).resolves.toBeUndefined();
});

test.each(['off', 'local'])(
  'a write waits for the disk, and for standbys, although the server sets synchronous_commit = %s',
  async (value) => {
    const url = await createDatabase();
    await runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = ${value}`);
    const store = await openPostgres(url);
    expect(await store.query(`SELECT current_setting('synchronous_commit')`, [], 'row')).toEqual(['on']);
  },
);

test('a server that cannot be reached is reported without its password', async () => {
  const url = 'postgres://user:not-for-logs@127.0.0.1:1/ledger';
  const failure = await createPostgresStore({ url }).catch((fault: Error) => fault);
  expect(failure).toMatchObject({ message: expect.stringContaining('cannot open the database') });
  expect(String(failure)).not.toContain('not-for-logs');
});

const quote = (id: string): Write => ({
  sql: `INSERT INTO quote (id, merchant_id, livemode, dialogue_id, create_key, create_body, requested_at)
    VALUES (?, 'shop', 0, 'd', 'k', '{}', 1)`,
  args: [id],
  rows: 1,
});
/** Writes a quote and then waits until another session ends this one. */
const slowly = (id: string): Write[] => [
  quote(id),
  {
    sql: 'UPDATE quote SET requested_at = (SELECT 2 FROM (SELECT pg_sleep(4)) AS pause) WHERE id = ?',
    args: [id],
  },
];
const endOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;
const sleepers = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;

test('a connection that is lost during a batch leaves its outcome unknown, and the store connects again', async () => {
  const url = await createDatabase();
  const store = await openPostgres(url);
  const written = store.apply(slowly('a')).catch((fault: unknown) => fault);
  while ((await runSql(url, sleepers)).length === 0);
  await runSql(url, endOthers);
  expect(await written).toMatchObject({ kind: 'unknown' });
  expect(store.usable()).toBe(true);
  expect(await store.apply([quote('a')])).toBe(true);
  expect(await store.query('SELECT count(*) FROM quote', [], 'row')).toEqual([1]);
});

test('connections that the server ends while they are idle are replaced', async () => {
  const url = await createDatabase();
  const store = await openPostgres(url);
  await Promise.all(['a', 'b', 'c'].map((id) => store.apply([quote(id)])));
  await runSql(url, endOthers);
  // A connection that has not yet noticed its end takes one statement with it, whose outcome is then unknown.
  const connections = 4;
  let written = false;
  for (let attempt = 0; attempt <= connections && !written; attempt++)
    written = await store.apply([quote(`d${attempt}`)]).catch(() => false);
  expect(written).toBe(true);
});

test.each([
  ['an insert of a row that exists', quote('a'), false],
  [
    'an update of no row',
    { sql: 'UPDATE quote SET requested_at = 2 WHERE id = ?', args: ['b'], rows: 1 },
    false,
  ],
  [
    'an update of the expected row',
    { sql: 'UPDATE quote SET requested_at = 2 WHERE id = ?', args: ['a'], rows: 1 },
    true,
  ],
  [
    'an update of no row, as expected',
    { sql: 'UPDATE quote SET requested_at = 2 WHERE id = ?', args: ['b'], rows: 0 },
    true,
  ],
])('a batch of one write that loses is no error of the server: %s', async (_, write, isWritten) => {
  const url = await createDatabase();
  const store = await openPostgres(url, { maxConnections: 1 });
  await store.apply([quote('a')]);
  const rollbacks = async () => {
    const read = `SELECT pg_stat_force_next_flush()::text, xact_rollback::int AS count FROM pg_stat_database
      WHERE datname = current_database()`;
    await store.query(read, [], 'row');
    return ((await store.query(read, [], 'row')) as [string, number])[1];
  };
  const before = await rollbacks();
  expect(await store.apply([write])).toBe(isWritten);
  expect(await rollbacks()).toBe(before);
});

test('a guard that finds more rows than expected rolls back, also in a batch of its own', async () => {
  const store = await openPostgres(await createDatabase());
  await store.apply([quote('a'), quote('b')]);
  expect(await store.apply([{ sql: 'UPDATE quote SET requested_at = 2', args: [], rows: 1 }])).toBe(false);
  expect(await store.query('SELECT DISTINCT requested_at FROM quote', [], 'rows')).toEqual([[1]]);
});

test('a batch without a bound has no limit of time, and the next one has those of every batch', async () => {
  const store = await openPostgres(await createDatabase());
  const limits = `SELECT current_setting('statement_timeout') || ' ' || current_setting('transaction_timeout')`;
  const note = (id: string, isUnbounded: boolean): Write => ({
    sql: `INSERT INTO quote (id, merchant_id, livemode, dialogue_id, create_key, create_body, requested_at)
      VALUES (?, 'shop', 0, 'd', 'k', (${limits}), 1)`,
    ...{ args: [id], rows: 1, isUnbounded },
  });
  await store.apply([note('a', false), note('b', true)]);
  await store.apply([note('c', false)]);
  expect(await store.query('SELECT id, create_body FROM quote ORDER BY id', [], 'rows')).toEqual([
    ['a', '0 0'],
    ['b', '0 0'],
    ['c', '5s 10s'],
  ]);
});

test('a lock that another session keeps ends the wait with a fault, and nothing is written', async () => {
  const url = await createDatabase();
  const store = await openPostgres(url);
  await store.apply([quote('a')]);
  const blocking = runSql(url, 'BEGIN; LOCK TABLE fact; SELECT pg_sleep(3); COMMIT');
  while ((await runSql(url, sleepers)).length === 0);
  const fact: Write = {
    sql: `INSERT INTO fact (subject_id, merchant_id, version, kind, data, at) VALUES ('c', 'm', 1, 'k', '{}', 1)`,
    args: [],
    rows: 1,
  };
  await expect(store.apply([quote('b'), fact])).rejects.toMatchObject({ kind: 'busy' });
  expect(await store.query('SELECT count(*) FROM quote', [], 'row')).toEqual([1]);
  await blocking;
});

test('the error of a rejected batch names no value of a row', async () => {
  const store = await openPostgres(await createDatabase());
  await store.apply([quote('value-of-a-row')]);
  const faults = await Promise.all(
    [
      { sql: 'UPDATE quote SET merchant_id = NULL WHERE id = ?', args: ['value-of-a-row'] },
      {
        sql: `INSERT INTO inbox VALUES ('shop', ?, 0, 't', 's', '{}', 1, 'waiting', NULL, 0, 0, 0)`,
        args: ['value-of-a-row'],
      },
    ].map((write) => store.apply([write]).catch((fault: Error) => fault)),
  );
  for (const fault of faults) {
    expect(fault).toMatchObject({ kind: 'refused' });
    expect(String(fault)).not.toContain('value-of-a-row');
  }
});
