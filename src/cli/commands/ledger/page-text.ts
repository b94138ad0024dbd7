import type { CollectionPage, Page, UnknownCursor } from '../../../gateway/support/page.ts';
import { UserError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { oneLine, plural } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import type { Paint } from '../../terminal/terminal.ts';
import { collectionTable } from './collection-table.ts';
import type { PageOptions } from './page-options.ts';

/** Returns the page. @throws UserError when the ledger has no row with the cursor. */
export function knownPage<Found extends Page<unknown>>(
  page: Found | UnknownCursor,
  { after }: PageOptions,
  noun: 'collection' | 'event' | 'action',
): Found {
  if (page !== 'unknown_cursor') return page;
  throw new UserError(
    `--after: the ledger has no ${noun} ${after}. Use the cursor that the previous page printed`,
  );
}

/** Formats collections, the size of the whole result, and the cursor of the next page. */
export function collectionPageText(paint: Paint, page: CollectionPage): string {
  const sum = `, sum of all prices ${formatCedis(page.sumMinor)}`;
  return `${collectionTable(paint, page.data)}${pageFooter(page, 'collection', sum)}`;
}

/** Formats the size of the whole result and the cursor of the next page. */
export function pageFooter({ data, total, next }: Page<unknown>, noun: string, note = ''): string {
  return (
    `shown: ${data.length} of ${plural(total, noun)}${note}\n` +
    (next === null ? '' : `next page: --after ${oneLine(printable(next))}\n`)
  );
}
