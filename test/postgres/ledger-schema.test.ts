// cspell:ignore plpgsql citext fkey recordset

import { expect, test } from 'vitest';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import type { LedgerReport } from '../../src/gateway/ledger/report.ts';
import { createSealKey, generateSealSecret, readPublicKeys } from '../../src/gateway/ledger/seal-key.ts';
import { type VerifyOptions, verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import { ledgerTables } from '../../src/gateway/upkeep/ledger-tables-query.ts';
import { type Catalogue, catalogueDifferences } from '../../src/postgres/compare-catalogue.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { attacks } from '../gateway/ledger/attacks.ts';
import { publicKey, reseal, tampered } from '../gateway/ledger/tampering.ts';
import { tamperings } from '../gateway/ledger/tamperings.ts';
import { testClock } from '../kit/clock.ts';
import { createClient, createDatabase, openPostgres, runSql } from '../kit/postgres.ts';

/** Returns what the audit of a new ledger reports after its administrator ran `sql`. */
async function reportedAfter(sql: string): Promise<string[]> {
  const url = await createDatabase();
  await runSql(url, sql);
  const { faults } = await verifyLedger(ledgerStore(await openPostgres(url)), ledgerAudits);
  return faults.map(({ row, fault }) => `${row}: ${fault}`);
}

test('a new ledger on a server has the tables, indexes, triggers and functions of the program', async () => {
  expect(await reportedAfter('SELECT 1')).toEqual([]);
});

test.each([
  [
    'a dropped unique index',
    'DROP INDEX posting_closing_once',
    'index posting_closing_once on posting is missing',
  ],
  ['a dropped trigger', 'DROP TRIGGER fact_no_update ON fact', 'trigger fact_no_update on fact is missing'],
  [
    'a disabled trigger',
    'ALTER TABLE fact DISABLE TRIGGER fact_no_update',
    'trigger fact_no_update on fact differs from the schema',
  ],
  [
    'a trigger that approves payments',
    `CREATE FUNCTION pay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE collection SET status = 'paid'; RETURN NEW; END $$;
     CREATE TRIGGER pay AFTER INSERT ON turn EXECUTE FUNCTION pay()`,
    'trigger pay on turn is not part of the schema',
  ],
  [
    'a function of the triggers that rejects nothing',
    `CREATE OR REPLACE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$`,
    'function reject_change() differs from the schema',
  ],
  [
    'a rule that keeps no facts',
    'CREATE RULE lose AS ON INSERT TO fact DO INSTEAD NOTHING',
    'rule lose is not part of the schema',
  ],
  [
    'a view that hides collections',
    'CREATE VIEW recent AS SELECT 1',
    'view recent is not part of the schema',
  ],
  [
    'a policy that hides rows',
    'ALTER TABLE collection ENABLE ROW LEVEL SECURITY',
    'table collection differs from the schema',
  ],
  [
    'an added column',
    'ALTER TABLE collection ADD COLUMN approved bigint',
    'table collection differs from the schema',
  ],
  [
    'a dropped check',
    'ALTER TABLE collection DROP CONSTRAINT collection_goods_positive',
    'constraint collection_goods_positive is missing',
  ],
  [
    'a function of the triggers that looks into other tables',
    `CREATE SCHEMA other; ALTER FUNCTION reject_turn_deletion() SET search_path = other`,
    'function reject_turn_deletion() differs from the schema',
  ],
  [
    'a table whose rows seem to be postings',
    'CREATE SCHEMA other; CREATE TABLE other.more () INHERITS (posting)',
    'child other.more is not part of the schema',
  ],
  [
    'a reference that keeps old turns',
    'CREATE SCHEMA other; CREATE TABLE other.notes (turn bigint REFERENCES turn (seq))',
    'reference other.notes notes_turn_fkey is not part of the schema',
  ],
  [
    'a setting that turns the triggers off',
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET session_replication_role = replica', current_database()); END $$`,
    'setting session_replication_role is not part of the schema',
  ],
])('%s is reported', async (_, sql, fault) => {
  expect(await reportedAfter(sql)).toContain(`schema: ${fault}`);
});

test('what an extension of the server creates is its own', async () => {
  expect(await reportedAfter('CREATE EXTENSION citext')).toEqual([]);
});

test('a server of another major version is compared without the definitions that it can write in other words', () => {
  const of: Catalogue = {
    major: 18,
    objects: [
      ['index', 'one', 'fact', 't f 1 -- CREATE INDEX one ON fact (seq)'],
      ['trigger', 'two', 'fact', 'O -- CREATE TRIGGER two'],
    ],
  };
  const found = (major: number): Catalogue => ({
    major,
    objects: [
      ['index', 'one', 'fact', 't f 1 -- create index one on fact (seq)'],
      ['trigger', 'two', 'fact', 'D -- CREATE TRIGGER two'],
    ],
  });
  expect(catalogueDifferences(found(19), of)).toEqual(['trigger two on fact differs from the schema']);
  expect(catalogueDifferences(found(18), of)).toEqual([
    'index one on fact differs from the schema',
    'trigger two on fact differs from the schema',
  ]);
});

/** A minute after the last row of the ledger. */
const now = Date.parse('2026-03-06T09:10:00Z');

const options: VerifyOptions = { now, publicKeys: readPublicKeys([{ key: publicKey }]) };

/** Writes the rows of a file to a server as its administrator could: without the triggers, and with the same last numbers. */
async function copyRows(path: string, url: string): Promise<void> {
  const file = new Database(path, { readonly: true });
  const client = createClient(url);
  await client.connect();
  try {
    await client.query('BEGIN; SET LOCAL session_replication_role = replica');
    for (const { name, numbered } of ledgerTables) {
      const rows = JSON.stringify(file.prepare(`SELECT * FROM "${name}"`).all());
      const identity = numbered === null ? '' : 'OVERRIDING SYSTEM VALUE';
      await client.query(`DELETE FROM "${name}"`);
      await client.query(
        `INSERT INTO "${name}" ${identity} SELECT * FROM json_populate_recordset(NULL::"${name}", $1)`,
        [rows],
      );
      if (numbered === null) continue;
      const last = file.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(name) ?? 0;
      await client.query(`SELECT setval(pg_get_serial_sequence('"${name}"', '${numbered}'), $1, $2)`, [
        Math.max(1, Number(last)),
        Number(last) > 0,
      ]);
    }
    await client.query('COMMIT');
  } finally {
    await client.end();
    file.close();
  }
}

const verify = (store: Store): Promise<LedgerReport> =>
  verifyLedger(ledgerStore(store), ledgerAudits, options);

/** A batch that was not written uses up its numbers on a server. The audit of a file alone reports missing last numbers. */
function withoutLastNumbers(report: LedgerReport): LedgerReport {
  const faults = report.faults.filter(({ fault }) => !/^lacks \d+ rows at its end$/.test(fault));
  return { ...report, faults, ok: faults.length === 0 };
}

async function verifyBoth(path: string): Promise<{ onFile: LedgerReport; onServer: LedgerReport }> {
  const url = await createDatabase();
  await copyRows(path, url);
  const file = createSqliteReader(path);
  const onFile = withoutLastNumbers(await verify(file));
  await file.close();
  return { onFile, onServer: await verify(await openPostgres(url)) };
}

test('a server with the rows of a file has the same audit: the same blocks, rows and head, and no fault', async () => {
  const { onFile, onServer } = await verifyBoth(await tampered(() => {}));
  expect(onServer).toEqual(onFile);
  expect(onServer).toMatchObject({ ok: true, faults: [] });
});

/** Changes of a schema are those of a file: they have no counterpart on a server. */
const changesRows = ({ sql }: { sql: string }) => !/^(CREATE|DROP|ALTER)/.test(sql);

test.each([...attacks, ...tamperings].filter(changesRows))(
  '$what: the audit of a server reports what the audit of a file reports',
  async (attack) => {
    const path = await tampered((file) => file.exec(attack.sql));
    if ('reseal' in attack && attack.reseal)
      await reseal(path, attack.reseal === 'unsigned' ? undefined : createSealKey(secret()));
    const { onFile, onServer } = await verifyBoth(path);
    expect(onServer).toEqual(onFile);
  },
);

const secret = () => generateSealSecret(systemIds(testClock()));
