import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { memberLock } from '../../src/postgres/locks.ts';
import { joinGateways, type Member } from '../../src/postgres/member.ts';
import { createPostgresSnapshots } from '../../src/postgres/reader.ts';
import { shareDatabase } from '../../src/postgres/server.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';
import { isRecovering, openingOf, startGateway } from './gateway.ts';

/** Ends the connections by which gateways are counted, as a restart of the server does. */
const endConnections = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'dialtill gateway' AND datname = current_database()`;

async function join(
  url: string,
  name: string,
  changed: { onChanged?: () => void; onPause?: (payload: string) => void } = {},
): Promise<Member> {
  const member = await joinGateways({
    ...{ url, name, follow() {}, monotonic: () => performance.now(), onChanged() {}, onPause() {} },
    // Waits for real, because it waits for a server.
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, 20);
        signal.addEventListener('abort', done);
      }),
    ...changed,
  });
  onTestFinished(() => member.leave());
  return member;
}

const waiting = { timeout: 20_000 };

test('gateways count each other, also after a lost connection', async () => {
  const url = await createDatabase();
  const one = await join(url, 'gw_1');
  const two = await join(url, 'gw_2');
  await vi.waitFor(() => expect([one.count(), two.count()]).toEqual([2, 2]), waiting);
  expect(await runSql(url, endConnections)).toHaveLength(2);
  await vi.waitFor(async () => {
    const again = await join(url, 'gw_3');
    const count = again.count();
    await again.leave();
    expect(count).toBe(3);
  }, waiting);
  await two.leave();
  await vi.waitFor(() => expect(one.count()).toBe(1), waiting);
});

test('the connections of a gateway and of a read run one query at a time, also after a failed one', async () => {
  const url = await createDatabase();
  const warnings: string[] = [];
  const watch = ({ message }: Error) => void warnings.push(message);
  process.on('warning', watch);
  onTestFinished(() => void process.off('warning', watch));
  const paused = vi.fn();
  const one = await join(url, 'gw_1', { onPause: paused });
  for (const payload of ['a', 'b', 'c']) one.announcePause(payload);
  expect(await one.runAlone('job', async () => 'done')).toBe('done');
  await vi.waitFor(() => expect(paused).toHaveBeenCalledTimes(3), waiting);
  const snapshots = createPostgresSnapshots({ url, maxConnections: 1, maxStatementMs: 5_000 });
  onTestFinished(() => snapshots.close());
  const ask = (...queries: string[]) =>
    snapshots.read(({ query }) => Promise.all(queries.map((sql) => query(sql, [], 'row'))));
  expect(await ask('SELECT 1', 'SELECT 2', 'SELECT 3')).toEqual([[1], [2], [3]]);
  await expect(ask('SELECT 1/0', 'SELECT 2', 'SELECT 3')).rejects.toThrow('division by zero');
  // Queries that still wait when their read ends are not part of the next one.
  const late = await snapshots.read(async ({ query }) => ({
    queries: Promise.allSettled(['SELECT 1/0', 'SELECT 2', 'SELECT 3'].map((sql) => query(sql, [], 'row'))),
  }));
  const aborted = (await late.queries).map(({ status }) => status);
  expect(aborted).toEqual(['rejected', 'rejected', 'rejected']);
  expect(warnings.filter((text) => text.includes('already executing'))).toEqual([]);
});

test('a gateway does not start beside a program that uses the database alone', async () => {
  const url = await createDatabase();
  const alone = new pg.Client(url);
  await alone.connect();
  onTestFinished(() => alone.end());
  await alone.query(`SELECT pg_advisory_lock(${memberLock})`);
  await expect(join(url, 'gw_1')).rejects.toThrow('another program uses this database alone');
});

test('a program with later migrations does not change the tables under gateways of an older version', async () => {
  const url = await createDatabase();
  await runSql(
    url,
    `DELETE FROM "__drizzle_migrations" WHERE created_at = (SELECT max(created_at) FROM "__drizzle_migrations")`,
  );
  const older = await join(url, 'gw_1');
  await expect(openPostgres(url)).rejects.toThrow('gateways of an older version use this database');
  await older.leave();
  // A gateway whose own connection was lost for a moment still has those that write.
  const writer = new pg.Client(url);
  await writer.connect();
  onTestFinished(() => writer.end());
  await shareDatabase(writer);
  await expect(openPostgres(url)).rejects.toThrow('gateways of an older version use this database');
  await writer.query('SELECT pg_advisory_unlock_all()');
  await expect(openPostgres(url)).rejects.not.toThrow('gateways of an older version use this database');
});

test('a gateway that is cut off while a newer version changes the tables ends, and writes nothing more', async () => {
  const url = await createDatabase();
  const [onStore, onMember] = [vi.fn(), vi.fn()];
  const store = await openPostgres(url, { onChanged: onStore });
  await join(url, 'gw_1', { onChanged: onMember });
  await runSql(url, `INSERT INTO "__drizzle_migrations" VALUES ('later', 9999999999999)`);
  await runSql(url, endConnections);
  await vi.waitFor(() => expect(onMember).toHaveBeenCalledExactlyOnceWith('upgraded'), waiting);
  await expect(store.apply(openingOf('0244123456'))).rejects.toMatchObject({ kind: 'busy' });
  expect(onStore).toHaveBeenCalledWith('upgraded');
});

test('a gateway that leaves while it connects again has no connection afterwards, and one that cannot join has none', async () => {
  const url = await createDatabase();
  const connections = () =>
    runSql(
      url,
      `SELECT 1 FROM pg_stat_activity WHERE application_name = 'dialtill gateway' AND datname = current_database()`,
    );
  const member = await join(url, 'gw_1');
  await runSql(url, endConnections);
  await member.leave();
  expect(await connections()).toEqual([]);
  await runSql(url, 'ALTER TABLE ledger_file RENAME TO other');
  await expect(join(url, 'gw_2')).rejects.toThrow('ledger_file');
  await vi.waitFor(async () => expect(await connections()).toEqual([]), waiting);
});

test('gateways start one after the other, and only the first one of a database is alone', async () => {
  const url = await createDatabase();
  const members = [await join(url, 'gw_1'), await join(url, 'gw_2')];
  const order: string[] = [];
  await Promise.all(
    members.map((member) =>
      member.startAlone(async (isAlone) => {
        order.push(`begin ${isAlone}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
        order.push('end');
      }),
    ),
  );
  expect(order).toEqual(['begin false', 'end', 'begin false', 'end']);
  await members[1]?.leave();
  await members[0]?.startAlone(async (isAlone) => void order.push(`begin ${isAlone}`));
  expect(order.at(-1)).toBe('begin true');
});

