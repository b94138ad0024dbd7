import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { backupSource } from '../../src/gateway/upkeep/backup-source.ts';
import { createBackup } from '../../src/gateway/upkeep/create-backup.ts';
import { recordBackup } from '../../src/gateway/upkeep/last-backup-store.ts';
import { readWatermark, writeWatermark } from '../../src/gateway/upkeep/ledger-origin.ts';
import { copyDatabase } from '../../src/sqlite/copy.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { lockDatabase } from '../../src/sqlite/lock.ts';
import { ensurePrivate, replacePrivately } from '../../src/sqlite/private-file.ts';
import { replaceDatabase } from '../../src/sqlite/replace-database.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { placeMigrated } from '../kit/migrated.ts';

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

/** A folder with a file of another program, which no write of dialtill may reach. */
function plantTarget(): { folder: string; target: string; untouched(): void } {
  const folder = temporaryFolder();
  const target = join(folder, 'of-another-program');
  writeFileSync(target, 'important', { mode: 0o644 });
  return {
    folder,
    target,
    untouched() {
      expect(readFileSync(target, 'utf8')).toBe('important');
      expect(modeOf(target)).toBe('644');
    },
  };
}

/** Opens a database. Returns the names of the files whose mode was corrected. */
async function openedWith(file: string): Promise<string[]> {
  const exposed: string[] = [];
  const onExposed = (path: string) => void exposed.push(basename(path));
  await createSqliteStore({ file, schema: 'gateway', clock: testClock(), onExposed }).close();
  return exposed.sort();
}

function placeLedger(folder = temporaryFolder()): string {
  const file = join(folder, 'ledger.db');
  placeMigrated(file, 'gateway');
  return file;
}

test('a small file is not written through a link that was planted in the place of its draft or of itself', () => {
  const { folder, target, untouched } = plantTarget();
  const file = join(folder, 'ledger.db.seen');
  symlinkSync(target, `${file}.new`);
  replacePrivately(file, 'one');
  untouched();
  expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['one', '600']);

  symlinkSync(target, join(folder, 'link'));
  replacePrivately(join(folder, 'link'), 'two');
  untouched();
  expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(false);
});

test('a draft that a crash left, readable by others, becomes private', () => {
  const file = join(temporaryFolder(), 'state.json');
  writeFileSync(`${file}.new`, 'half of a sec', { mode: 0o644 });
  replacePrivately(file, 'secret');
  expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['secret', '600']);
});

test('a watermark behind a link is not read, so that the start begins a recovery', () => {
  const { folder, target } = plantTarget();
  const file = join(folder, 'ledger.db');
  writeFileSync(target, JSON.stringify({ ledger: 'led_1', facts: 7 }));
  symlinkSync(target, `${file}.seen`);
  expect(readWatermark(file)).toBeUndefined();
  writeWatermark(file, { ledger: 'led_1', facts: 8 });
  expect(readWatermark(file)).toEqual({ ledger: 'led_1', facts: 8 });
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({ ledger: 'led_1', facts: 7 });
});

test.each(['', '-wal', '-shm', '-journal', '.lock'])(
  'no store opens while ledger.db%s is a symbolic link, and its target is not changed',
  (part) => {
    const { folder, target, untouched } = plantTarget();
    const file = join(folder, 'ledger.db');
    if (part !== '') placeMigrated(file, 'gateway');
    symlinkSync(target, file + part);
    expect(() => createSqliteStore({ file, schema: 'gateway', clock: testClock() })).toThrow(
      /is a symbolic link, which another user could have placed there/,
    );
    untouched();
  },
);

test('a link without a target creates no file elsewhere', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'ledger.db');
  symlinkSync(join(folder, 'elsewhere.db'), file);
  expect(() => createSqliteStore({ file, schema: 'gateway', clock: testClock() })).toThrow(/symbolic link/);
  expect(existsSync(join(folder, 'elsewhere.db'))).toBe(false);
});

