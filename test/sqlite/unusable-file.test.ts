import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openForReading } from '../../src/gateway/database/database-location.ts';
import { backupSource } from '../../src/gateway/upkeep/backup-source.ts';
import { UserError } from '../../src/shared/errors.ts';
import { connect, Database } from '../../src/sqlite/driver.ts';
import { inspectDatabase } from '../../src/sqlite/inspect-database.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';

const clock = testClock();

/** Returns the file of a new database of one of the programs. */
async function createDatabase(schema: 'gateway' | 'service'): Promise<string> {
  const file = join(temporaryFolder(), `${schema}.db`);
  await createSqliteStore({ file, schema, clock }).close();
  return file;
}

function write(content: string): string {
  const file = join(temporaryFolder(), 'file.db');
  writeFileSync(file, content);
  return file;
}

function createFolder(): string {
  const folder = join(temporaryFolder(), 'folder.db');
  mkdirSync(folder);
  return folder;
}

function createOther(): string {
  const file = join(temporaryFolder(), 'other.db');
  const other = new Database(file);
  other.exec('CREATE TABLE song (title TEXT)');
  other.close();
  return file;
}

const serviceFile = /service\.db is the database of a collection service, not a ledger .* database\.file /;

test.each<[what: string, create: () => string | Promise<string>, error: RegExp]>([
  [
    'a missing file',
    () => join(temporaryFolder(), 'no', 'ledger.db'),
    /there is no database .*ledger\.db\. Check/,
  ],
  ['a folder', createFolder, /folder\.db is a folder\. Name the file/],
  ['a text', () => write('a text that is longer than the head of a page is'), /file\.db is not a /],
  ['an empty file', () => write(''), /file\.db is not a database of dialtill\. Check/],
  ['a database of another program', createOther, /other\.db is not a database of dialtill\. Check/],
  ['the database of a service', () => createDatabase('service'), serviceFile],
])('%s is no ledger, and each reader says so in the same way', async (what, create, error) => {
  const file = await create();
  const draft = join(temporaryFolder(), 'copy.db');
  const reads = [
    async () => void (await openForReading({ file })),
    async () => void (await backupSource({ file }, clock).copyTo(draft)),
    // A damaged copy is reported with all of its faults.
    ...(what === 'a text' ? [] : [async () => void inspectDatabase(file, 'gateway')]),
  ];
  for (const read of reads) {
    const fault: unknown = await read().catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(UserError);
    expect((fault as UserError).message).toMatch(error);
  }
  expect(existsSync(draft)).toBe(false);
});

test('neither program starts on the database of the other one, or of another program, and changes nothing', async () => {
  const [ledger, service, other] = [
    await createDatabase('gateway'),
    await createDatabase('service'),
    createOther(),
  ];
  for (const [file, schema, error] of [
    [service, 'gateway', serviceFile],
    [
      ledger,
      'service',
      /gateway\.db is a ledger of a gateway, not the database of a collection service\. .*--data/,
    ],
    [other, 'gateway', /other\.db is not a database of dialtill/],
  ] as const) {
    const tables = (connection = new Database(file)) => {
      const names = connection.prepare('SELECT name FROM sqlite_schema').pluck().all();
      connection.close();
      return names;
    };
    const before = tables();
    expect(() => createSqliteStore({ file, schema, clock })).toThrow(error);
    expect(tables()).toEqual(before);
  }
});

/** Opens a connection on a disk that has no more space than these pages. */
const withPages = (pages: number) => (file: string) => {
  const connection = connect(file);
  connection.pragma(`max_page_count = ${pages}`);
  return connection;
};

test.each([1, 20, 60])(
  'a start on a disk with space for %i pages reports the full disk, and works after it has more',
  async (pages) => {
    const file = join(temporaryFolder(), 'ledger.db');
    const open = (space: number) =>
      createSqliteStore({ file, schema: 'gateway', clock, connect: withPages(space) });
    expect(() => open(pages)).toThrow(
      new UserError(
        `the disk of ${file} is full. Free space, and try again. What to do: docs/operations/full-disk.md.`,
      ),
    );
    const store = open(10_000);
    expect(await store.ledgerDifferences()).toEqual([]);
    await store.close();
  },
);

test('a stop on a full disk loses nothing and is no failure', async () => {
  const file = join(temporaryFolder(), 'ledger.db');
  const store = createSqliteStore({
    ...{ file, schema: 'gateway', clock },
    connect(path) {
      const connection = connect(path);
      const { pragma } = connection;
      const refuseCheckpoint: typeof pragma = (text, options) => {
        if (!text.startsWith('wal_checkpoint')) return pragma.call(connection, text, options);
        throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
      };
      return Object.assign(connection, { pragma: refuseCheckpoint });
    },
  });
  await expect(store.close()).resolves.toBeUndefined();
  expect(readFileSync(file).length).toBeGreaterThan(0);
});
