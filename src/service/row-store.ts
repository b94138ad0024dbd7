import { getTableColumns, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { build, prepareWrite } from '../db/statement.ts';
import type { Write } from '../db/store.ts';

/** Compiles the insert of one whole row of a table. */
export function insertRow<Table extends SQLiteTable>(table: Table): (row: Table['$inferSelect']) => Write {
  const filled = Object.fromEntries(
    Object.keys(getTableColumns(table)).map((name) => [name, sql.placeholder(name)]),
  );
  return prepareWrite(build.insert(table).values(filled as Table['$inferInsert']), 1);
}

/** A value of an update that is filled in when the statement runs. */
export function filled(name: string) {
  return sql`${sql.placeholder(name)}`;
}
