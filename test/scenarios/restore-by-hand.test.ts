import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/create.ts';
import { serveGateway } from '../../src/gateway/serve.ts';
import { backupSource } from '../../src/gateway/upkeep/backup-source.ts';
import { createBackup } from '../../src/gateway/upkeep/create-backup.ts';
import { restoreCopy } from '../../src/gateway/upkeep/restore-copy.ts';
import { verifyCopy } from '../../src/gateway/upkeep/verify-copy.ts';
import { createLog } from '../../src/shared/log.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { backUpTill, isRecovering, untilRecovered } from '../kit/backup-till.ts';
import { testClock } from '../kit/clock.ts';
import { allNeedFile } from '../kit/engine.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createSilentLog } from '../kit/log.ts';
import { paidInFull } from '../kit/scenes.ts';
import { createTill, day, hour, minute, payer, type Till } from '../kit/till.ts';
import { corruptTable, withoutTriggers } from '../kit/with-database.ts';

allNeedFile('restore copies of a file; test/postgres/{backup,failover} restore a server');

/** Replaces the database by hand, without `dialtill restore`. */
function put(till: Till, copy: string): void {
  const { file } = till.config.database;
  for (const part of ['-wal', '-shm']) rmSync(file + part, { force: true });
  copyFileSync(copy, file);
}

/** Copies the file of a till whose gateway stops for it, and starts again. */
async function copyByHand(till: Till): Promise<string> {
  const copy = join(till.folder, 'by-hand.db');
  await till.restart(async () => copyFileSync(till.config.database.file, copy));
  return copy;
}

