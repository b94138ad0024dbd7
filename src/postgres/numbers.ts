import pg, { type ClientBase } from 'pg';
import { ledgerSchema, listLedgerObjects } from './compare-catalogue.ts';

// cspell:ignore attidentity attname attrelid relname relnamespace
/** The columns of the ledger that the server numbers, each with its sequence. */
const numberedColumns = `SELECT t.relname AS name, a.attname AS column,
    pg_get_serial_sequence(quote_ident(t.relname), a.attname) AS sequence
  FROM pg_attribute AS a JOIN pg_class AS t ON t.oid = a.attrelid
  WHERE a.attidentity <> '' AND t.relnamespace = '${ledgerSchema}'::regnamespace AND t.relname = ANY ($1)
  ORDER BY name`;

/** Tables with the numbers of rows that retention has deleted. */
const deletedRows: Readonly<Record<string, string>> = { turn: 'deleted_turn' };

/**
 * Makes each sequence continue after the rows of its table. A logical replication carries rows and not sequences, so that each
 * insert would fail. Only one process at a time may do so.
 *
 * @returns the tables whose sequence was behind.
 */
export async function continueSequences(client: Pick<ClientBase, 'query'>): Promise<string[]> {
  const { rows } = await client.query(numberedColumns, [listLedgerObjects('table')]);
  const behind: string[] = [];
  for (const { name, column, sequence } of rows) {
    const tables = [name, deletedRows[name]].filter((table) => table !== undefined);
    const last = tables.map(
      (table) => `(SELECT max(${pg.escapeIdentifier(column)}) FROM ${pg.escapeIdentifier(table)})`,
    );
    // The snapshot is older than the reading of the sequence, so that a number which is drawn meanwhile is not behind.
    const repaired = await client.query(
      `SELECT setval($1, used.last) FROM ${sequence} AS s, (SELECT greatest(${last.join(', ')}) AS last) AS used
       WHERE used.last >= s.last_value + s.is_called::int`,
      [sequence],
    );
    if (repaired.rows.length > 0) behind.push(name);
  }
  return behind;
}
