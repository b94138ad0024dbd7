import { type Column, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { build, prepareWrite } from '../sqlite/statement.ts';
import type { Write } from '../sqlite/store.ts';

/** Compiles the insert of one whole row of a table. */
export function insertRow<Table extends SQLiteTable>(table: Table): (row: Table['$inferSelect']) => Write {
  const filled = Object.fromEntries(
    Object.keys(getTableColumns(table)).map((name) => [name, sql.placeholder(name)]),
  );
  return prepareWrite(build.insert(table).values(filled as Table['$inferInsert']), 1);
}

/** The condition that a filter sets, if it sets one. */
export function maybe(column: Column | SQL, value: string | number | undefined): SQL | undefined {
  return value === undefined ? undefined : sql`${column} = ${value}`;
}

/** A column by which no index is searched, where the search by another one reads fewer rows. */
export function unindexed(column: Column): SQL {
  return sql`+${column}`;
}

/** One list of several that are newest first. */
export function newestOf<Row extends { id: string }>(lists: readonly Row[][], limit: number): Row[] {
  const all = lists.flat();
  if (lists.length > 1) all.sort((one, other) => (one.id < other.id ? 1 : -1));
  return all.slice(0, limit);
}

/** A value of an update that is filled in when the statement runs. */
export function filled(name: string) {
  return sql`${sql.placeholder(name)}`;
}
