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
  const page = rows.slice(0, size);
  const hasMore = rows.length > size;
  return {
    data: page.map(view),
    has_more: hasMore,
    next_cursor: hasMore ? (page.at(-1)?.id ?? null) : null,
  };
}
