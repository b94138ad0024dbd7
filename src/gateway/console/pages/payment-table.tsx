import type { Child } from 'hono/jsx';
import type { CollectionRow } from '../../collection/collection.ts';
import type { NumberView } from '../numbers.ts';
import { type Column, DataTable, plainColumn } from './data-table.tsx';
import { reasonsOf, showAmount, showTime, statusView, totalOf } from './format.ts';

/** The style sheet names the second amount of a row: a label in each row would take the list over its limit of bytes. */
const amountOf = (name: string): Column => ({ name, kind: 'amount', isPlain: true });

type TableProps = { caption: string; rows: readonly CollectionRow[]; numbers: NumberView };

/** Payments, one in each row. The dialler has a column when another phone than the payer's requested one of them. */
export function PaymentTable({ caption, rows, numbers }: TableProps) {
  const hasDiallers = rows.some(({ payer, dialler }) => payer !== dialler);
  const columns: Column[] = [
    ...[plainColumn('Opened (UTC)'), plainColumn('Status'), amountOf('Price'), amountOf('Total')],
    plainColumn('Payer'),
    ...(hasDiallers ? ['Dialled by'] : []),
    ...[plainColumn('Reference'), plainColumn('Reason')],
  ];
  const cellsOf = (row: CollectionRow): Child[] => {
    const { words, tone } = statusView(row);
    return [
      <a href={paymentPath(row.id)}>{showTime(row.openedAt)}</a>,
      <span class={`status ${tone}`}>{words}</span>,
      showAmount(row.goodsMinor),
      showAmount(totalOf(row)),
      numbers.phone(row.payer),
      ...(hasDiallers ? [row.payer === row.dialler ? '–' : numbers.phone(row.dialler)] : []),
      numbers.text(row.reference),
      reasonsOf(row),
    ];
  };
  return <DataTable label={caption} columns={columns} rows={rows.map(cellsOf)} />;
}

export function paymentPath(id: string): string {
  return `/console/payments/${encodeURIComponent(id)}`;
}
