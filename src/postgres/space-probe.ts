import type { Write } from '../sqlite/store.ts';

/**
 * A write that needs about a megabyte of new space, and leaves nothing. Rows of a ledger can fit into pages that the server has
 * already, also when its disk is full.
 */
export const spaceProbe: Write = {
  sql: `CREATE TEMPORARY TABLE space_probe ON COMMIT DROP AS SELECT repeat('0', 2000) AS filler FROM generate_series(1, 500)`,
  args: [],
};
