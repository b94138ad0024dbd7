import { listReviews } from '../../../gateway/support/list-query.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { readPageRequest } from './page-options.ts';
import { collectionPageText, knownPage } from './page-text.ts';
import { printLedgerJson } from './print-json.ts';
import { readLedger } from './read-ledger.ts';
import type { LedgerDeps, PagedOptions } from './types.ts';

/** Prints the collections that a person must decide about, newest first. @throws UserError when the cursor is unknown. */
export function reviewsCommand(deps: LedgerDeps, options: PagedOptions): Promise<void> {
  const { stdout, noColor } = deps;
  return readLedger(deps.database(options), async (store) => {
    const page = knownPage(await listReviews(store, readPageRequest(options)), options, 'collection');
    if (options.json) printLedgerJson(stdout, page, options);
    else if (page.total > 0) stdout.write(collectionPageText(paintFor(stdout, noColor), page));
    else stdout.write('no collections in review\n');
  });
}
