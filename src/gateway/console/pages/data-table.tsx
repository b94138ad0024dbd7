import type { Child } from 'hono/jsx';

/** A column: its name, and how its cells are set. Cells that say what they are need no label on narrow screens. */
export type Column = string | { name: string; kind?: 'amount' | 'text' | 'detail'; isPlain?: true };

/** A column of amounts or counts. */
export const amountColumn = (name: string): Column => ({ name, kind: 'amount' });

type DataTableProps = {
  /** What the table lists. */
  label: string;
  /** What stands above the table. */
  caption?: Child;
  columns: readonly Column[];
  /** The cells of each row, in the order of the columns. */
  rows: readonly (readonly Child[])[];
  /** Whether the first cell of a row names it. */
  hasRowHeads?: boolean;
  /** The cells of the sums below the rows. */
  foot?: readonly Child[] | undefined;
};

/** A column whose cells need no label. */
export const plainColumn = (name: string): Column => ({ name, isPlain: true });

/** A list with a head. On narrow screens, a row is a block, and each of its cells has the name of its column. */
export function DataTable({ label, caption, columns, rows, hasRowHeads = false, foot }: DataTableProps) {
  const known = columns.map((one) => (typeof one === 'string' ? { name: one } : one));
  const row = (cells: readonly Child[], isFoot = false) => (
    <tr>
      {known.map(({ name, kind, isPlain }, at) =>
        at === 0 && (hasRowHeads || isFoot) ? (
          <th scope="row">{cells[at]}</th>
        ) : (
          <td class={kind} data-label={isPlain ? undefined : name}>
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
            {known.map(({ name, kind }) => (
              <th class={kind === 'amount' ? kind : undefined}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>{rows.map((cells) => row(cells))}</tbody>
        {foot !== undefined && <tfoot>{row(foot, true)}</tfoot>}
      </table>
    </section>
  );
}
