import { type CollectionRow, isUnconfirmed } from '../../../gateway/collection/collection.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm } from '../../../shared/msisdn.ts';
import { showTime, table } from '../../terminal/output.ts';
import type { Paint } from '../../terminal/terminal.ts';

/** Formats collections as a table with one line for each. */
export function collectionTable(paint: Paint, rows: readonly CollectionRow[]): string {
  const lines = rows.map((row) => [
    row.id,
    isUnconfirmed(row) ? 'paid, unconfirmed' : row.status,
    formatCedis(row.goodsMinor),
    localForm(row.payer),
    row.reference,
    showTime(row.openedAt),
    row.review ?? row.reason ?? '',
  ]);
  const head = ['collection', 'status', 'price', 'payer', 'reference', 'opened (UTC)', 'reason'];
  return table(paint, [head, ...lines]);
}
