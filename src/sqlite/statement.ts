import {
  fillPlaceholders,
  getTableColumns,
  type Placeholder,
  type Query,
  type SQL,
  sql,
  type Table,
} from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import type { SqlValue, Write } from './store.ts';

/** Drizzle's query builder without a database, for statements that are compiled once. */
export const build = drizzle(() => {
  throw new Error('this query builder has no database: compile its statement with prepareWrite');
});

/**
 * Compiles a Drizzle insert, update or delete, and returns a function that fills its placeholders. Building a query costs
 * ten times as much as running it, so each store compiles its writes when it is created.
 *
 * @param rows the exact number of rows that each run must change (see `Write`).
 */
export function prepareWrite<Values extends Record<string, unknown>>(
  query: { toSQL(): Query },
  rows?: number,
): (values: Values) => Write {
  const { sql, params } = query.toSQL();
  return (values) => ({
    sql,
    args: fillPlaceholders(params, values) as SqlValue[],
    ...(rows === undefined ? {} : { rows }),
  });
}

/** Compiles the insert of one whole row of a table. */
export function insertRow<T extends SQLiteTable>(table: T): (row: T['$inferSelect']) => Write {
  return prepareWrite(build.insert(table).values(rowParameters(table) as T['$inferInsert']), 1);
}

/** Returns a named parameter for each column of a table except `omitted`, to insert whole rows. */
export function rowParameters<T extends Table, Omitted extends keyof T['$inferInsert'] = never>(
  table: T,
  ...omitted: readonly Omitted[]
): Record<Exclude<keyof T['$inferInsert'] & string, Omitted>, Placeholder> {
  const names = Object.keys(getTableColumns(table)).filter((name) => !omitted.some((one) => one === name));
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as Record<
    Exclude<keyof T['$inferInsert'] & string, Omitted>,
    Placeholder
  >;
}

/** Returns a named parameter as a value of an update. */
export function parameter(name: string): SQL {
  return sql`${sql.placeholder(name)}`;
}
