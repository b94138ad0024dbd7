/** Rows of a page if the request names no limit. */
export const defaultPageSize = 20;

/** A page of a list, and the cursor of the next page. */
export type Page<Row> = { data: Row[]; has_more: boolean; next_cursor: string | null };

/**
 * Creates a page from rows that were read with a limit of one more than `size`. The cursor is the id of the last row.
 * Ids ascend with time, so pages neither skip nor repeat rows while rows are added.
 */
export function toPage<Row extends { id: string }, View>(
  rows: readonly Row[],
  size: number,
  view: (row: Row) => View,
): Page<View> {
  return toPageBy(rows, size, view, ({ id }) => id);
}

/** Like `toPage`, for rows in the order of another key. `getCursor` returns the key of a row. */
export function toPageBy<Row, View>(
  rows: readonly Row[],
  size: number,
  view: (row: Row) => View,
  cursorOf: (row: Row) => string,
): Page<View> {
  const page = rows.slice(0, size);
  const last = rows.length > size ? page.at(-1) : undefined;
  return {
    data: page.map(view),
    has_more: last !== undefined,
    next_cursor: last === undefined ? null : cursorOf(last),
  };
}

/** Creates the only page of a list that has few rows by its nature. */
export function toOnlyPage<View>(data: View[]): Page<View> {
  return { data, has_more: false, next_cursor: null };
}
