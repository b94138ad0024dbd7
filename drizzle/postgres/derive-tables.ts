import { is, SQL } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  check,
  customType,
  index,
  pgTable,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';

/** Text in the order of its bytes, as in SQLite. The collation of the database would order names by language. */
const text = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

/**
 * Derives a table of PostgreSQL from one of SQLite, which stays the only definition: an integer becomes `bigint`, an
 * automatic number an identity. Indexes and checks have the same names and the same SQL.
 *
 * @throws Error for a column of another type, which has no counterpart.
 */
export function deriveTable(table: SQLiteTable) {
  const config = getTableConfig(table);
  const columns = Object.fromEntries(config.columns.map((column) => [column.name, deriveColumn(column)]));
  return pgTable(config.name, columns, (derived: Record<string, AnyPgColumn>) => {
    const at = (column: SQLiteColumn | SQL): AnyPgColumn => {
      const found = is(column, SQL) ? undefined : derived[column.name];
      if (!found) throw new Error(`an index of ${config.name} has no counterpart`);
      return found;
    };
    const indexes = config.indexes.map(({ config: one }) => {
      const create = one.unique ? uniqueIndex(one.name) : index(one.name);
      const parts = one.columns.map((part) => (is(part, SQL) ? part : at(part)));
      const [first, ...rest] = parts;
      if (!first) throw new Error(`the index ${one.name} has no column`);
      const built = create.on(first, ...rest);
      return one.where ? built.where(one.where) : built;
    });
    const checks = config.checks.map((one) => check(one.name, one.value));
    const keys = config.primaryKeys.map((key) => {
      const [first, ...rest] = key.columns.map(at);
      if (!first) throw new Error(`a key of ${config.name} has no column`);
      return primaryKey({ columns: [first, ...rest] });
    });
    return [...indexes, ...checks, ...keys];
  });
}

function deriveColumn(column: SQLiteColumn) {
  const type = column.getSQLType();
  if (type !== 'integer' && type !== 'text')
    throw new Error(`the column ${column.name} has the type ${type}, which has no counterpart`);
  if (type === 'text') {
    const derived = text(column.name);
    const complete = column.notNull ? derived.notNull() : derived;
    return column.primary ? complete.primaryKey() : complete;
  }
  const number = bigint(column.name, { mode: 'number' });
  if ('autoIncrement' in column && column.autoIncrement)
    return number.primaryKey().generatedAlwaysAsIdentity();
  const complete = column.notNull ? number.notNull() : number;
  return column.primary ? complete.primaryKey() : complete;
}