test('files of a database that other users can read become private, and each one is reported', async () => {
  const file = placeLedger();
  const writer = new Database(file);
  onTestFinished(() => void writer.close());
  writer.pragma('journal_mode = WAL');
  writer.exec(`INSERT INTO ledger_file (id) VALUES ('led_1')`);
  const names = ['', '-wal', '-shm', '.before-1795310163099', '.replaced-2026', '.seen'];
  for (const part of names.slice(3)) writeFileSync(file + part, '');
  for (const part of names) chmodSync(file + part, 0o644);
  expect(await openedWith(file)).toEqual(names.map((part) => `ledger.db${part}`).sort());
  for (const part of names.slice(2)) expect(modeOf(file + part)).toBe('600');
  expect(modeOf(file)).toBe('600');
  expect(await openedWith(file)).toEqual([]);
});

test('a database of another user that others can access is rejected, and its mode is not changed', () => {
  const file = placeLedger();
  chmodSync(file, 0o666);
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(statSync(file).uid + 1);
  onTestFinished(() => getuid.mockRestore());
  expect(() => ensurePrivate(file)).toThrow(
    /other users can access .*ledger\.db \(mode 666\), and it belongs to another user\. Change its owner/,
  );
  expect(modeOf(file)).toBe('666');
});

test('a copy is not written through a link that was planted under its name', () => {
  const { folder, target, untouched } = plantTarget();
  const file = placeLedger(folder);
  symlinkSync(target, join(folder, 'copy.db'));
  copyDatabase(file, join(folder, 'copy.db'), 0);
  untouched();
  expect(lstatSync(join(folder, 'copy.db')).isFile()).toBe(true);
  expect(modeOf(join(folder, 'copy.db'))).toBe('600');
});

test('a backup makes the earlier copies in its folder private, and no other file', async () => {
  const to = join(temporaryFolder(), 'copies');
  mkdirSync(to);
  const clock = testClock();
  const source = backupSource({ file: placeLedger() }, clock);
  const { file: first } = await createBackup({ source, to, now: clock.now() });
  const other = join(to, 'notes.txt');
  writeFileSync(other, '', { mode: 0o644 });
  chmodSync(first, 0o644);
  await clock.advance(1_000);
  expect(await createBackup({ source, to, now: clock.now() })).toMatchObject({ madePrivate: [first] });
  expect([modeOf(first), modeOf(other)]).toEqual(['600', '644']);
});

test('a ledger of another user is refused with what to do, not with the text of the library alone', () => {
  const file = placeLedger();
  const connect = () => {
    throw new Database.SqliteError('unable to open database file', 'SQLITE_CANTOPEN');
  };
  expect(() => createSqliteStore({ file, schema: 'gateway', clock: testClock(), connect })).toThrow(
    `${file} cannot be opened: unable to open database file. Give it, the files beside it and its folder to the user of dialtill.`,
  );
});

test.runIf(process.getuid?.() === 0)(
  'what root restores and records beside a ledger belongs to the user of the gateway, and a link is not followed',
  async () => {
    const { folder, target, untouched } = plantTarget();
    const gateway = 12_345;
    const copy = join(temporaryFolder(), 'copy.db');
    const file = placeLedger(folder);
    copyDatabase(file, copy, 0);
    for (const path of [folder, file]) chownSync(path, gateway, gateway);
    symlinkSync(target, join(folder, 'ledger.db.backup'));
    expect(recordBackup(file, { at: 0, file: copy })).toBe(true);
    await replaceDatabase(copy, file, { takenAt: 0, now: 0 }, async () => {});
    for (const path of [file, `${file}.backup`, `${file}.lock`])
      expect([path, statSync(path).uid, modeOf(path)]).toEqual([path, gateway, '600']);
    untouched();
    expect(statSync(target).uid).toBe(0);
    // A copy elsewhere stays with the person who has made it.
    expect(statSync(copy).uid).toBe(0);
    lockDatabase(file)();
  },
);
