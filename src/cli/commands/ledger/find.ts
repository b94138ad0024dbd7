import { findCollections } from '../../../gateway/support/collection-query.ts';
import { printJson } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { collectionTable } from './collection-table.ts';
import { readLedger } from './read-ledger.ts';
import type { LedgerDeps, LedgerOptions } from './types.ts';

/** Prints the collections that match a search term. */
export function findCommand(deps: LedgerDeps, term: string, options: LedgerOptions): Promise<void> {
  const { stdout, noColor } = deps;
  return readLedger(deps.databaseFile(options), async (store) => {
    const rows = await findCollections(store, term);
    if (options.json) return printJson(stdout, rows);
    if (rows.length > 0) return void stdout.write(collectionTable(paintFor(stdout, noColor), rows));
    const hint = term.startsWith('pay_')
      ? '. For events of unknown payment sessions, run: dialtill ledger unmatched'
      : '';
    stdout.write(`no collection found for ${term}${hint}\n`);
  });
}
