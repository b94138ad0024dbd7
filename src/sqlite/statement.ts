/* No library: Drizzle builds the SQL of a query each time, and here once for a process and for both databases. */

import { getTableColumns, type Placeholder, type Query, type SQL, sql, type Table } from 'drizzle-orm';
import { SQLiteAsyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { once } from '../shared/once.ts';
import { createFill } from './fill-placeholders.ts';
import { createRowMapper, type RawRow } from './row-mapper.ts';
import type { Store, Write } from './store.ts';

/** Drizzle's query builder without a database, for statements that are compiled once per process. */
export const build = drizzle(() => {
  throw new Error('this query builder has no database: compile with prepareQuery or prepareWrite');
});

/** Part of Drizzle's prepared query: its SQL, and the conversion of a row. */
type Compiled<Row> = {
  getQuery(): Query;
  all(): Promise<Row[]>;
  mapGetResult(row: unknown): unknown;
};

type Values = Record<string, unknown>;

const registered: (() => string)[] = [];

/** Returns every statement that the modules loaded so far have prepared, so that a test can prepare all of them on an engine. */
export const preparedStatements = (): string[] => registered.map((textOf) => textOf());

/** A query that runs on any store. `values` fills its placeholders. */
export type PreparedQuery<Row> = {
  /** Returns the first row; `undefined` without one. */
  get(store: Pick<Store, 'query'>, values?: Values): Promise<Row | undefined>;
  all(store: Pick<Store, 'query'>, values?: Values): Promise<Row[]>;
};

/**
 * Prepares a Drizzle select without a database. It is compiled at its first run and then kept for the life of the process:
 * building a query costs ten times as much as running it.
 */
export function prepareQuery<Row>(select: {
  prepare(): Compiled<Row>;
  readonly _: { readonly selectedFields: object };
}): PreparedQuery<Row> {
  const compile = once(() => {
    const compiled = select.prepare();
    const { sql, params } = compiled.getQuery();
    const mapRow = createRowMapper(select._.selectedFields) ?? ((row: RawRow) => compiled.mapGetResult(row));
    return { sql, fill: createFill(params), mapRow };
  });
  registered.push(() => compile().sql);
  return {
    async get(store, values = {}) {
      const { sql, fill, mapRow } = compile();
      const row = (await store.query(sql, fill(values), 'row')) as RawRow | undefined;
      return (row && mapRow(row)) as Row | undefined;
    },
    async all(store, values = {}) {
      const { sql, fill, mapRow } = compile();
      const rows = (await store.query(sql, fill(values), 'rows')) as RawRow[];
      return rows.map(mapRow) as Row[];
    },
  };
}

/**
 * Prepares a Drizzle insert, update or delete, and returns a function that fills its placeholders. It is compiled at its
 * first use, as in `prepareQuery`.
 *
 * @param rows the exact number of rows that each run must change (see `Write`).
 */
export function prepareWrite<Values extends Record<string, unknown>>(
  query: { toSQL(): Query },
  rows?: number,
): (values: Values) => Write {
  const compile = once(() => {
    const { sql, params } = query.toSQL();
    const guard = {
      ...(rows !== undefined && { rows }),
      ...(oneRowInsert.test(sql) && { isSingleRow: true }),
    };
    return { sql, fill: createFill(params), guard };
  });
  registered.push(() => compile().sql);
  return (values) => {
    const { sql, fill, guard } = compile();
    return { sql, args: fill(values), ...guard };
  };
}

const dialect = new SQLiteAsyncDialect();

/** A write that the query builder cannot express, such as an insert of selected rows into some columns. For `prepareWrite`. */
export function toWrite(statement: SQL): { toSQL(): Query } {
  return { toSQL: () => dialect.sqlToQuery(statement) };
}

/** An insert of one list of parameters. */
const oneRowInsert = /^insert into "\w+" \([^()]*\) values \([?, ]*\)$/;

/** Compiles the insert of one whole row of a table. */
export function insertRow<T extends SQLiteTable>(table: T): (row: T['$inferSelect']) => Write {
  return prepareWrite(build.insert(table).values(rowParameters(table) as T['$inferInsert']), 1);
}

/** Compiles the insert of one whole row of a table, which loses unless a condition holds. It has the parameters of the row, and more. */
export function insertRowIf<T extends SQLiteTable, More extends Record<string, unknown>>(
  table: T,
  condition: SQL,
): (row: T['$inferSelect'] & More) => Write {
  const cells = Object.values(rowParameters(table)).map((cell) => sql`${cell}`);
  return prepareWrite(
    build.insert(table).select(sql`SELECT ${sql.join(cells, sql`, `)} WHERE ${condition}`),
    1,
  );
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
