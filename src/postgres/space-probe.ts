import type { Write } from '../sqlite/store.ts';

/**
 * Writes that need about a megabyte of new space, and leave nothing. Rows of a ledger can fit into pages that the server has
 * already, also when its disk is full. The table is not a temporary one, for which a role can lack the right.
 */
export const spaceProbe: readonly Write[] = [
  {
    sql: `CREATE TABLE space_probe AS SELECT repeat('0', 2000) AS filler FROM generate_series(1, 500)`,
    args: [],
    locks: ['space probe'],
  },
  { sql: 'DROP TABLE space_probe', args: [] },
];
