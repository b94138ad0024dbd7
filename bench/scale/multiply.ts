import { dayMs } from '../../src/gateway/ledger/day.ts';
import { Database } from '../../src/sqlite/driver.ts';

/** More than the seeded ledger has, so that each copy has a number of its own. */
const step = 1_000;
/** Spreads a million copies over about three years. */
const defaultShiftMs = 8 * 3_600_000;
const copiesAtOnce = 50;

const key = `(source.rowid_of + copy.number * ${step})`;
/** In the order of writing, as the ids of a real ledger. */
const idOf = (column: string) => `substr(source.${column}, 1, 4) || printf('%026d', ${key})`;
const payer = `'23324' || printf('%07d', (${key} * 7919) % 10000000)`;
const times = ['opened_at', 'prompt_not_before', 'prompt_deadline', 'initiate_sent_at', 'initiated_at'];
const laterTimes = ['closed_at', 'confirmed_at', 'lapsed_at', 'updated_at'];
/** `copied` has the milliseconds between two copies. */
const shifted = (name: string) => `row.${name} - copy.number * (SELECT shift_ms FROM copied)`;

/** What a copy has instead of the value of its source, by column. */
const collectionColumns: Record<string, string> = {
  id: idOf('id'),
  dialogue_id: idOf('dialogue_id'),
  session_id: idOf('session_id'),
  // Nine digits, which no seeded reference has.
  short_reference: `printf('%09d', ${key})`,
  reference: `iif(source.reference LIKE 'INV-%', 'BILL-' || ${key}, printf('%08d', ${key} % 100000000))`,
  payer,
  dialler: `iif(source.requested_by = 'payer', ${payer}, '23320' || printf('%07d', (${key} * 104729) % 10000000))`,
  ...Object.fromEntries([...times, ...laterTimes].map((name) => [name, shifted(name)])),
};
const partColumns: Record<string, string> = {
  seq: 'NULL',
  collection_id: idOf('id'),
  subject_id: idOf('id'),
  dialogue_id: idOf('dialogue_id'),
  session: `row.session || ${key}`,
  dialler: payer,
  payer,
  at: shifted('at'),
};

/** The tables, which rows of them are copied, and how a row finds its collection. */
const tables = [
  { name: 'collection', columns: collectionColumns, of: 'row.id = source.id', only: 'TRUE' },
  { name: 'posting', columns: partColumns, of: 'row.subject_id = source.id', only: 'TRUE' },
  { name: 'fact', columns: partColumns, of: 'row.subject_id = source.id', only: 'row.version = 1' },
  { name: 'turn', columns: partColumns, of: 'row.collection_id = source.id', only: 'TRUE' },
];

/**
 * Copies the ended payments of a seeded ledger by SQL to earlier times, with their postings, first facts and last turns,
 * until there are about `collections`. The copies have payers and references of their own.
 *
 * @param days the time over which they are spread; by default, 8 hours for each copy of all payments.
 */
export function multiply(file: string, collections: number, days?: number): void {
  const database = new Database(file);
  try {
    // A file of millions of rows is written once, without a log, and its indexes are built from sorted rows at the end.
    database.pragma('journal_mode = DELETE');
    database.pragma('journal_mode = OFF');
    database.pragma('synchronous = OFF');
    database.pragma('cache_size = -512000');
    const indexes = dropIndexes(database);
    readSources(database);
    const sources = database.prepare<[], { n: number }>('SELECT count(*) AS n FROM source').get()?.n ?? 1;
    const copies = Math.ceil(collections / sources);
    const shiftMs = days === undefined ? defaultShiftMs : Math.floor((days * dayMs) / copies);
    database.exec(`CREATE TEMP TABLE copied AS SELECT ${shiftMs} AS shift_ms`);
    for (let first = 1; first <= copies; first += copiesAtOnce) {
      const last = Math.min(copies, first + copiesAtOnce - 1);
      const copy = `WITH RECURSIVE copy(number) AS (SELECT ${first} UNION ALL SELECT number + 1 FROM copy WHERE number < ${last})`;
      database.transaction(() => {
        for (const { name, columns, of } of tables) {
          const names = columnsOf(database, name);
          const selected = names.map((column) => columns[column] ?? `row."${column}"`);
          database.exec(
            `INSERT INTO "${name}" (${names.map((one) => `"${one}"`).join(', ')}) ${copy}
             SELECT ${selected.join(', ')} FROM copy CROSS JOIN source CROSS JOIN source_${name} AS row ON ${of}`,
          );
        }
      })();
    }
    for (const sql of indexes) database.exec(sql);
    database.pragma('journal_mode = WAL');
  } finally {
    database.close();
  }
}

/** Reads the rows that are copied into temporary tables, because the copies are not copied again. */
function readSources(database: Database): void {
  const ended = 'id NOT IN (SELECT collection_id FROM job) AND review IS NULL AND session_id IS NOT NULL';
  database.exec(`CREATE TEMP TABLE source AS SELECT rowid AS rowid_of, * FROM collection WHERE ${ended}`);
  for (const { name, of, only } of tables) {
    database.exec(`CREATE TEMP TABLE source_${name} AS
      SELECT row.* FROM "${name}" AS row WHERE ${only} AND EXISTS (SELECT 1 FROM source WHERE ${of})`);
    database.exec(
      `CREATE INDEX temp.source_${name}_of ON source_${name} (${of.split(' ')[0]?.slice('row.'.length)})`,
    );
  }
}

/** Drops the indexes of the copied tables, and returns the statements that create them again. */
function dropIndexes(database: Database): string[] {
  const names = tables.map(({ name }) => `'${name}'`).join(', ');
  const indexes = database
    .prepare<[], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN (${names})`,
    )
    .all();
  for (const { name } of indexes) database.exec(`DROP INDEX "${name}"`);
  return indexes.map(({ sql }) => sql);
}

function columnsOf(database: Database, table: string): string[] {
  const rows = database.prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}')`).all();
  return rows.map(({ name }) => name);
}
