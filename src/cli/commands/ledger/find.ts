import { findCollectionPage } from '../../../gateway/support/find-query.ts';
import { plural } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { readPageRequest } from './page-options.ts';
import { collectionPageText, knownPage } from './page-text.ts';
import { printLedgerJson } from './print-json.ts';
import { readLedger } from './read-ledger.ts';
import type { LedgerDeps, PagedOptions } from './types.ts';

/** Prints the collections that match a search term, newest first. @throws UserError when the cursor is unknown. */
export function findCommand(deps: LedgerDeps, term: string, options: PagedOptions): Promise<void> {
  const { stdout, noColor } = deps;
  return readLedger(deps.databaseFile(options), async (store) => {
    const found = await findCollectionPage(store, term, readPageRequest(options));
    const page = knownPage(found, options, 'collection');
    if (options.json) return printLedgerJson(stdout, page, options);
    if (page.total > 0) stdout.write(collectionPageText(paintFor(stdout, noColor), page));
    else {
      const hint = term.startsWith('pay_')
        ? '. For events of unknown payment sessions, run: dialtill ledger unmatched'
        : '';
      stdout.write(`no collection found for ${term}${hint}\n`);
    }
    if (page.notSearched > 0) {
      const older = plural(page.notSearched, 'older collection');
      stdout.write(
        `not searched: parts of references and amounts in ${older}. To narrow them down, run: dialtill ledger list\n`,
      );
    }
  });
}
