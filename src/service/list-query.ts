import { type Column, type SQL, sql } from 'drizzle-orm';

/** Returns the condition of a filter; `undefined` when the filter is not set. */
export function equalsIfSet(column: Column | SQL, value: string | number | undefined): SQL | undefined {
  return value === undefined ? undefined : sql`${column} = ${value}`;
}

/** Returns a column that SQLite does not look up in an index, for queries where another index reads fewer rows. */
export function unindexed(column: Column): SQL {
  return sql`+${column}`;
}

/** Merges lists that are newest first into one of at most `limit` rows. */
export function mergeNewest<Row extends { id: string }>(lists: readonly Row[][], limit: number): Row[] {
  const all = lists.flat();
  if (lists.length > 1) all.sort((one, other) => (one.id < other.id ? 1 : -1));
  return all.slice(0, limit);
}
