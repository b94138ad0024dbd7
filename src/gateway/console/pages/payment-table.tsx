import type { CollectionRow } from '../../collection/collection.ts';
import type { NumberView } from '../numbers.ts';
import { reasonsOf, showAmount, showTime, statusView, totalOf } from './format.ts';

type TableProps = { caption: string; rows: readonly CollectionRow[]; numbers: NumberView };

/** Payments, one in each row. The dialler has a column when another phone than the payer's requested one of them. */
export function PaymentTable({ caption, rows, numbers }: TableProps) {
  const hasDiallers = rows.some(({ payer, dialler }) => payer !== dialler);
  return (
    <section class="wide" aria-label={caption} tabindex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Opened (UTC)</th>
            <th scope="col">Status</th>
            <th scope="col" class="amount">
              Price
            </th>
            <th scope="col" class="amount">
              Total
            </th>
            <th scope="col">Payer</th>
            {hasDiallers && <th scope="col">Dialled by</th>}
            <th scope="col">Reference</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <PaymentRow row={row} numbers={numbers} hasDialler={hasDiallers} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

type RowProps = { row: CollectionRow; numbers: NumberView; hasDialler: boolean };

function PaymentRow({ row, numbers, hasDialler }: RowProps) {
  const { words, tone } = statusView(row);
  return (
    <tr>
      <td>
        <a href={paymentPath(row.id)} data-row>
          {showTime(row.openedAt)}
        </a>
      </td>
      <td>
        <span class={`status ${tone}`}>{words}</span>
      </td>
      <td class="amount">{showAmount(row.goodsMinor)}</td>
      <td class="amount">{showAmount(totalOf(row))}</td>
      <td>{numbers.phone(row.payer)}</td>
      {hasDialler && <td>{row.payer === row.dialler ? '–' : numbers.phone(row.dialler)}</td>}
      <td>{numbers.text(row.reference)}</td>
      <td>{reasonsOf(row)}</td>
    </tr>
  );
}

export function paymentPath(id: string): string {
  return `/console/payments/${encodeURIComponent(id)}`;
}
