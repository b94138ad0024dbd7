import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { openForReading } from '../../src/gateway/database/database-location.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { backupSource } from '../../src/gateway/upkeep/backup-source.ts';
import { createBackup } from '../../src/gateway/upkeep/create-backup.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import { moveLedger } from '../../src/gateway/upkeep/move-ledger.ts';
import { restoreCopy } from '../../src/gateway/upkeep/restore-copy.ts';
import { verifyCopy } from '../../src/gateway/upkeep/verify-copy.ts';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';
import { restoreTo } from '../kit/standby.ts';
import { startEmbeddedPostgres } from '../kit/start-postgres.ts';
import { createTill } from '../kit/till.ts';
import { at, isRecovering, openingOf, readinessOf, startGateway } from './gateway.ts';

const clock = testClock();

/** Moves a ledger with a payment that is paid and one that waits for its payer to a server. Returns its URL. */
async function createServerLedger(): Promise<string> {
  const till = await createTill();
  await till.pay('0244123456');
  await till.until(async () => (await till.only('0244123456')).status === 'initiated', 20_000);
  await till.approved();
  await till.pay('0244123457');
  await till.clock.advance(60_000);
  await till.gateway().stop();
  const url = await createDatabase('template0');
  await moveLedger({ from: till.config.database, to: at(url), clock, onTable() {} });
  return url;
}

const backup = (url: string, to: string, keep?: number) =>
  createBackup({
    source: backupSource(at(url), clock),
    to,
    now: clock.now(),
    ...(keep !== undefined && { keep }),
  });

test('a backup of a ledger on a server is a verified file, and every gateway shows its age', async () => {
  const url = await createServerLedger();
  const [one, two] = [await startGateway(url), await startGateway(url)];
  onTestFinished(() => Promise.all([one.stop(), two.stop()]).then(() => {}));
  expect((await readinessOf(one)).lastBackupAt).toBeUndefined();
  const folder = join(temporaryFolder(), 'copies');
  const before = Date.now();
  const done = await backup(url, `${folder}/`);
  expect(done).toMatchObject({ ok: true, faults: [], isRecorded: true, contents: { collections: 2 } });
  expect(await verifyCopy(done.file)).toMatchObject({ ok: true, head: done.head, takenAt: done.takenAt });
  // Neither the clock of the test nor that of a machine: the server's.
  expect(done.takenAt).toBeGreaterThanOrEqual(before - 1_000);
  const { takenAt } = done;
  const shown = new Date(takenAt ?? 0).toISOString();
  expect([await readinessOf(one), await readinessOf(two)]).toMatchObject([
    { lastBackupAt: shown },
    { lastBackupAt: shown },
  ]);
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([done.file]);
  expect(statSync(done.file).mode & 0o777).toBe(0o600);
});

test('a backup of a server is restored to a file or moved to a server, and both begin with a recovery', async () => {
  const url = await createServerLedger();
  const { file, head } = await backup(url, join(temporaryFolder(), 'copy.db'));
  const restored = join(temporaryFolder(), 'restored.db');
  expect(await restoreCopy(file, restored, clock.now())).toMatchObject({ ok: true, head });
  const other = await createDatabase('template0');
  expect((await moveLedger({ from: at(file), to: at(other), clock, onTable() {} })).head).toBe(head);
  expect([await isRecovering(restored), await isRecovering(other), await isRecovering(url)]).toEqual([
    true,
    true,
    false,
  ]);
});

test('S31: gateways continue to write during the backup of a server, and every sum of the copy is correct', async () => {
  const url = await createServerLedger();
  const stores = [await openPostgres(url), await openPostgres(url)];
  let isDone = false;
  let opened = 0;
  const writing = stores.map(async (store) => {
    while (!isDone) {
      const number = `02440${String(10_000 + opened++)}`;
      expect(await store.apply(openingOf(number))).toBe(true);
    }
  });
  const folder = temporaryFolder();
  try {
    for (let n = 0; n < 3; n++) {
      const before = opened;
      const done = await backup(url, join(folder, `${n}.db`));
      expect(opened).toBeGreaterThan(before);
      expect(done).toMatchObject({ ok: true, faults: [] });
      // A moment of the time in which it was made.
      expect(done.contents?.collections).toBeLessThanOrEqual(2 + opened);
    }
  } finally {
    isDone = true;
    await Promise.all(writing);
  }
});

test('a backup of a server whose ledger was changed by hand is not kept', async () => {
  const url = await createServerLedger();
  await runSql(
    url,
    `ALTER TABLE posting DISABLE TRIGGER USER; UPDATE posting SET amount_minor = amount_minor + 1`,
  );
  const folder = temporaryFolder();
  await expect(backup(url, join(folder, 'copy.db'))).rejects.toThrow(
    /failed its verification and was not kept/,
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('backups of a server replace the oldest ones of the same database, and overwrite nothing', async () => {
  const url = await createServerLedger();
  const folder = temporaryFolder();
  const other = join(folder, 'other-2026-03-06T09-00-00-000Z.db');
  writeFileSync(other, '');
  const { file: first } = await backup(url, `${folder}/`, 1);
  await expect(backup(url, first)).rejects.toThrow('overwrites no file');
  await clock.advance(1_000);
  const { file: second, removed } = await backup(url, `${folder}/`, 1);
  expect(removed).toEqual([first]);
  expect([existsSync(other), existsSync(second)]).toEqual([true, true]);
});

test('a role that may only read makes a backup, which the ledger does not record', async () => {
  const url = await createServerLedger();
  const { pathname, host } = new URL(url);
  const role = `${pathname.slice(1)}_reader`;
  await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD 'reader'; GRANT pg_read_all_data TO ${role}`);
  onTestFinished(() => runSql(url, `DROP ROLE ${role}`).then(() => {}));
  const done = await backup(`postgres://${role}:reader@${host}${pathname}`, join(temporaryFolder(), 'a.db'));
  expect(done).toMatchObject({ ok: true, isRecorded: false });
});

/** Starts a server with a ledger that has one collection of each number. */
async function startServer(context: TestContext) {
  const server = await startEmbeddedPostgres();
  context.onTestFinished(() => server.stop());
  await runSql(`${server.url}/postgres`, 'CREATE DATABASE ledger');
  const url = `${server.url}/ledger`;
  const open = async (number: string) => {
    const store = await createPostgresStore({ url, maxConnections: 1 });
    expect(await store.apply(openingOf(number))).toBe(true);
    await store.close();
  };
  return { server, url, open };
}

test('a server that is restored to a moment has the ledger of that moment, and its gateway begins with a recovery', async (context) => {
  const { server, url, open } = await startServer(context);
  // A gateway notes the server that its ledger is on.
  expect(await isRecovering(url)).toBe(false);
  await open('0244123456');
  const restored = await restoreTo('before the mistake', server, async () => {
    await open('0244123457');
    await runSql(url, `SELECT pg_create_restore_point('before the mistake')`);
    await open('0244123458');
  });
  context.onTestFinished(() => restored.stop());
  const restoredUrl = `${restored.url}/ledger`;
  const payers = 'SELECT payer FROM collection ORDER BY payer';
  expect(await runSql(restoredUrl, payers)).toEqual([{ payer: '233244123456' }, { payer: '233244123457' }]);
  const reader = await openForReading(at(restoredUrl));
  const report = await verifyLedger(ledgerStore(reader), ledgerAudits);
  await reader.close();
  expect(report).toMatchObject({ ok: true, faults: [] });
  // The restored server has a timeline of its own.
  expect(await isRecovering(restoredUrl)).toBe(true);
  expect(await isRecovering(url)).toBe(false);
});
