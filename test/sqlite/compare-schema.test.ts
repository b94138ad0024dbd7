import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createService } from '../../src/service/create.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { expectedSchema, readSchemaObjects, schemaDifferences } from '../../src/sqlite/compare-schema.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { inspectDatabase } from '../../src/sqlite/inspect-database.ts';
import { migrationsFolder, type SchemaName } from '../../src/sqlite/migrations-folder.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createSilentLog } from '../kit/log.ts';
import { placeMigrated } from '../kit/migrated.ts';

/** Returns the path of a migrated file that a statement has changed. */
function changedFile(change: string, schema: SchemaName = 'gateway'): string {
  const file = join(temporaryFolder(), 'changed.db');
  placeMigrated(file, schema);
  const database = new Database(file);
  database.unsafeMode();
  database.exec(change);
  database.close();
  return file;
}

function differencesOf(file: string, schema: SchemaName = 'gateway'): string[] {
  const database = new Database(file);
  onTestFinished(() => void database.close());
  return schemaDifferences(readSchemaObjects(database), expectedSchema(migrationsFolder(schema)));
}

/** Changes the stored text of an object, as an attacker with the file could. */
const rewrite = (name: string, from: string, to: string) =>
  `PRAGMA writable_schema = ON;
   UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = '${name}';
   PRAGMA writable_schema = OFF`;

const changes: [what: string, sql: string, differences: string[]][] = [
  [
    'a planted trigger',
    `CREATE TRIGGER pay AFTER INSERT ON restore BEGIN UPDATE collection SET status = 'paid'; END`,
    ['trigger pay on restore is not part of the schema'],
  ],
  [
    'a planted view',
    'CREATE VIEW everything AS SELECT * FROM collection',
    ['view everything is not part of the schema'],
  ],
  ['a planted table', 'CREATE TABLE extra (n INTEGER) STRICT', ['table extra is not part of the schema']],
  [
    'a dropped append-only trigger',
    'DROP TRIGGER fact_no_update',
    ['trigger fact_no_update on fact is missing'],
  ],
  [
    'a trigger that never rejects',
    `DROP TRIGGER posting_no_delete;
     CREATE TRIGGER posting_no_delete BEFORE DELETE ON posting WHEN 0 BEGIN SELECT RAISE(ABORT, 'posting is append-only'); END`,
    ['trigger posting_no_delete on posting differs from the schema'],
  ],
  [
    'a dropped unique index',
    'DROP INDEX collection_open_payer',
    ['index collection_open_payer on collection is missing'],
  ],
  [
    'a unique index that became an ordinary one',
    'DROP INDEX posting_once; CREATE INDEX posting_once ON posting (subject_id, booking, account)',
    ['index posting_once on posting differs from the schema'],
  ],
  ['a removed CHECK', rewrite('posting', '<> 0', '<> 1'), ['table posting differs from the schema']],
  ['a table that is no longer STRICT', rewrite('seal', 'STRICT', ''), ['table seal differs from the schema']],
  [
    'a column that was added',
    'ALTER TABLE collection ADD COLUMN note TEXT',
    ['table collection differs from the schema'],
  ],
  [
    'a view in the place of a table',
    `DROP TABLE quote; CREATE VIEW quote AS SELECT * FROM collection`,
    [
      'view quote is not part of the schema',
      'table quote is missing',
      'index sqlite_autoindex_quote_1 on quote is missing',
      'index quote_requested on quote is missing',
    ],
  ],
];

test.each(changes)('%s is reported by its name', (_, sql, differences) => {
  expect(differencesOf(changedFile(sql)).sort()).toEqual([...differences].sort());
});

test.each(changes)(
  'a store does not open a file with %s, and writes nothing',
  (_, sql, [difference = '']) => {
    const file = changedFile(sql);
    expect(() => createSqliteStore({ file, schema: 'gateway', clock: testClock() })).toThrow(
      new RegExp(`the schema of .*changed\\.db was changed: .*${difference}.*operations/changed-schema\\.md`),
    );
  },
);

test('a migrated file has no differences, also after ANALYZE and VACUUM', () => {
  expect(differencesOf(changedFile('ANALYZE; VACUUM'))).toEqual([]);
  expect(differencesOf(changedFile('', 'service'), 'service')).toEqual([]);
});

/** What Litestream 0.3 to 0.5 creates when it begins to replicate a file. */
const litestream = `CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
  CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER);`;

test('a file that Litestream replicates is accepted, and so is its backup', async () => {
  const file = changedFile(litestream);
  expect(differencesOf(file)).toEqual([]);
  const store = createSqliteStore({ file, schema: 'gateway', clock: testClock() });
  await store.close();
  expect(inspectDatabase(file, 'gateway').faults).toEqual([]);
});

test.each([
  [
    'a trigger on its table',
    'CREATE TRIGGER pay AFTER INSERT ON _litestream_seq BEGIN DELETE FROM quote; END',
    'trigger pay on _litestream_seq is not part of the schema',
  ],
  [
    'an index on its table',
    'CREATE INDEX counts ON _litestream_seq (seq)',
    'index counts on _litestream_seq is not part of the schema',
  ],
  [
    'a table of another form with its name',
    'DROP TABLE _litestream_lock; CREATE TABLE _litestream_lock (id INTEGER, n INTEGER)',
    'table _litestream_lock is not part of the schema',
  ],
])('of Litestream only its two tables are accepted, as it creates them: not %s', (_, sql, difference) => {
  expect(differencesOf(changedFile(`${litestream} ${sql}`))).toEqual([difference]);
});

test('other white space in the text of an object is no difference; inside of quotes it is one', () => {
  const [type, name, table, sql] = [
    'trigger',
    'one',
    'fact',
    `CREATE TRIGGER one\n\tRAISE(ABORT, 'is  closed')`,
  ] as const;
  const found = (text: string) => schemaDifferences([[type, name, table, text]], [[type, name, table, sql]]);
  expect(found(`CREATE TRIGGER one RAISE(ABORT, 'is  closed')`)).toEqual([]);
  expect(found(`CREATE TRIGGER one RAISE(ABORT, 'is closed')`)).toHaveLength(1);
});

test('the collection service does not open a file with a planted trigger', () => {
  const databaseFile = changedFile(
    `CREATE TRIGGER approve AFTER INSERT ON merchant BEGIN UPDATE merchant SET name = 'mine'; END`,
    'service',
  );
  expect(() =>
    createService(
      { databaseFile, adminToken: 'admin-token-0123456789' },
      { clock: testClock(), log: createSilentLog(), ids: systemIds(testClock()), fetch },
    ),
  ).toThrow(/trigger approve on merchant is not part of the schema/);
});
