import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/create.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { backUpTill, isRecovering, untilRecovered } from '../kit/backup-till.ts';
import { allNeedFile } from '../kit/engine.ts';
import { createSilentLog } from '../kit/log.ts';
import { paidInFull } from '../kit/scenes.ts';
import { createTill, type Till } from '../kit/till.ts';

allNeedFile('restore copies of a file; test/postgres/{backup,failover} restore a server');

const payer = '0244123456';

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
