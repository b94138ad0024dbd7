import type { CollectionRow } from '../../collection/collection.ts';
import type { NumberView } from '../scope.ts';
import { Status } from './card.tsx';
import { computeTotal, getReasons, showAmount, showTime, statusView } from './format.ts';
import type { TableProps } from './table.tsx';

/**
 * Payments, one in each row. The dialler has a column when another phone than the payer's requested one of them. The style sheet names
 * the second amount of a row: a label in each row would take the list over its limit of bytes.
 */
export function paymentTable(
  label: string,
  rows: readonly CollectionRow[],
  numbers: NumberView,
): TableProps<CollectionRow> {
  return {
    ...{ label, rows },
    columns: [
      ['Opened (UTC)', ({ id, openedAt }) => <a href={paymentPath(id)}>{showTime(openedAt)}</a>, 'plain'],
      ['Status', (row) => <PaymentStatus row={row} />, 'plain'],
      ['Price', ({ goodsMinor }) => showAmount(goodsMinor), 'plain amount'],
      ['Total', (row) => showAmount(computeTotal(row)), 'plain amount'],
      ['Payer', ({ payer }) => numbers.phone(payer), 'plain'],
      rows.some(({ payer, dialler }) => payer !== dialler) && [
        'Dialled by',
        ({ payer, dialler }) => (payer === dialler ? '–' : numbers.phone(dialler)),
      ],
      ['Reference', ({ reference }) => numbers.text(reference), 'plain'],
      ['Reason', getReasons, 'plain'],
    ],
  };
}

function PaymentStatus({ row }: { row: CollectionRow }) {
  const { words, tone } = statusView(row);
  return <Status tone={tone}>{words}</Status>;
}

export function paymentPath(id: string): string {
  return `/console/payments/${encodeURIComponent(id)}`;
}
