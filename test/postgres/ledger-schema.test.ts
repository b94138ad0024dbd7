// cspell:ignore plpgsql citext fkey
import { expect, test } from 'vitest';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import { type Catalogue, catalogueDifferences } from '../../src/postgres/compare-catalogue.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';

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
