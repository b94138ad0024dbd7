import { findReviews } from '../../../gateway/support/collection-query.ts';
import { printJson } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { collectionTable } from './collection-table.ts';
import { readLedger } from './read-ledger.ts';
import type { LedgerDeps, LedgerOptions } from './types.ts';

/** Prints the collections that a person must decide about. */
export function reviewsCommand(deps: LedgerDeps, options: LedgerOptions): Promise<void> {
  const { stdout, noColor } = deps;
  return readLedger(deps.databaseFile(options), async (store) => {
    const rows = await findReviews(store);
    if (options.json) printJson(stdout, rows);
    else if (rows.length > 0) stdout.write(collectionTable(paintFor(stdout, noColor), rows));
    else stdout.write('no collections in review\n');
  });
}
