import { type CollectionRow, isUnconfirmed } from '../../../gateway/collection/collection.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm } from '../../../shared/msisdn.ts';
import { showTime, table } from '../../terminal/output.ts';
import type { Paint } from '../../terminal/terminal.ts';

/**
 * Formats collections as a table with one line for each. If another phone than the payer's requested one of them, a column
 * names the phones that dialled.
 */
export function collectionTable(paint: Paint, rows: readonly CollectionRow[]): string {
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
