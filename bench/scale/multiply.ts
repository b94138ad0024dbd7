import { Database } from '../../src/sqlite/driver.ts';

/** More than the seeded ledger has, so that each copy has a number of its own. */
const step = 1_000;
/** The copies are spread over about three years. */
const shiftMs = 8 * 3_600_000;
const copiesAtOnce = 50;

const key = `(source.rowid + copy.number * ${step})`;
/** In the order of writing, as the ids of a real ledger. */
const idOf = (column: string) => `substr(source.${column}, 1, 4) || printf('%026d', ${key})`;
const payer = `'23324' || printf('%07d', (${key} * 7919) % 10000000)`;
const times = ['opened_at', 'prompt_not_before', 'prompt_deadline', 'initiate_sent_at', 'initiated_at'];
const laterTimes = ['closed_at', 'confirmed_at', 'lapsed_at', 'updated_at'];
const shifted = (name: string) => `row.${name} - copy.number * ${shiftMs}`;

/** What a copy has instead of the value of its source, by column. */
const collectionColumns: Record<string, string> = {
  id: idOf('id'),
  dialogue_id: idOf('dialogue_id'),
  session_id: idOf('session_id'),
  short_reference: `printf('%08d', ${key} % 100000000)`,
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
  { name: 'collection', columns: collectionColumns, of: 'row.rowid = source.rowid', only: 'TRUE' },
  { name: 'posting', columns: partColumns, of: 'row.subject_id = source.id', only: 'TRUE' },
  { name: 'fact', columns: partColumns, of: 'row.subject_id = source.id', only: 'row.version = 1' },
  { name: 'turn', columns: partColumns, of: 'row.collection_id = source.id', only: 'TRUE' },
];

/**
 * Copies the ended payments of a seeded ledger by SQL to earlier times, with their postings, first facts and last turns,
 * until there are about `collections`. The copies have payers and references of their own.
 */
export function multiply(file: string, collections: number): void {
  const database = new Database(file);
  try {
    database.pragma('synchronous = OFF');
    database.pragma('cache_size = -512000');
    // The copies are not copied again.
    const seeded =
      database.prepare<[], { n: number }>('SELECT max(rowid) AS n FROM collection').get()?.n ?? 0;
    const ended = `source.next_at IS NULL AND source.review IS NULL AND source.session_id IS NOT NULL AND source.rowid <= ${seeded}`;
    const sources = database.prepare<[], { n: number }>(
      `SELECT count(*) AS n FROM collection AS source WHERE ${ended}`,
    );
    const copies = Math.ceil(collections / (sources.get()?.n ?? 1));
    for (let first = 1; first <= copies; first += copiesAtOnce) {
      const last = Math.min(copies, first + copiesAtOnce - 1);
      const copy = `WITH RECURSIVE copy(number) AS (SELECT ${first} UNION ALL SELECT number + 1 FROM copy WHERE number < ${last})`;
      database.transaction(() => {
        // The collections last: their rows are the sources of all others.
        for (const { name, columns, of, only } of tables.toReversed()) {
          const names = columnsOf(database, name);
          const selected = names.map((column) => columns[column] ?? `row."${column}"`);
          database.exec(
            `INSERT INTO "${name}" (${names.map((one) => `"${one}"`).join(', ')}) ${copy}
             SELECT ${selected.join(', ')} FROM collection AS source CROSS JOIN copy JOIN "${name}" AS row ON ${of}
             WHERE ${ended} AND ${only}`,
          );
        }
      })();
    }
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

function columnsOf(database: Database, table: string): string[] {
  const rows = database.prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}')`).all();
  return rows.map(({ name }) => name);
}
