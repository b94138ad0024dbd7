import type { Child } from 'hono/jsx';
import type { EpochMs } from '../../../shared/clock.ts';
import { nameNetwork } from '../../../shared/msisdn.ts';
import { showShortReference } from '../../../shared/short-reference.ts';
import { type CollectionRow, computeTotal } from '../../collection/collection.ts';
import type { NumberView } from '../scope.ts';
import { Chip } from './card.tsx';
import { describeStatus, showClock, showMoment, showNumber, showRecentDay } from './format.ts';

/**
 * The style of a column. On narrow screens, a row is a block: `first` and `sum` are its first line, `rest` follows in small letters, and
 * `full` has a line of its own, as a cell of `links` has. Cells of an `amount` or of no kind have the name of their column there, and those of `plain` have none.
 */
type Kind =
  | 'first'
  | 'sum'
  | 'price'
  | 'amount'
  | 'text'
  | 'detail'
  | 'plain'
  | 'plain amount'
  | 'rest'
  | 'pick'
  | 'links'
  | 'dialler';

const classes: Readonly<Record<Kind, string | undefined>> = {
  first: 'first',
  sum: 'n sum',
  price: 'n rest pr',
  amount: 'n rest',
  text: 'rest full',
  detail: 'rest full any',
  plain: 'rest',
  'plain amount': 'n rest',
  rest: 'rest',
  pick: 'rest pick',
  links: 'rest full pick',
  dialler: 'rest by',
};

const labelled: readonly (Kind | undefined)[] = [undefined, 'amount', 'text', 'detail'];

/** A column: its name, its cell of a row, and how the cells are set. */
type Column<Row> = readonly [name: string, cell: (row: Row) => Child, kind?: Kind];

type Days<Row> = {
  timeOf(row: Row): EpochMs;
  now: EpochMs;
  /** The zone of the days; Ghana's when absent. */
  timeZone?: string | undefined;
  /** Returns the text at the right of a heading. */
  note?(rows: readonly Row[]): Child;
};

export type TableProps<Row> = {
  /** The name of the rows. */
  label: string;
  title?: Child;
  aside?: Child;
  caption?: Child;
  /** `false` is a column that this table does not have. */
  columns: readonly (Column<Row> | false)[];
  rows: readonly Row[];
  /** The text in place of a table without rows, which is shown otherwise. It stands below a heading. */
  empty?: Child;
  /** True when the first cell of a row names it. */
  hasRowHeads?: boolean;
  /** The content below the table. */
  after?: Child;
  /** The cells of the sums below the rows. */
  foot?: readonly Child[] | undefined;
  /** The headings of the days; none when absent. */
  days?: Days<Row> | undefined;
};

/** The link of a row to the page of its thing. */
export function RowLink({ href, children }: { href: string; children?: Child }) {
  return (
    <a class="row" href={href}>
      {children}
    </a>
  );
}

type Heading = string | readonly [name: string, kind: 'n' | 'n pr' | 'unseen'];

