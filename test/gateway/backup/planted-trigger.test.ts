import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { backupSource } from '../../../src/gateway/upkeep/backup-source.ts';
import { createBackup } from '../../../src/gateway/upkeep/create-backup.ts';
import { restoreCopy } from '../../../src/gateway/upkeep/restore-copy.ts';
import { verifyCopy } from '../../../src/gateway/upkeep/verify-copy.ts';
import { Database } from '../../../src/sqlite/driver.ts';
import { backUpTill } from '../../kit/backup-till.ts';
import { createTill, payer, type Till } from '../../kit/till.ts';
import { withDatabase } from '../../kit/with-database.ts';

/** Runs when the recovery marks a restore, and credits the merchant for a prompt that no payer has approved. */
const payWithoutApproval = `CREATE TRIGGER pay AFTER UPDATE OF begun_at ON restore BEGIN
  INSERT INTO posting (subject_id, merchant_id, livemode, version, booking, account, amount_minor, at)
    SELECT id, merchant_id, livemode, version, 'paid', 'merchant:demo-shop', 50000, updated_at FROM collection;
  UPDATE collection SET status = 'paid', booked = 'paid';
END`;

/** Returns a till with an open prompt, and the path of a backup with the trigger. */
async function plantTrigger(): Promise<{ till: Till; backup: string }> {
  const till = await createTill();
  await till.prompted(payer);
  const { file: backup } = await backUpTill(till);
  withDatabase(backup, (file) => file.exec(payWithoutApproval));
  return { till, backup };
}

const planted = 'trigger pay on restore is not part of the schema';

test('a trigger that was planted in a backup is reported, and the backup is not restored', async () => {
  const { till, backup } = await plantTrigger();
  expect(await verifyCopy(backup)).toMatchObject({ ok: false, faults: [`schema: ${planted}`] });
  await till.restart(async () => {
    await expect(restoreCopy(backup, till.config.database.file, till.clock.now())).rejects.toThrow(planted);
  });
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
});

test('a backup that is exchanged after its verification is not restored', async () => {
  const till = await createTill();
  await till.prompted(payer);
  const { file: backup } = await backUpTill(till);
  const other = `${backup}.other`;
  copyFileSync(backup, other);
  withDatabase(other, (file) => file.exec('UPDATE collection SET goods_minor = 1'));
  const database = till.config.database.file;
  await till.restart(async () => {
    const restoring = restoreCopy(backup, database, till.clock.now());
    // The verification has opened the backup.
    renameSync(other, backup);
    await expect(restoring).rejects.toThrow(/changed during the restore.*goodsMinor: expected 2000/);
  });
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', goodsMinor: 2_000, restoredAt: null });
  expect(existsSync(`${database}.restoring`)).toBe(false);
});

test('a gateway does not start on a file with a planted trigger, and its statements do not run', async () => {
  const { till, backup } = await plantTrigger();
  const { file } = till.config.database;
  const start = till.restart(async () => {
    for (const part of ['-wal', '-shm']) rmSync(file + part, { force: true });
    copyFileSync(backup, file);
  });
  await expect(start).rejects.toThrow(planted);
  const found = await till.verify();
  expect(found.faults).toEqual([{ row: 'schema', fault: planted }]);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', restoredAt: null });
});

test('no backup is made of a ledger with a planted trigger', async () => {
  const { till } = await plantTrigger();
  await till.gateway().stop();
  withDatabase(till.config.database.file, (live) => live.exec(payWithoutApproval));
  const request = {
    source: backupSource(till.config.database, till.clock),
    to: `${till.folder}/later.db`,
    now: till.clock.now(),
  };
  await expect(createBackup(request)).rejects.toThrow(planted);
});

test('a trigger that is planted while the gateway runs does not run: nothing is written any more, and the process ends', async () => {
  let ended = 0;
  const till = await createTill({ overrides: () => ({ onBroken: () => void ended++ }) });
  await till.prompted(payer);
  const live = new Database(till.config.database.file);
  live.exec(`CREATE TRIGGER pay BEFORE INSERT ON turn BEGIN UPDATE collection SET status = 'paid'; END`);
  live.close();
  await till.phone('0244999999').dial();
  await till.clock.advance(5_000);
  expect(ended).toBe(1);
  expect(till.logged()).toMatch(
    /"fault":"another process has changed the schema: trigger pay on turn is not part of the schema".*the database has failed/,
  );
  expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
});

test('ANALYZE and VACUUM by another process do not stop a running gateway', async () => {
  const till = await createTill();
  await till.prompted(payer);
  withDatabase(till.config.database.file, (live) => live.exec('ANALYZE'), { timeout: 1_000 });
  expect(await till.pay('0244999999')).toContain('PIN');
});
