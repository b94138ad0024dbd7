import type { Child } from 'hono/jsx';
import type { CollectionRow } from '../../collection/collection.ts';
import type { NumberView } from '../scope.ts';
import { StatusChip } from './card.tsx';
import { computeTotal, describeStatus, getReasons, showAmount, showSecond } from './format.ts';

/** The style of a column. Plain cells need no label on narrow screens. */
type Kind = 'amount' | 'text' | 'detail' | 'plain' | 'plain amount';

/** A column: its name, its cell of a row, and how the cells are set. */
type Column<Row> = readonly [name: string, cell: (row: Row) => Child, kind?: Kind];

export type TableProps<Row> = {
  /** The name of the rows. */
  label: string;
  /** The text above the table. */
  caption?: Child;
  /** `false` is a column that this table does not have. */
  columns: readonly (Column<Row> | false)[];
  rows: readonly Row[];
  /** The text in place of a table without rows, which is shown otherwise. */
  empty?: Child;
  /** True when the first cell of a row names it. */
  hasRowHeads?: boolean;
  /** The cells of the sums below the rows. */
  foot?: readonly Child[] | undefined;
};

/** Rows with a head. On narrow screens, a row is a block, and each of its cells has the name of its column. */
export function Table<Row>({
  label,
  caption,
  columns,
  rows,
  empty,
  hasRowHeads = false,
  foot,
}: TableProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const shown = columns.filter((one) => one !== false);
  const line = (cells: readonly Child[], isFoot = false) => (
    <tr>
      {shown.map(([name, , kind = ''], at) =>
        at === 0 && (hasRowHeads || isFoot) ? (
          <th scope="row">{cells[at]}</th>
        ) : (
          <td
            class={kind.replace('plain', '').trim() || undefined}
            data-label={kind.startsWith('plain') ? undefined : name}
          >
            {cells[at]}
          </td>
        ),
      )}
    </tr>
  );
  return (
    <section class="wide" aria-label={label} tabindex={0}>
      <table>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {shown.map(([name, , kind]) => (
              <th class={kind?.endsWith('amount') ? 'amount' : undefined}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>{rows.map((row) => line(shown.map(([, cell]) => cell(row))))}</tbody>
        {foot !== undefined && <tfoot>{line(foot, true)}</tfoot>}
      </table>
    </section>
  );
}

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
      ['Opened (UTC)', ({ id, openedAt }) => <a href={paymentPath(id)}>{showSecond(openedAt)}</a>, 'plain'],
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
  const { words, tone } = describeStatus(row);
  return <StatusChip tone={tone}>{words}</StatusChip>;
}

/** Returns the address of the page of a payment. */
export function paymentPath(id: string): string {
  return `/console/payments/${encodeURIComponent(id)}`;
}
