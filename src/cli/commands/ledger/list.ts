import { listCollections } from '../../../gateway/support/list-query.ts';
import { plural } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { readFilter } from './filter-options.ts';
import { readPageRequest } from './page-options.ts';
import { collectionPageText, knownPage } from './page-text.ts';
import { printLedgerJson } from './print-json.ts';
import { readLedger } from './read-ledger.ts';
import type { LedgerDeps, ListOptions } from './types.ts';

/** Prints the collections that match the filters, newest first. @throws UserError when an option is invalid. */
export async function listCommand(deps: LedgerDeps, options: ListOptions): Promise<void> {
  const { stdout, noColor } = deps;
  const filter = readFilter(options);
  return readLedger(deps.database(options), async (store) => {
    const found = await listCollections(store, filter, readPageRequest(options));
    const page = knownPage(found, options, 'collection');
    if (options.json) printLedgerJson(stdout, page, options);
    else if (page.total === 0) stdout.write('no collection found\n');
    else stdout.write(collectionPageText(paintFor(stdout, noColor), page));
    if (!options.json && page.notSearched > 0)
      stdout.write(
        `not searched: ${plural(page.notSearched, 'older collection')}. To search them, add --from\n`,
      );
  });
}