/** The head of a table: `n` is a column of numbers, `pr` that of prices, and the name of an `unseen` one is only read out. */
export function TableHead({ columns }: { columns: readonly Heading[] }) {
  return (
    <thead>
      <tr>
        {columns.map((one) => {
          const [name, kind] = typeof one === 'string' ? [one] : one;
          return (
            <th scope="col" class={kind === 'unseen' ? undefined : kind}>
              {kind === 'unseen' ? <span class="unseen">{name}</span> : name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Rows with a head, in a card. On narrow screens, a row is a block. */
export function Table<Row>({
  label,
  title,
  aside,
  caption,
  after,
  columns,
  rows,
  empty,
  hasRowHeads = false,
  foot,
  days,
}: TableProps<Row>) {
  const isEmpty = rows.length === 0 && empty !== undefined;
  if (isEmpty && title === undefined) return <>{empty}</>;
  const shown = columns.filter((one) => one !== false);
  const line = (cells: readonly Child[], isFoot = false) => (
    <tr>
      {shown.map(([name, , kind], at) =>
        at === 0 && (hasRowHeads || isFoot) ? (
          <th scope="row">{cells[at]}</th>
        ) : (
          <td
            class={kind === undefined ? 'rest' : classes[kind]}
            data-label={labelled.includes(kind) ? name : undefined}
          >
            {kind === 'pick' || kind === 'links' ? <span>{cells[at]}</span> : cells[at]}
          </td>
        ),
      )}
    </tr>
  );
  const lines = (some: readonly Row[]) => some.map((row) => line(shown.map(([, cell]) => cell(row))));
  return (
    <section class="card wide" aria-label={label} tabindex={0}>
      {title !== undefined && (
        <div class="line between card-head">
          <div>
            <h2>{title}</h2>
            {caption !== undefined && <p class="muted small">{caption}</p>}
          </div>
          {aside}
        </div>
      )}
      {isEmpty ? (
        <div class="card-foot muted">{empty}</div>
      ) : (
        <table class="list">
          {caption !== undefined && title === undefined && <caption>{caption}</caption>}
          <TableHead
            columns={shown.map(([name, , kind = 'rest']) => {
              if (kind === 'price') return [name, 'n pr'];
              return /^n\b/.test(classes[kind] ?? '') ? [name, 'n'] : name;
            })}
          />
          {days === undefined ? (
            <tbody>{lines(rows)}</tbody>
          ) : (
            [...Map.groupBy(rows, (row) => showRecentDay(days.timeOf(row), days.now, days.timeZone))].map(
              ([day, ofDay]) => (
                <tbody>
                  <tr class="day">
                    <th scope="rowgroup" colspan={shown.length}>
                      <span class="line between">
                        {day}
                        <span>{days.note?.(ofDay)}</span>
                      </span>
                    </th>
                  </tr>
                  {lines(ofDay)}
                </tbody>
              ),
            )
          )}
          {foot !== undefined && <tfoot>{line(foot, true)}</tfoot>}
        </table>
      )}
      {after && <div class="card-foot">{after}</div>}
    </section>
  );
}

type PaymentTableOptions = {
  now: EpochMs;
  /** True for a short list of several days, whose rows have their day. */
  hasNoDays?: boolean;
  /** True when the rows can be of several merchants. */
  hasMerchants?: boolean;
  hasNetworks?: boolean;
} & Pick<Days<CollectionRow>, 'timeZone' | 'note'>;

/** Payments, one in each row. The dialler has a column when another phone than the payer's requested one of them. */
export function paymentTable(
  label: string,
  rows: readonly CollectionRow[],
  numbers: NumberView,
  { hasNoDays, hasMerchants, hasNetworks, ...clock }: PaymentTableOptions,
): TableProps<CollectionRow> {
  const timeOf = ({ openedAt }: CollectionRow) => openedAt;
  const { now, timeZone } = clock;
  const show = (at: EpochMs) => (hasNoDays ? showMoment(at, now, timeZone) : showClock(at, timeZone));
  return {
    ...{ label, rows, days: hasNoDays ? undefined : { timeOf, ...clock } },
    columns: [
      [
        'Time',
        ({ id, openedAt }) => (
          <a class="row" href={paymentPath(id)}>
            {show(openedAt)}
          </a>
        ),
        'rest',
      ],
      ['Status', (row) => <PaymentStatus row={row} />, 'first'],
      ['Total, GHS', (row) => showNumber(computeTotal(row)), 'sum'],
      ['Price, GHS', ({ goodsMinor }) => showNumber(goodsMinor), 'price'],
      ['Payer', ({ payer }) => numbers.phone(payer), 'rest'],
      rows.some(({ payer, dialler }) => payer !== dialler) && [
        'Dialled by',
        ({ payer, dialler }) => (payer === dialler ? '' : numbers.phone(dialler)),
        'dialler',
      ],
      hasMerchants === true && ['Merchant', ({ merchantId }) => merchantId, 'rest'],
      hasNetworks === true && ['Network', ({ network }) => nameNetwork(network), 'rest'],
      ['Reference', (row) => showReference(row, numbers), 'pick'],
    ],
  };
}

/** Returns the reference of a payment for a page: one that the gateway made is spaced, a given one as it is. */
export function showReference(
  { reference, shortReference }: Pick<CollectionRow, 'reference' | 'shortReference'>,
  numbers: NumberView,
): string {
  return reference === shortReference ? showShortReference(reference) : numbers.text(reference);
}

/** Returns the words of an account of the ledger. */
export function nameAccount(account: string): string {
  const merchant = /^merchant:(.+)$/.exec(account)?.[1];
  return merchant ?? account.replaceAll('_', ' ');
}

export function PaymentStatus({ row, id }: { row: CollectionRow; id?: string }) {
  const { words, tone } = describeStatus(row);
  return (
    <Chip tone={tone} id={id}>
      {words}
    </Chip>
  );
}

export function paymentPath(id: string): string {
  return `/console/payments/${encodeURIComponent(id)}`;
}
