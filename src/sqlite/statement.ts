import {
  fillPlaceholders,
  getTableColumns,
  type Placeholder,
  type Query,
  type SQL,
  sql,
  type Table,
} from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import type { SqlValue, Write } from './store.ts';

/** Drizzle's builder without a database behind it, for writing statements down once. */
export const build = drizzle(() => {
  throw new Error('a statement that was only built cannot be run');
});

/**
 * Compiles a Drizzle insert or update once and returns a function that fills its placeholders. Building a query
 * costs ten times what running it does, so every write on a hot path is compiled when its store is made.
 *
 * @param rows the exact number of rows each run must touch (see `Write`).
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

/** A placeholder for each column of a table but those left out, named like the column: for inserting whole rows. */
export function rowOf<T extends Table, Omitted extends keyof T['$inferInsert'] = never>(
  table: T,
  ...omitted: readonly Omitted[]
): Record<Exclude<keyof T['$inferInsert'] & string, Omitted>, Placeholder> {
  const names = Object.keys(getTableColumns(table)).filter((name) => !omitted.some((one) => one === name));
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as Record<
    Exclude<keyof T['$inferInsert'] & string, Omitted>,
    Placeholder
  >;
}

/** A value of an UPDATE that is filled when the statement runs. */
export function filled(name: string): SQL {
  return sql`${sql.placeholder(name)}`;
}
