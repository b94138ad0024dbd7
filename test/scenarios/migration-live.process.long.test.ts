import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { restoreCopy } from '../../src/gateway/upkeep/restore-copy.ts';
import { verifyCopy } from '../../src/gateway/upkeep/verify-copy.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { isRecovering } from '../kit/backup-till.ts';
import { createTill, type Till } from '../kit/till.ts';
import { migrationsFolder, undoSecondMigration } from '../kit/two-migrations.ts';
import { startProgram } from '../process/processes.ts';

vi.mock(import('../../src/sqlite/migrations-folder.ts'), () => import('../kit/two-migrations.ts'));

const pendingPayer = '0244123456';
const newPayer = '0541234567';
const earlierPayers = { paid: '0201234567', declined: '0271234567' };

/** Upgrades the file in a process that is killed during the migration, before the migration is recorded. */
async function upgradeKilled(file: string): Promise<void> {
  const args = [file, migrationsFolder('gateway'), 'INSERT INTO __drizzle_migrations'];
  const upgrade = startProgram({ onTestFinished }, 'test/gateway/backup/child-migrate.ts', args);
  expect(await upgrade.ended).toEqual({ code: null, signal: 'SIGKILL' });
}

/** Reads one value of the till's ledger. */
function readValue(till: Till, query: string): unknown {
  const database = new Database(till.config.database.file, { readonly: true });
  try {
    return database.prepare(query).pluck().get();
  } finally {
    database.close();
  }
}

const lastSeal = 'SELECT hash FROM seal ORDER BY number DESC LIMIT 1';
const migrationCount = 'SELECT count(*) FROM __drizzle_migrations';

test('S33: after an upgrade that was killed midway, the next start completes the older ledger and payers continue', async () => {
  const till = await createTill();
  await till.paidPayment(earlierPayers.paid);
  await till.prompted(earlierPayers.declined);
  await till.declined(earlierPayers.declined);
  await till.prompted(pendingPayer);
  const { file } = till.config.database;
  let head: unknown;
  await till.restart(async () => {
    undoSecondMigration(file);
    head = readValue(till, lastSeal);
    await upgradeKilled(file);
    expect(readValue(till, migrationCount)).toBe(1);
    // A complete copy of the older file is next to it.
    expect(readdirSync(dirname(file)).filter((name) => /\.before-\d+$/.test(name))).toHaveLength(1);
  });
  expect(head).toMatch(/^[0-9a-f]{64}$/);
  expect(readValue(till, migrationCount)).toBe(2);
  // Requests arrive immediately after the start.
  const dialled = till.pay(newPayer);
  await till.approve(pendingPayer);
  await dialled;
  await till.untilStatus(pendingPayer, 'paid');
  await till.untilStatus(newPayer, 'initiated');

  expect(await isRecovering(till)).toBe(false);
  expect(readValue(till, `SELECT count(*) FROM seal WHERE hash = '${head}'`)).toBe(1);
  expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
  const { sessions } = await till.service.statement();
  expect(sessions.map(({ pushes }) => pushes)).toEqual([1, 1, 1, 1]);
  expect((await till.record((await till.only(pendingPayer)).id)).postings).toHaveLength(3);
});

test('S33: an older copy is audited completely: one posting with a wrong amount is found', async () => {
  const till = await createTill();
  await till.paidPayment(earlierPayers.paid);
  const { id } = await till.only(earlierPayers.paid);
  await till.gateway().stop();
  const head = readValue(till, lastSeal);
  const older = join(till.folder, 'older.db');
  copyFileSync(till.config.database.file, older);
  undoSecondMigration(older);
  const bytes = readFileSync(older);
  const audits = () => readdirSync(tmpdir()).filter((name) => name.startsWith('dialtill-audit-'));
  const before = audits();
  expect(await verifyCopy(older)).toMatchObject({ ok: true, faults: [], head, schema: { migrations: 1 } });
  expect(readFileSync(older).equals(bytes)).toBe(true);

  const database = new Database(older);
  database.exec('DROP TRIGGER posting_no_update');
  database.exec('UPDATE posting SET amount_minor = amount_minor + 500 WHERE seq = 1');
  database.close();
  const { ok, faults } = await verifyCopy(older);
  expect(ok).toBe(false);
  expect(faults).toContain('schema: trigger posting_no_update on posting is missing');
  expect(faults).toContain(`collection ${id}: its paid booking must sum to 0, found 500 pesewas`);
  expect(faults).toContainEqual(expect.stringMatching(/^seal \d+: its hash does not match/));
  expect(audits()).toEqual(before);
  await till.restart();
});

test('S33: a copy of an older version is upgraded when it is restored', async () => {
  const till = await createTill();
  await till.prompted(earlierPayers.paid);
  const { file } = till.config.database;
  const older = join(till.folder, 'older.db');
  await till.restart(async () => {
    copyFileSync(file, older);
    undoSecondMigration(older);
    const bytes = readFileSync(older);
    const schema = { migrations: 2, known: 2, isNewer: false };
    expect(await restoreCopy(older, file, till.clock.now())).toMatchObject({ ok: true, schema });
    expect(readFileSync(older).equals(bytes)).toBe(true);
  });
  await till.untilStatus(earlierPayers.paid, 'initiated');
});

test('S33: a file that a newer version wrote is rejected and stays byte for byte as it was', async () => {
  const till = await createTill();
  await till.prompted(pendingPayer);
  const { file } = till.config.database;
  await till.restart(async () => {
    const database = new Database(file);
    database.exec(`INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('newer', 9e15)`);
    const before = database.serialize();
    expect(() => createSqliteStore({ file, schema: 'gateway', clock: till.clock })).toThrow(
      /newer version of dialtill/,
    );
    expect(database.serialize().equals(before)).toBe(true);
    database.exec(`DELETE FROM __drizzle_migrations WHERE hash = 'newer'`);
    database.close();
  });
});
