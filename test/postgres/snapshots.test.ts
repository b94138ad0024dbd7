import { expect, onTestFinished, test } from 'vitest';
import { createThreadReader } from '../../src/gateway/reading/thread-reader.ts';
import { allMerchants } from '../../src/gateway/support/scope.ts';
import { startReadThread } from '../../src/gateway/wiring/create-reader.ts';
import { gatewayReads } from '../../src/gateway/wiring/reads.ts';
import { createPostgresSnapshots, type SnapshotOptions } from '../../src/postgres/reader.ts';
import type { Snapshots, Store, Write } from '../../src/sqlite/store.ts';
import { testClock } from '../kit/clock.ts';
import { createSilentLog } from '../kit/log.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';

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
  expect(pages).toEqual(pages.map(() => ({ data: [], next: null, notSearched: 0, sumMinor: 0, total: 0 })));
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
