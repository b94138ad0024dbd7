import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import * as schema from '../../src/gateway/database/schema.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';

const tables = Object.values(schema).filter((one) => is(one, SQLiteTable));
const configs = tables.map((table) => getTableConfig(table as SQLiteTable));
const sqliteMigration = readdirSync('drizzle/gateway')
  .filter((name) => name.endsWith('.sql'))
  .map((name) => readFileSync(join('drizzle/gateway', name), 'utf8'))
  .join('\n');

async function rows(url: string, sql: string): Promise<unknown[]> {
  return ((await runSql(url, sql)) as { line: unknown }[]).map(({ line }) => line);
}

test('PostgreSQL has the tables and columns of the schema, with the counterparts of their types', async () => {
  const url = await createDatabase();
  const found = await rows(
    url,
    `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || is_identity
       || ' ' || coalesce(collation_name, '') AS line
     FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> '__drizzle_migrations'`,
  );
  const expected = configs.flatMap(({ name, columns, primaryKeys }) => {
    const keyed = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
    return columns.map((column) => {
      const isText = column.getSQLType() === 'text';
      const nullable = column.notNull || column.primary || keyed.has(column.name) ? 'NO' : 'YES';
      const identity = 'autoIncrement' in column && column.autoIncrement ? 'YES' : 'NO';
      return `${name}.${column.name} ${isText ? 'text' : 'bigint'} ${nullable} ${identity} ${isText ? 'C' : ''}`;
    });
  });
  expect([...found].sort()).toEqual(expected.sort());
});

test('PostgreSQL has the indexes of the schema, with their columns and conditions', async () => {
  const url = await createDatabase();
  const found = await rows(
    url,
    `SELECT c.relname || ' ' || i.indisunique || ' ' || i.indnatts || ' ' || (i.indpred IS NOT NULL) AS line
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND NOT i.indisprimary`,
  );
  const expected = configs.flatMap(({ indexes }) =>
    indexes.map(
      ({ config: one }) => `${one.name} ${one.unique} ${one.columns.length} ${one.where !== undefined}`,
    ),
  );
  expect([...found].sort()).toEqual(expected.sort());
});

test('PostgreSQL has the checks of the schema', async () => {
  const url = await createDatabase();
  const found = await rows(
    url,
    `SELECT conname AS line FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace`,
  );
  const expected = configs.flatMap(({ checks }) => checks.map(({ name }) => name));
  expect([...found].sort()).toEqual(expected.sort());
});

test('PostgreSQL has each trigger of SQLite, and rejects TRUNCATE where a row cannot be deleted', async () => {
  const url = await createDatabase();
  const found = await rows(url, 'SELECT tgname AS line FROM pg_trigger WHERE NOT tgisinternal');
  const onSqlite = [...sqliteMigration.matchAll(/CREATE TRIGGER `(\w+)`/g)].map(([, name]) => name ?? '');
  const truncated = onSqlite
    .filter((name) => name.endsWith('_no_delete'))
    .map((name) => name.replace('_no_delete', '_no_truncate'));
  expect(onSqlite.length).toBeGreaterThan(20);
  expect([...found].sort()).toEqual([...onSqlite, ...truncated].sort());
  await expect(runSql(url, 'TRUNCATE fact')).rejects.toThrow('fact cannot be emptied');
});

test('a number that the database assigns cannot be chosen by a statement', async () => {
  const store = await openPostgres(await createDatabase());
  const sql = `INSERT INTO fact (seq, subject_id, merchant_id, version, kind, data, at) VALUES (7, 'c', 'm', 1, 'k', '{}', 1)`;
  await expect(store.apply([{ sql, args: [] }])).rejects.toMatchObject({ kind: 'refused' });
});
