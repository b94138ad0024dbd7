import { appendFileSync, cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Database } from '../../src/sqlite/driver.ts';
import { migrate, requireCurrentSchema } from '../../src/sqlite/migrate.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { laterTables, migrationsFolder, undoSecondMigration } from '../kit/two-migrations.ts';

vi.mock(import('../../src/sqlite/migrations-folder.ts'), () => import('../kit/two-migrations.ts'));

const insertSeal = `INSERT INTO seal (number, fact_seq, posting_seq, turn_seq, setting_seq, action_seq, rows, at, previous_hash, hash)
  VALUES (1, 0, 0, 0, 0, 0, 0, 0, '', '')`;

const create = (file: string) => createSqliteStore({ file, schema: 'gateway', clock: testClock() });

/** Returns a file with one row that lacks the second migration. */
async function olderFile(): Promise<string> {
  const file = join(temporaryFolder(), 'ledger.db');
  await create(file).close();
  undoSecondMigration(file, (database) => database.exec(insertSeal));
  return file;
}

/** Returns a folder with the two migrations, which a test may change. */
function copyOfMigrations(): string {
  const folder = temporaryFolder();
  cpSync(migrationsFolder('gateway'), folder, { recursive: true });
  return folder;
}

/** Reads a closed file. */
function read(file: string) {
  const database = new Database(file, { readonly: true });
  onTestFinished(() => void database.close());
  return {
    count: (table: string) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
    has: (name: string) =>
      database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined,
  };
}

test('an older file is copied unchanged before the missing migrations run', async () => {
  const file = await olderFile();
  const store = create(file);
  onTestFinished(() => store.close());
  expect(await store.read.get('SELECT count(*) FROM seal')).toEqual([1]);
  for (const table of laterTables) expect(read(file).count(table)).toBe(0);
  await expect(store.apply([{ sql: 'DELETE FROM seal', args: [] }])).rejects.toThrow(/append-only/);

  const copies = readdirSync(dirname(file)).filter((name) => name.includes('.before-'));
  expect(copies).toHaveLength(1);
  const path = join(dirname(file), copies[0] ?? '');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const copy = read(path);
  expect(copy.count('seal')).toBe(1);
  expect(copy.count('__drizzle_migrations')).toBe(1);
  expect(laterTables.filter(copy.has)).toEqual([]);
});

test('a reader rejects an older file and says how to upgrade it', async () => {
  const file = await olderFile();
  const connection = new Database(file, { readonly: true });
  onTestFinished(() => void connection.close());
  expect(() => requireCurrentSchema(connection, 'gateway')).toThrow(
    /older version of dialtill\. To upgrade the ledger, start the gateway: .*use the version that wrote it/,
  );
});

test('a file with a migration that this program does not have is rejected, and not changed', async () => {
  const file = await olderFile();
  const development = new Database(file);
  development.exec('UPDATE __drizzle_migrations SET created_at = created_at - 1');
  development.close();
  const before = readFileSync(file);
  expect(() => create(file)).toThrow(/a development version of dialtill whose schema cannot be upgraded/);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(dirname(file)).filter((name) => name.includes('.before-'))).toEqual([]);
});

test('a migration that fails in its last statement leaves the file as it was', async () => {
  const file = await olderFile();
  const folder = copyOfMigrations();
  appendFileSync(
    join(folder, '0001_second.sql'),
    '--> statement-breakpoint\nCREATE INDEX quote_requested ON seal (at)',
  );
  const older = new Database(file);
  onTestFinished(() => void older.close());
  expect(() => migrate(older, folder)).toThrow('index quote_requested already exists');
  const after = read(file);
  expect(after.count('__drizzle_migrations')).toBe(1);
  expect(after.count('seal')).toBe(1);
  expect(laterTables.filter(after.has)).toEqual([]);
});

test('a file that a newer version wrote is rejected and not changed', async () => {
  const file = join(temporaryFolder(), 'ledger.db');
  await create(file).close();
  const newer = new Database(file);
  newer.exec(`INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('newer', 9e15)`);
  newer.close();
  const before = readFileSync(file);
  expect(() => create(file)).toThrow(/newer version of dialtill/);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a migration that creates a table without STRICT is reported', () => {
  const folder = copyOfMigrations();
  const second = join(folder, '0001_second.sql');
  writeFileSync(second, readFileSync(second, 'utf8').replaceAll(' STRICT', ''));
  const database = new Database(':memory:');
  onTestFinished(() => void database.close());
  expect(() => migrate(database, folder)).toThrow(
    `a migration created tables that are not STRICT: ${[...laterTables].sort().join(', ')}`,
  );
});
