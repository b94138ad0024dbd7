/** Rows of a page when the caller asks for no number. */
export const defaultPageSize = 20;

/** What a list answers: the page, and where the next one begins. */
export type Page<Row> = { data: Row[]; has_more: boolean; next_cursor: string | null };

/**
 * Makes a page of rows that were read with one more than its size. The cursor is the last row's identifier:
 * identifiers rise with time, so pages neither skip nor repeat while rows are added.
 */
export function toPage<Row extends { id: string }, View>(
  rows: readonly Row[],
  size: number,
  view: (row: Row) => View,
): Page<View> {
  const shown = rows.slice(0, size);
  const more = rows.length > size;
  return {
    data: shown.map(view),
    has_more: more,
    next_cursor: more ? (shown.at(-1)?.id ?? null) : null,
  };
}
