import { UserError } from '../../shared/errors.ts';
import type { LedgerTarget } from '../../sqlite/ledger-target.ts';
import type { SqlValue, Store } from '../../sqlite/store.ts';
import { ledgerStore } from '../ledger/ledger-store.ts';
import { verifyLedger } from '../ledger/verify.ts';
import { ledgerAudits } from './ledger-audits.ts';
import { ledgerTables, readLastNumber, readTable, type TableContent } from './ledger-tables-query.ts';

export type LedgerCopy = {
  tables: readonly TableContent[];
  /** The number of rows of all tables. */
  rows: number;
  /** Hash of the last block of the chain. */
  head: string;
};

/** Receives each table after its rows were written. */
export type OnTable = (content: TableContent) => void;

/**
 * Copies every row of a ledger, then reads the copy: each table must have the same hash, and the ledger must pass its audit.
 * Nothing is committed.
 *
 * @throws UserError when the copy differs from the ledger, or does not pass the audit.
 */
export async function copyLedger(source: Store, target: LedgerTarget, onTable: OnTable): Promise<LedgerCopy> {
  const tables = await copyRows(source, target, onTable);
  const head = await target.read(async (store) => {
    const report = await verifyLedger(ledgerStore(store), ledgerAudits);
    const [first] = report.faults;
    if (first)
      throw new UserError(
        `the copy does not pass its verification, and was not kept: ${first.row}: ${first.fault}. Run dialtill ledger verify on the ledger that it was copied from.`,
      );
    return report.head;
  });
  return { tables, rows: tables.reduce((sum, { rows }) => sum + rows, 0), head };
}

/**
 * Copies every row of a ledger, then reads the copy: each table must have the same hash. Nothing is committed.
 *
 * @throws UserError when the copy differs from the ledger.
 */
export async function copyRows(
  source: Store,
  target: LedgerTarget,
  onTable: OnTable = () => {},
): Promise<TableContent[]> {
  const tables: TableContent[] = [];
  for (const table of ledgerTables) {
    const place = table.columns.findIndex(({ name }) => name === 'cluster');
    const own = (row: readonly SqlValue[]) =>
      row.map((value, at) => (table.name === 'ledger_file' && at === place ? target.cluster : value));
    const content = await readTable(source, table, (rows) => target.insert(table, rows.map(own)));
    if (table.numbered !== null) await target.continueNumbers(table, await readLastNumber(source, table));
    tables.push(content);
    onTable(content);
  }
  await target.read((store) => requireEqual(store, tables));
  return tables;
}

async function requireEqual(store: Store, tables: readonly TableContent[]): Promise<void> {
  const hashes = new Map(tables.map(({ table, hash }) => [table, hash]));
  for (const table of ledgerTables) {
    const { hash } = await readTable(store, table);
    if (hash !== hashes.get(table.name))
      throw new UserError(`the rows of ${table.name} changed on the way, and the copy was not kept`);
  }
}
