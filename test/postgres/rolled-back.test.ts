import { expect, onTestFinished, test, vi } from 'vitest';
import { openGateway } from '../../src/gateway/create.ts';
import { type LedgerIdentity, readIdentity, type SeenBlock } from '../../src/postgres/cluster.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startForwarder } from '../kit/forwarder.ts';
import { createKeptLog } from '../kit/log.ts';
import { begin, createDatabase, openPostgres, runSql } from '../kit/postgres.ts';
import { takeSnapshot } from '../kit/standby.ts';
import { startEmbeddedPostgres } from '../kit/start-postgres.ts';
import { testConfig } from '../kit/till.ts';
import { dialOn, isRecovering, openingOf, startGateway } from './gateway.ts';

/* A server that is set back to an earlier state while gateways use it. */

const portOf = (url: string) => Number(new URL(url).port);
const newestBlock = 'SELECT number, hash FROM seal ORDER BY number DESC LIMIT 1';
const notedCluster = 'SELECT cluster FROM ledger_file';

/** Removes the newest block, as the snapshot of a disk does. */
const removeBlock = (url: string) =>
  runSql(
    url,
    'ALTER TABLE seal DISABLE TRIGGER USER; DELETE FROM seal WHERE number = (SELECT max(number) FROM seal)',
  );

/** Waits until the connection by which a gateway is counted has read the newest block once more. */
async function untilBlockRead(url: string): Promise<void> {
  const [{ now } = { now: '' }] = (await runSql(url, 'SELECT clock_timestamp()::text AS now')) as {
    now: string;
  }[];
  const read = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'dialtill gateway' AND state = 'idle'
    AND datname = current_database() AND query LIKE 'SELECT number, hash FROM seal%' AND query_start > '${now}'`;
  await vi.waitUntil(async () => (await runSql(url, read)).length > 0, { timeout: 20_000 });
}

/** Creates a ledger that a gateway has written and sealed. */
async function createSealed(): Promise<string> {
  const url = await createDatabase();
  const gateway = await startGateway(url);
  await dialOn(gateway, 1);
  await vi.waitUntil(async () => (await runSql(url, newestBlock)).length > 0, { timeout: 20_000 });
  await gateway.stop();
  return url;
}

/** Reads the ledger of a connection of its own, whose newest block is seen. */
async function identify(url: string, seen: SeenBlock): Promise<LedgerIdentity> {
  const client = await begin(url);
  const identity = await readIdentity(client, seen);
  await identity.seeBlock(client);
  await client.query('COMMIT');
  return identity;
}

test('a gateway whose server is set back to a snapshot of its disk ends with an alarm and writes nothing, and the next start recovers', async () => {
  const server = await startEmbeddedPostgres();
  onTestFinished(() => server.stop());
  await runSql(`${server.url}/postgres`, 'CREATE DATABASE ledger');
  const first = await startGateway(`${server.url}/ledger`);
  await dialOn(first, 1);
  await first.stop();
  const startSnapshot = await takeSnapshot(server);
  const forwarder = await startForwarder(portOf(server.url));
  onTestFinished(forwarder.close);
  const through = `${server.url.replace(/:\d+$/, '')}:${forwarder.port}/ledger`;
  const { log, logged } = createKeptLog();
  const onBroken = vi.fn();
  const config = {
    ...testConfig(temporaryFolder(), 'sk_test_0123456789abcdef'),
    database: { url: through, maxConnections: 2 },
  };
  const gateway = await openGateway(config, { log, onBroken });
  await gateway.start();
  // A gateway that may not write cannot record that it stops.
  const stop = () => gateway.stop().catch(() => {});
  onTestFinished(stop);
  const [before] = (await runSql(through, 'SELECT count(*)::int AS blocks FROM seal')) as {
    blocks: number;
  }[];
  await dialOn(gateway, 2);
  const blocks = async () => (await runSql(through, 'SELECT 1 FROM seal')).length;
  await vi.waitUntil(async () => (await blocks()) > (before?.blocks ?? 0), { timeout: 20_000 });
  await untilBlockRead(through);
  // A server that only restarts is the same one.
  forwarder.lead(portOf(server.url));
  expect(await dialOn(gateway, 3)).not.toMatch(/later|moment/i);
  expect(onBroken).not.toHaveBeenCalled();
  const back = await startSnapshot();
  onTestFinished(() => back.stop());
  forwarder.lead(portOf(back.url));
  await vi.waitUntil(() => onBroken.mock.calls.length > 0, { timeout: 20_000 });
  expect(logged()).toContain('"alarm":"ledger_rolled_back"');
  const turns = await runSql(`${back.url}/ledger`, 'SELECT session FROM turn ORDER BY seq');
  expect(await dialOn(gateway, 4)).not.toBe('');
  expect(await runSql(`${back.url}/ledger`, 'SELECT session FROM turn ORDER BY seq')).toEqual(turns);
  await stop();
  expect(await isRecovering(`${back.url}/ledger`)).toBe(true);
});

test('each connection of a process finds that the newest block is missing, and only the first one notes that the ledger is a copy', async () => {
  const url = await createSealed();
  const seen: SeenBlock = {};
  const identity = await identify(url, seen);
  const onChanged = vi.fn();
  const store = await openPostgres(url, { onChanged, seen });
  expect(await identity.changeOn(await begin(url))).toBeNull();
  await removeBlock(url);
  await expect(store.apply(openingOf('0244123456'))).rejects.toMatchObject({ kind: 'busy' });
  expect(onChanged).toHaveBeenCalledWith('rolled_back');
  const noted = await runSql(url, notedCluster);
  expect(noted).toEqual([{ cluster: expect.stringMatching(/^elsewhere /) }]);
  expect(await identity.changeOn(await begin(url))).toBe('rolled_back');
  expect(await runSql(url, notedCluster)).toEqual(noted);
});

test('a block that was written again with another content, or a database without tables, is an earlier state', async () => {
  const url = await createSealed();
  const identity = await identify(url, {});
  const connection = await begin(url);
  await connection.query('ALTER TABLE seal DISABLE TRIGGER USER');
  await connection.query(
    `UPDATE seal SET hash = repeat('0', 64) WHERE number = (SELECT max(number) FROM seal)`,
  );
  expect(await identity.changeOn(connection)).toBe('rolled_back');
  await connection.query('DROP TABLE ledger_file CASCADE');
  expect(await identity.changeOn(connection)).toBe('rolled_back');
});

test('a ledger without a block, and one with more blocks than were seen, is the same ledger', async () => {
  const url = await createDatabase();
  await startGateway(url).then((gateway) => gateway.stop());
  const early = await identify(url, {});
  expect(await early.changeOn(await begin(url))).toBeNull();
  const sealed = await createSealed();
  const identity = await identify(sealed, {});
  await runSql(
    sealed,
    `INSERT INTO seal SELECT number + 1, fact_seq, posting_seq, turn_seq, setting_seq, action_seq, rows, at, hash, repeat('a', 64), key_id, signature
     FROM seal ORDER BY number DESC LIMIT 1`,
  );
  expect(await identity.changeOn(await begin(sealed))).toBeNull();
});
