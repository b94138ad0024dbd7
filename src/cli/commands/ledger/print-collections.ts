import { findCollectionPage } from '../../../gateway/support/find-query.ts';
import { listCollections, listReviews } from '../../../gateway/support/list-query.ts';
import { findUnplaced } from '../../../gateway/unplaced/list-query.ts';
import { systemClock } from '../../../shared/clock.ts';
import type { Store } from '../../../sqlite/store.ts';
import { readPageRequest } from '../../command-options.ts';
import { plural } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { paymentTable } from '../unplaced/payment-table.ts';
import { readFilter } from './filter-options.ts';
import { collectionPageText, knownPage } from './page-text.ts';
import { printLedgerJson, readLedger } from './read-ledger.ts';
import type { LedgerDeps, ListOptions, PagedOptions } from './types.ts';

/** Unplaced payments that a search prints. */
const maxUnplaced = 10;

/** Prints the collections and the unplaced payments that match a search term, newest first. @throws UserError when the cursor is unknown. */
export function findCommand(deps: LedgerDeps, term: string, options: PagedOptions): Promise<void> {
  const { stdout, noColor } = deps;
  return readLedger(deps.database(options), async (store) => {
    const found = await findCollectionPage(store, term, readPageRequest(options));
    const page = knownPage(found, options, 'collection');
    const unplaced = await unplacedOf(deps, store, term);
    if (options.json) return printLedgerJson(stdout, { ...page, unplaced }, options);
    if (page.total > 0) stdout.write(collectionPageText(paintFor(stdout, noColor), page));
    else stdout.write(`no collection found for ${term}\n`);
    if (unplaced.total > 0) {
      const shown = `shown: ${unplaced.data.length} of ${plural(unplaced.total, 'unplaced payment')}\n`;
      stdout.write(paymentTable(paintFor(stdout, noColor), unplaced.data) + shown);
    }
    if (page.notSearched > 0) {
      const older = plural(page.notSearched, 'older collection');
      stdout.write(
        `not searched: parts of references and amounts in ${older}. To narrow them down, run: dialtill ledger list\n`,
      );
    }
  });
}

async function unplacedOf({ now = systemClock().now }: LedgerDeps, store: Store, term: string) {
  const found = await findUnplaced(store, term, { limit: maxUnplaced });
  if (found === 'unknown_cursor' || found.data.length === 0) return { data: [], total: 0 };
  // Loaded only when it is needed: its schemas take most of the start-up time of a search.
  const { readViews } = await import('../unplaced/read-views.ts');
  return { data: await readViews(store, found.data, { now: now(), suggestions: 1 }), total: found.total };
}

/** Prints the collections that match the filters, newest first. @throws UserError when an option is invalid. */
export async function listCollectionsCommand(deps: LedgerDeps, options: ListOptions): Promise<void> {
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
