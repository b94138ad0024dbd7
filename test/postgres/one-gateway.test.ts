import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Gateway, openGateway } from '../../src/gateway/create.ts';
import { holdExclusively } from '../../src/postgres/exclusive.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createDatabase, runSql } from '../kit/postgres.ts';
import { createSilentLog } from '../kit/silent-log.ts';
import { testConfig } from '../kit/till.ts';

const gatewayLock = 0x74_69_6c_6c;

/** Ends the connections of gateways on a database, as a restart of the server does. */
const endConnections = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'dialtill gateway' AND datname = current_database()`;

async function hold(url: string, onTaken = () => {}): Promise<() => Promise<void>> {
  const sleep = () => new Promise<void>((resolve) => setImmediate(resolve));
  const release = await holdExclusively({ url, onTaken, sleep });
  onTestFinished(release);
  return release;
}

const holders = (url: string) =>
  runSql(
    url,
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${gatewayLock} AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );

test('a second gateway is rejected until the first one has given the database free', async () => {
  const url = await createDatabase();
  const release = await hold(url);
  await expect(hold(url)).rejects.toThrow('another gateway uses this database');
  await release();
  await hold(url);
});

test('a gateway whose connection was lost takes the database again', async () => {
  const url = await createDatabase();
  const onTaken = vi.fn();
  await hold(url, onTaken);
  expect(await runSql(url, endConnections)).toHaveLength(1);
  await vi.waitFor(async () => expect(await holders(url)).toHaveLength(1), { timeout: 20_000 });
  await expect(hold(url)).rejects.toThrow('another gateway uses this database');
  expect(onTaken).not.toHaveBeenCalled();
});

test('a gateway whose connection was lost ends when another one has taken the database', async () => {
  const url = await createDatabase();
  const onTaken = vi.fn();
  await hold(url, onTaken);
  const other = new pg.Client(url);
  await other.connect();
  onTestFinished(() => other.end());
  // It waits for the lock before it is free, and so is the next to have it.
  const taken = other.query(`SELECT pg_advisory_lock(${gatewayLock})`);
  await vi.waitFor(
    async () =>
      expect(
        await runSql(url, `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`),
      ).toHaveLength(1),
    { timeout: 20_000 },
  );
  await runSql(url, endConnections);
  await taken;
  await vi.waitFor(() => expect(onTaken).toHaveBeenCalledTimes(1), { timeout: 20_000 });
});

async function startGateway(url: string): Promise<Gateway> {
  const config = testConfig(temporaryFolder(), 'sk_test_0123456789abcdef');
  const gateway = await openGateway(
    { ...config, database: { url, maxConnections: 2 } },
    { log: createSilentLog(), clock: testClock() },
  );
  await gateway.start();
  return gateway;
}

async function isRecovering(url: string): Promise<boolean> {
  const gateway = await startGateway(url);
  try {
    const answer = await gateway.app.request('/readyz');
    return ((await answer.json()) as { recovering?: boolean }).recovering === true;
  } finally {
    await gateway.stop();
  }
}

test('a copy of the database starts with a recovery, and the database itself does not', async () => {
  const url = await createDatabase();
  expect(await isRecovering(url)).toBe(false);
  expect(await isRecovering(url)).toBe(false);
  const copy = await createDatabase(new URL(url).pathname.slice(1));
  expect(await isRecovering(copy)).toBe(true);
  // The copy is the ledger from now on, but its recovery is not complete.
  expect(await isRecovering(copy)).toBe(true);
  expect(await runSql(copy, 'SELECT count(*)::int AS restores FROM restore')).toEqual([{ restores: 1 }]);
});

test('an ordinary role that owns the database is enough', async () => {
  const url = await createDatabase('template0');
  const { pathname, host } = new URL(url);
  const name = pathname.slice(1);
  await runSql(url, `CREATE ROLE ${name} LOGIN PASSWORD 'ordinary'; ALTER DATABASE ${name} OWNER TO ${name}`);
  onTestFinished(() =>
    runSql(url, `REASSIGN OWNED BY ${name} TO dialtill; DROP OWNED BY ${name}; DROP ROLE ${name}`).then(
      () => {},
    ),
  );
  expect(await isRecovering(`postgres://${name}:ordinary@${host}/${name}`)).toBe(false);
});
