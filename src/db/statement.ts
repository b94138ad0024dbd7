import { fillPlaceholders, type Query } from 'drizzle-orm';
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
