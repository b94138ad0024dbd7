/* No library: Drizzle builds the SQL of a query at each call; here it is compiled once per process, for both databases. */

import {
  and,
  Column,
  eq,
  getTableColumns,
  is,
  noopDecoder,
  Param,
  Placeholder,
  type Query,
  SQL,
  sql,
  Table,
} from 'drizzle-orm';
import { SQLiteAsyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { once } from '../shared/once.ts';
import type { SqlValue, Store, Write } from './store.ts';

/**
 * Compiles a function of one parameter from the text of its result. V8 optimises each such function for the shape of its rows.
 * One loop for the rows of all queries costs fifteen times as much.
 *
 * Texts consist of names of columns and placeholders of the program, and never of values.
 */
function compileFunction<Argument, Result>(
  parameter: string,
  result: string,
): (argument: Argument) => Result {
  return new Function(parameter, `return ${result};`) as (argument: Argument) => Result;
}

/** Returns the text of a property's name, or of a text. */
const quoted = (name: string): string => JSON.stringify(name);

/** The values of a row, in the order of the selected fields. */
type RawRow = readonly unknown[];

/**
 * Creates a function that turns the rows of a Drizzle select into objects, by position. Drizzle's own mapping looks up the
 * field of each value of each row, which costs more than reading the row.
 *
 * @param selected the fields of the select: all of them columns, or all of them groups (objects or tables of columns) whose first
 *   column is never null.
 * @returns `undefined` for any other select, and for a column that converts its values.
 */
export function createRowMapper(selected: object): ((row: RawRow) => object) | undefined {
  const fields = Object.entries(selected);
  if (fields.every(([, field]) => isPlain(field))) return mapFlat(Object.keys(selected), 0);
  const groups = fields.map(([name, field]) => ({ name, columns: toColumns(field) }));
  let start = 0;
  const groupTexts: string[] = [];
  for (const { name, columns } of groups) {
    const all = Object.entries(columns ?? {});
    const [first] = all.map(([, column]) => column);
    // As in Drizzle, a missing row of a join is recognised by the first column, which therefore must not be null.
    if (!(is(first, Column) && first.notNull && all.every(([, column]) => isPlain(column)))) return undefined;
    const names = all.map(([column]) => column);
    groupTexts.push(`${quoted(name)}: row[${start}] === null ? null : ${objectText(names, start)}`);
    start += all.length;
  }
  return compileFunction('row', `({ ${groupTexts.join(', ')} })`);
}

/** Returns whether a field has the value of the database as it is: a column, or an expression without a conversion. */
function isPlain(field: unknown): boolean {
  if (is(field, SQL)) return (field as SQL & { decoder?: unknown }).decoder === noopDecoder;
  return is(field, Column) && field.mapFromDriverValue === Column.prototype.mapFromDriverValue;
}

function toColumns(field: unknown): object | undefined {
  if (is(field, Table)) return getTableColumns(field);
  return typeof field === 'object' && field !== null && field.constructor === Object ? field : undefined;
}

/** Maps the values from `start` on to an object with these names. */
function mapFlat(names: readonly string[], start: number): (row: RawRow) => object {
  return compileFunction('row', objectText(names, start));
}

/** Returns the text of an object with these names, whose values begin at `start` of a row. */
function objectText(names: readonly string[], start: number): string {
  return `({ ${names.map((name, index) => `${quoted(name)}: row[${start + index}]`).join(', ')} })`;
}

/** A parameter of a statement: a constant, or the name of its value and the conversion of its column. */
type Slot = { value: unknown } | { name: string; encode?: (value: unknown) => unknown };

/**
 * Creates a function that fills the placeholders of a statement. Drizzle's own function classifies every parameter on
 * each call.
 *
 * @throws Error from the function that is returned, for a placeholder without a value.
 */
function createFill(params: readonly unknown[]): (values: Values) => SqlValue[] {
  const slots = params.map(toSlot);
  return (values) =>
    slots.map((slot) => {
      if ('value' in slot) return slot.value;
      const value = values[slot.name];
      if (value === undefined) throw new Error(`no value for the placeholder ${slot.name}`);
      return slot.encode ? slot.encode(value) : value;
    }) as SqlValue[];
}

function toSlot(param: unknown): Slot {
  if (is(param, Placeholder)) return { name: param.name };
  if (is(param, Param) && is(param.value, Placeholder)) {
    const { encoder, value } = param;
    // Most columns store a value as it is.
    if (encoder.mapToDriverValue === Column.prototype.mapToDriverValue) return { name: value.name };
    return { name: value.name, encode: (given) => encoder.mapToDriverValue(given) };
  }
  return { value: param };
}

/** Drizzle's query builder without a database, for statements that are compiled once per process. */
export const build = drizzle(() => {
  throw new Error('this query builder has no database: compile with prepareQuery or prepareWrite');
});

/** Part of Drizzle's prepared query: its SQL, and the conversion of a row. */
type Compiled<Row> = { getQuery(): Query; all(): Promise<Row[]>; mapGetResult(row: unknown): unknown };

type Values = Record<string, unknown>;

const registered: (() => string)[] = [];

/** Returns every statement that the modules loaded so far have prepared, so that a test can prepare all of them on an engine. */
export const preparedStatements = (): string[] => registered.map((textOf) => textOf());

/** A query that runs on any store. `values` fills its placeholders. */
type PreparedQuery<Row> = {
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

/** Prepares a query for the rows whose named columns equal the parameters with those names. */
export function findRow<T extends SQLiteTable>(
  table: T,
  ...names: readonly [ColumnName<T>, ...ColumnName<T>[]]
): PreparedQuery<T['$inferSelect']> {
  return prepareQuery<T['$inferSelect']>(
    build
      .select()
      .from<SQLiteTable>(table)
      .where(equals(table, ...names)),
  );
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

/** Compiles the insert of one whole row of a table. The write must insert exactly one row (`Write.rows`). */
export function insertRow<T extends SQLiteTable>(table: T): (row: T['$inferSelect']) => Write {
  return prepareWrite(build.insert(table).values(rowParameters(table) as T['$inferInsert']), 1);
}

/** Compiles the insert of one whole row. It is a conflict when `condition` is false. The condition may have further parameters. */
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

/** Returns the condition that columns of a table equal the parameters of the same names. */
export function equals<T extends Table>(
  table: T,
  ...names: readonly [ColumnName<T>, ...ColumnName<T>[]]
): SQL {
  const columns: Record<string, Column> = getTableColumns(table);
  return and(...names.map((name) => eq(columns[name] as Column, sql.placeholder(name)))) as SQL;
}

type ColumnName<T extends Table> = keyof T['$inferSelect'] & string;
