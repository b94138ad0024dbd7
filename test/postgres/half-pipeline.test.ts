import pg, { type Connection } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { getLockNumber } from '../../src/postgres/locks.ts';
import { prepareSession } from '../../src/postgres/server.ts';
import type { Write } from '../../src/sqlite/store.ts';
import { createDatabase, openPostgres } from '../kit/postgres.ts';

const limit: Write = {
  sql: `INSERT INTO horizon (name, at) VALUES ('inbox', 1)`,
  args: [],
  locks: ['payer 233244123456'],
};

test('a batch that was received in part keeps its locks for ten seconds at most, and is not written', async () => {
  const url = await createDatabase();
  const store = await openPostgres(url);
  const lost = new pg.Client(url);
  lost.on('error', () => {});
  await lost.connect();
  onTestFinished(() => lost.end());
  await prepareSession(lost);
  // The machine that sends the batch is lost before the rest of it, with the Sync that commits.
  const { connection } = lost as unknown as { connection: Connection };
  const statements = [
    `SELECT pg_advisory_xact_lock(${getLockNumber('payer 233244123456')})`,
    `INSERT INTO horizon (name, at) VALUES ('dialogues', 1)`,
  ];
  for (const text of statements) {
    connection.parse({ name: '', text, types: [] }, true);
    connection.bind({ portal: '', statement: '', values: [] }, true);
    connection.execute(null, true);
  }
  connection.stream.write(Buffer.from([0x48, 0, 0, 0, 4]));
  const locked = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND mode = 'ExclusiveLock'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  while (((await store.query(locked, [], 'row')) as [number])[0] === 0);
  const since = performance.now();
  await expect(store.apply([limit])).rejects.toMatchObject({ kind: 'busy' });
  let isWritten = false;
  while (!isWritten && performance.now() < since + 20_000)
    isWritten = await store.apply([limit]).catch(() => false);
  expect(isWritten).toBe(true);
  expect(performance.now() - since).toBeLessThan(15_000);
  expect(await store.query('SELECT name FROM horizon', [], 'rows')).toEqual([['inbox']]);
});