test('of several gateways one at a time does a daily job, and none while the database is away', async () => {
  const url = await createDatabase();
  const [one, two] = [await join(url, 'gw_1'), await join(url, 'gw_2')];
  const answers = await one.runAlone('retention', async () => [
    await two.runAlone('retention', async () => 'twice'),
    await two.runAlone('quotes', async () => 'other job'),
  ]);
  expect(answers).toEqual([undefined, 'other job']);
  expect(await two.runAlone('retention', async () => 'later')).toBe('later');
});

test('a pause after a 429 reaches the other gateways', async () => {
  const url = await createDatabase();
  const onPause = vi.fn();
  const one = await join(url, 'gw_1');
  await join(url, 'gw_2', { onPause });
  one.announcePause('{"merchantId":"shop"}');
  await vi.waitFor(() => expect(onPause).toHaveBeenCalledWith('{"merchantId":"shop"}'), waiting);
});

test('a copy of the database starts with one recovery, also of two gateways, and the database itself with none', async () => {
  const url = await createDatabase();
  expect(await isRecovering(url)).toBe(false);
  expect(await isRecovering(url)).toBe(false);
  const copy = await createDatabase(new URL(url).pathname.slice(1));
  expect(await Promise.all([isRecovering(copy), isRecovering(copy)])).toEqual([true, true]);
  // The copy is the ledger from now on, but its recovery is not complete.
  expect(await isRecovering(copy)).toBe(true);
  expect(await runSql(copy, 'SELECT count(*)::int AS restores FROM restore')).toEqual([{ restores: 1 }]);
});

test('a gateway that starts alone leaves the leases of others to expire: a gateway without connections may still work', async () => {
  const url = await createDatabase();
  const store = await openPostgres(url);
  await store.apply(openingOf('0244123456'));
  const leaseUntil = Date.now() + 60_000;
  await runSql(url, `UPDATE job SET fence = 7, next_at = ${leaseUntil}, lease_until = ${leaseUntil}`);
  const gateway = await startGateway(url);
  await gateway.stop();
  const [row] = await runSql(url, 'SELECT fence::int, lease_until::text FROM job');
  expect(row).toEqual({ fence: 7, lease_until: String(leaseUntil) });
});

// cspell:ignore plpgsql
test('what a start changes in every open payment has no limit of time: on the ledger, and on a copy', async () => {
  const url = await createDatabase();
  await (await startGateway(url)).stop();
  await (await openPostgres(url)).apply(openingOf('0244123456'));
  await runSql(
    url,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''% with a limit'', TG_ARGV[0]; END';
    CREATE TRIGGER limited BEFORE UPDATE ON collection FOR EACH STATEMENT
      WHEN (current_setting('statement_timeout') || current_setting('transaction_timeout') <> '00')
      EXECUTE FUNCTION refuse('an update')`,
  );
  await (await startGateway(url)).stop();
  await runSql(url, `UPDATE ledger_file SET cluster = 'elsewhere'`);
  expect(await isRecovering(url)).toBe(true);
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