function change(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

async function payAfter(till: Till): Promise<void> {
  await till.untilStatus(payer, 'initiated');
  await till.approved();
}

async function expectRecovered(till: Till): Promise<void> {
  expect(await isRecovering(till)).toBe(true);
  const row = await till.untilStatus(payer, 'paid');
  expect(await till.booked(row.id)).toEqual(paidInFull);
  await untilRecovered(till);
  expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
  await till.restart();
  expect(await isRecovering(till)).toBe(false);
}

test('a backup that was put in place by hand records that it is a copy: the gateway recovers', async () => {
  const till = await createTill();
  await till.pay(payer);
  const { file } = await backUpTill(till);
  await payAfter(till);
  await till.restart(async () => {
    put(till, file);
    // Also without a watermark beside the file.
    rmSync(`${till.config.database.file}.seen`);
  });
  await expectRecovered(till);
});

test('an older copy of the file is detected by the watermark: the gateway recovers', async () => {
  const till = await createTill();
  await till.pay(payer);
  const copy = await copyByHand(till);
  await payAfter(till);
  await till.restart(async () => put(till, copy));
  await expectRecovered(till);
});

test('a file that was moved without its watermark is treated as a copy, without harm', async () => {
  const till = await createTill();
  await till.prompted(payer);
  await till.restart(async () => {
    const { file } = till.config.database;
    till.config.database = { file: join(till.folder, 'elsewhere.db') };
    renameSync(file, till.config.database.file);
  });
  expect(await isRecovering(till)).toBe(true);
  await till.approved();
  await untilRecovered(till);
  expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test('a gateway that restarts on its own file begins no recovery', async () => {
  const till = await createTill();
  await till.prompted(payer);
  await till.restart();
  expect(await isRecovering(till)).toBe(false);
  expect((await till.only(payer)).restoredAt).toBeNull();
});

test('a start that fails before the recovery, such as on a port in use, does not accept an old copy as the ledger', async () => {
  const till = await createTill();
  const copy = await copyByHand(till);
  await till.prompted(payer);
  await till.restart(async () => {
    put(till, copy);
    const gateway = createGateway(till.config, { log: createSilentLog(), clock: till.clock });
    await gateway.stop();
  });
  expect(await isRecovering(till)).toBe(true);
  await till.pay(payer).catch(() => 'turned away');
  await till.clock.advance(20_000);
  expect(await till.service.statement()).toMatchObject({ pushes: 1 });
});

test('a gateway that cannot mark the open collections of an old copy never starts', async () => {
  const till = await createTill();
  till.faults.call = async () => {
    throw new Error('the network is down');
  };
  await till.pay(payer);
  const copy = await copyByHand(till);
  // The version that the mark is to have is taken: such a file is damaged.
  change(
    copy,
    `INSERT INTO fact (subject_id, merchant_id, version, kind, data, at)
      SELECT id, merchant_id, version + 1, 'called', '{}', opened_at FROM collection`,
  );
  const restarted = till.restart(async () => {
    put(till, copy);
    rmSync(`${till.config.database.file}.seen`);
    const gateway = createGateway(till.config, { log: createSilentLog(), clock: till.clock });
    await expect(gateway.start()).rejects.toThrow(/could not be marked/);
    await gateway.stop();
  });
  delete till.faults.call;
  await expect(restarted).rejects.toThrow(/could not be marked/);
  await till.clock.advance(20_000);
  expect(await till.service.statement()).toMatchObject({ pushes: 0 });
});

test('a file without a ledger id beside a watermark is detected as an older copy', async () => {
  const till = await createTill();
  await till.pay('0201234567');
  const copy = await copyByHand(till);
  // As a program leaves it that migrates the copy which it made before an upgrade.
  change(copy, 'DELETE FROM ledger_file');
  await till.prompted(payer);
  await till.restart(async () => put(till, copy));
  expect(await isRecovering(till)).toBe(true);
  await till.restart();
  expect(await isRecovering(till)).toBe(true);
  await untilRecovered(till);
  await till.restart();
  expect(await isRecovering(till)).toBe(false);
});

test('a gateway starts and stops when the watermark cannot be written, and raises one alarm', async () => {
  const till = await createTill();
  await till.restart(async () => mkdirSync(`${till.config.database.file}.seen.new`));
  await till.prompted(payer);
  await till.clock.advance(20_000);
  await till.approved();
  await till.clock.advance(20_000);
  expect(till.alarms()).toEqual(['watermark']);
  await till.restart(async () => rmSync(`${till.config.database.file}.seen.new`, { recursive: true }));
  // What it could not note is no older: the file has come further than its watermark says.
  expect(await isRecovering(till)).toBe(false);
});

const fault = 'Sorry, something went wrong. Please try again.';

const dial = (till: Till) => till.phone(payer).dial();

/** Restores with a command whose machine's clock is wrong by so much. */
function restoreAt(till: Till, copy: string, aheadMs: number): Promise<void> {
  return till.restart(async () => {
    await restoreCopy(copy, till.config.database.file, till.clock.now() + aheadMs);
  });
}

test.each([20 * hour, 30 * day])(
  'a restore with a clock %i ms ahead pauses new payments for the normal time',
  async (ahead) => {
    const till = await createTill({ onMachineClock: true });
    await till.prompted();
    const { file } = await backUpTill(till);
    await restoreAt(till, file, ahead);
    expect(await dial(till)).toBe(fault);
    await till.clock.advance(7 * minute);
    expect(await dial(till)).not.toBe(fault);
    expect(await isRecovering(till)).toBe(false);
  },
);

test('a restore with a clock an hour behind opens no collection beside a prompt that the copy does not contain', async () => {
  const till = await createTill({ onMachineClock: true });
  await till.prompted('0201234567');
  const { file } = await backUpTill(till);
  await till.clock.advance(minute);
  await till.prompted(payer);
  till.setMachineClock(-hour);
  await restoreAt(till, file, -hour);
  expect(await dial(till)).toBe(fault);
  await till.clock.advance(5 * minute);
  expect(await dial(till)).toBe(fault);
  const book = await till.service.statement();
  expect(book.sessions.map(({ pushes }) => pushes)).toEqual([1, 1]);
});

test('a corrected clock does not end a recovery: the pause uses monotonic time', async () => {
  const till = await createTill({ onMachineClock: true });
  const { file } = await backUpTill(till);
  await till.prompted(payer);
  till.setMachineClock(-hour);
  await restoreAt(till, file, -hour);
  await till.clock.advance(10_000);
  till.setMachineClock(hour);
  await till.clock.advance(30_000);
  expect(await dial(till)).toBe(fault);
  expect(await isRecovering(till)).toBe(true);
  await till.clock.advance(6 * minute);
  expect(await isRecovering(till)).toBe(false);
  expect(await dial(till)).not.toBe(fault);
});

test('a recovery continues after a restart of the gateway, without a new pause', async () => {
  const till = await createTill({ onMachineClock: true });
  const { file } = await backUpTill(till);
  await restoreAt(till, file, 0);
  await till.clock.advance(4 * minute);
  await till.restart();
  expect(await dial(till)).toBe(fault);
  await till.clock.advance(2 * minute + 10_000);
  expect(await isRecovering(till)).toBe(false);
  expect(await dial(till)).not.toBe(fault);
});

test('S29: a damaged page: no payer is charged, the reason is reported, no copy of it verifies, and a good copy is restored', async () => {
  const till = await createTill();
  await till.prompted(payer);
  const { file: copy } = await backUpTill(till);
  const { file } = till.config.database;
  await till.restart(async () => {
    corruptTable(file, 'collection');
    const log = createLog({ level: 'silent', pretty: false });
    const config = { ...till.config, listen: { ...till.config.listen, port: 0 } };
    const starting = serveGateway(config, { log, clock: till.clock, onBroken: () => {} });
    await expect(starting).rejects.toThrow(
      /cannot be used: SQLITE_CORRUPT.*No payer is charged.*docs\/operations\/damaged-file.md/,
    );

    const now = till.clock.now();
    const to = join(till.folder, 'of-damaged');
    await expect(
      createBackup({ source: backupSource({ file }, till.clock), to: `${to}/`, now }),
    ).rejects.toThrow(/malformed/);
    await expect(restoreCopy(file, join(till.folder, 'other.db'), now)).rejects.toThrow(
      /failed its verification/,
    );
    expect(await verifyCopy(file)).toMatchObject({ ok: false });
    await restoreCopy(copy, file, now);
  });
  await till.approved();
  await untilRecovered(till);
  expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
});

test('S29: damage that a read detects ends the gateway: it is not ready, and logs the reason', async () => {
  const till = await createTill();
  await till.restart(async () =>
    corruptTable(till.config.database.file, 'sqlite_autoindex_dialler_setting_1'),
  );
  const phone = till.phone(payer);
  expect(await phone.dial()).toContain('went wrong');
  expect(phone.kind()).toBe('end');
  const { status } = await till.gateway().app.request('http://gateway.test/readyz');
  expect(status).toBe(503);
  expect(till.logged()).toMatch(
    /"fault":"SQLITE_CORRUPT[^"]*","see":"docs\/operations\/damaged-file.md","msg":"the database has failed/,
  );
});

test('S29: the audit detects a flipped bit in a sum that no page check detects', async () => {
  const till = await createTill();
  await till.paidPayment();
  await till.restart(async () => {
    const { file } = till.config.database;
    const database = new Database(file);
    withoutTriggers(database, () =>
      database.exec(`UPDATE posting SET amount_minor = amount_minor + 1 WHERE account = 'service_fees'`),
    );
    database.close();
    const source = backupSource({ file }, till.clock);
    const request = { source, to: join(till.folder, 'copy.db'), now: till.clock.now() };
    await expect(createBackup(request)).rejects.toThrow(
      /failed its verification and was not kept: .*hash does not match/,
    );
    await expect(verifyCopy(request.to)).rejects.toThrow('there is no database');
  });
});

test('S29: a SQLite version that can corrupt the file is rejected before any read', () => {
  const old = (file: string) => {
    const connection = new Database(file);
    connection.function('sqlite_version', () => '3.51.2');
    return connection;
  };
  const file = join(temporaryFolder(), 'ledger.db');
  expect(() => createSqliteStore({ file, schema: 'gateway', clock: testClock(), connect: old })).toThrow(
    /SQLite 3\.51\.2 can corrupt a WAL database; dialtill needs 3\.51\.3 or newer/,
  );
});
