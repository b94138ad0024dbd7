import { type CollectionRow, isUnconfirmed } from '../../../gateway/collection/collection.ts';
import type { CollectionPage, Page, UnknownCursor } from '../../../gateway/support/page.ts';
import { UserError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm } from '../../../shared/msisdn.ts';
import type { PageOptions } from '../../command-options.ts';
import { oneLine, plural, showTime, table } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import type { Paint } from '../../terminal/terminal.ts';

/** Returns the page. @throws UserError when the ledger has no row with the cursor. */
export function knownPage<Found extends Page<unknown>>(
  page: Found | UnknownCursor,
  { after }: PageOptions,
  noun: 'collection' | 'event' | 'action' | 'unplaced payment',
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

/**
 * Formats collections as a table with one line for each. If another phone than the payer's requested one of them, a column
 * names the phones that dialled.
 */
function collectionTable(paint: Paint, rows: readonly CollectionRow[]): string {
  const isByOther = ({ payer, dialler }: CollectionRow) => payer !== dialler;
  const hasDiallers = rows.some(isByOther);
  const dialler = (row: CollectionRow) => (isByOther(row) ? localForm(row.dialler) : '-');
  const lines = rows.map((row) => [
    row.id,
    isUnconfirmed(row) ? 'paid, unconfirmed' : row.status,
    formatCedis(row.goodsMinor),
    localForm(row.payer),
    ...(hasDiallers ? [dialler(row)] : []),
    row.reference,
    showTime(row.openedAt),
    reasons(row),
  ]);
  const head = ['collection', 'status', 'price', 'payer'];
  if (hasDiallers) head.push('dialled by');
  head.push('reference', 'opened (UTC)', 'reason');
  return table(paint, [head, ...lines]);
}

/** A collection under review can have an earlier flag beside the reason of its status. */
function reasons({ status, review, reason }: CollectionRow): string {
  if (status !== 'review') return review ?? reason ?? '';
  return [...new Set([review, reason])].filter((one) => one !== null).join(', ');
}
