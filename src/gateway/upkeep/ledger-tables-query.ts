import { createHash } from 'node:crypto';
import { is, sql } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { EpochMs } from '../../shared/clock.ts';
import type { TableShape } from '../../sqlite/ledger-target.ts';
import type { SqlValue, Store } from '../../sqlite/store.ts';
import * as schema from '../database/schema.ts';
import { openStatusesText } from '../database/schema.ts';

/** Rows that are read, and written, at a time. */
const pageSize = 500;

/** The table whose row names the ledger and the database that it is in, and so differs after a move. */
export const identityTable = 'ledger_file';

/** Every table of the ledger. */
export const ledgerTables: readonly TableShape[] = Object.values(schema)
  .filter((one) => is(one, SQLiteTable))
  .map(toShape);

/** The table of the actions of people and commands. */
export const actionTable: TableShape = toShape(schema.staffAction);

function toShape(table: SQLiteTable): TableShape {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const own = columns.filter(({ primary }) => primary);
  const key = primaryKeys[0]?.columns ?? own;
  const numbered = own.find((column) => 'autoIncrement' in column && column.autoIncrement === true);
  return {
    name,
    columns: columns.map((column) => ({ name: column.name, isNumber: column.getSQLType() === 'integer' })),
    key: key.map((column) => column.name),
    numbered: numbered?.name ?? null,
  };
}

/** The content of a table: two tables with equal rows have the same hash on both engines. */
export type TableContent = { table: string; rows: number; hash: string };

type Rows = readonly (readonly SqlValue[])[];

/**
 * Reads a table in the order of its key.
 *
 * @param onPage receives the rows, some hundred at a time.
 */
export async function readTable(
  store: Store,
  { name, columns, key }: TableShape,
  onPage: (rows: Rows) => Promise<void> = async () => {},
): Promise<TableContent> {
  const hash = createHash('sha256');
  const quoted = (names: readonly string[]) => names.map((one) => `"${one}"`).join(', ');
  const names = columns.map((column) => column.name);
  const places = key.map((one) => names.indexOf(one));
  const page = (where: string) =>
    `SELECT ${quoted(names)} FROM "${name}" ${where} ORDER BY ${quoted(key)} LIMIT ${pageSize}`;
  const next = page(`WHERE (${quoted(key)}) > (${key.map(() => '?').join(', ')})`);
  let count = 0;
  let rows = (await store.query(page(''), [], 'rows')) as Rows;
  while (rows.length > 0) {
    for (const row of rows) hash.update(`${JSON.stringify(name === identityTable ? [] : row)}\n`);
    count += rows.length;
    await onPage(rows);
    const last = rows.at(-1) ?? [];
    const after = places.map((place) => last[place] ?? null);
    rows = rows.length < pageSize ? [] : ((await store.query(next, after, 'rows')) as Rows);
  }
  return { table: name, rows: count, hash: hash.digest('hex') };
}

/** Returns the last number that a table has used, also for a row that retention has deleted. */
export async function readLastNumber(store: Store, { name, numbered }: TableShape): Promise<number> {
  const tables = name === 'turn' ? [name, 'deleted_turn'] : [name];
  const numbers = await Promise.all(
    tables.map((table) => store.query(`SELECT max("${numbered}") FROM "${table}"`, [], 'row')),
  );
  return Math.max(0, ...(numbers as [number | null][]).map(([last]) => last ?? 0));
}

/** The content of a copy of the ledger. */
export type Contents = {
  collections: number;
  /** Collections that are not final. */
  open: number;
  /** Collections in review. */
  reviews: number;
  facts: number;
  postings: number;
  turns: number;
  events: number;
  /** When the newest collection was opened; null when there is none. */
  newestCollectionAt: EpochMs | null;
  /** Time of the newest turn, fact or event. */
  newestAt: EpochMs | null;
  /** Modes of the collections. */
  modes: ('live' | 'test')[];
};

const count = (table: string) => sql.raw(`(SELECT count(*) FROM ${table})`);

/** Counts the rows of a ledger. Reads only columns of the first migration, so that it runs on any schema version. */
export async function contentsQuery({ read }: Store): Promise<Contents> {
  const row = await read.get<(number | null)[]>(sql`SELECT
    ${count('collection')},
    (SELECT count(*) FROM collection WHERE status IN ${openStatusesText}),
    ${count('collection WHERE review IS NOT NULL')},
    ${count('fact')}, ${count('posting')}, ${count('turn')}, ${count('inbox')},
    (SELECT max(opened_at) FROM collection),
    (SELECT max(at) FROM (SELECT max(at) AS at FROM turn UNION ALL SELECT max(at) FROM fact
      UNION ALL SELECT max(received_at) FROM inbox)),
    (SELECT max(livemode) FROM collection), (SELECT min(livemode) FROM collection)`);
  const [collections = 0, open = 0, reviews = 0, facts = 0, postings = 0, turns = 0, events = 0] = row.map(
    (cell) => cell ?? 0,
  );
  const [newestCollectionAt = null, newestAt = null, maxLivemode, minLivemode] = row.slice(7);
  return {
    ...{ collections, open, reviews, facts, postings, turns, events },
    newestCollectionAt,
    newestAt,
    modes: [...(maxLivemode === 1 ? ['live' as const] : []), ...(minLivemode === 0 ? ['test' as const] : [])],
  };
}
