import type { EpochMs } from '../../../shared/clock.ts';
import type { DaySums } from '../../collection/store/day-query.ts';
import { dayMs, showDay, type TimeSpan } from '../../ledger/day.ts';
import type { DayClose } from '../../staff/day-close-query.ts';
import type { Scope } from '../../support/scope.ts';
import type { PageContent } from '../define-route.ts';
import { listPath } from '../list/filter.ts';
import { Message } from '../page.tsx';
import { amountColumn, DataTable } from '../pages/data-table.tsx';
import { showAmount, showTime } from '../pages/format.ts';
import { type Day, type DayRow, listedDays } from './days-query.ts';

/** The page for a date that is none. */
export const noDay: PageContent = {
  title: 'No such day',
  status: 404,
  body: <p>A day is written as 2026-03-06.</p>,
};

/** Returns the page of the last days. */
export function daysPage(days: readonly DayRow[], { merchantId }: Scope): PageContent {
  const rows = days.filter(({ merchants }) => merchants > 0);
  const body = (
    <>
      <form class="line" method="get" action="/console/days">
        <label for="date">Another day</label>
        <input id="date" name="date" type="date" required />
        <button type="submit">Show</button>
      </form>
      <p class="note">
        {rows.length === 0 ? 'There are no payments in' : 'Days with payments in'} the last {listedDays} days,
        in UTC. A payment belongs to the day on which it was opened.
      </p>
      <DataTable
        label="Days"
        columns={['Day', amountColumn('Open'), amountColumn('To decide'), 'Closed']}
        rows={rows.map(({ date, merchants, closed, open, toDecide }) => [
          <a href={`/console/days/${date}`}>{date}</a>,
          open || '–',
          toDecide || '–',
          merchantId === null ? `${closed} of ${merchants}` : closed > 0 ? 'yes' : 'no',
        ])}
      />
    </>
  );
  return { title: 'Days', body };
}

export type DayView = {
  date: string;
  span: TimeSpan;
  day: Day;
  scope: Scope;
  now: EpochMs;
  /** Whether the person closes days. */
  canClose: boolean;
  message?: string | undefined;
};

/** Returns the page of one day: the totals of each merchant, and who closed it. */
export function dayPage({ date, span, day, scope, now, canClose, message }: DayView): PageContent {
  const { sums, isCut, closes } = day;
  const [before, after] = [span.from - dayMs, span.to].map((at) => showDay(at / dayMs));
  const isOver = now >= span.to;
  const isOwn = scope.merchantId !== null;
  // Pages without an end are nothing to walk through.
  const isListed = now - span.from < (listedDays - 1) * dayMs;
  const body = (
    <>
      <Message text={message} />
      <p>
        {isListed && <a href={`/console/days/${before}`}>{before}</a>}{' '}
        {isOver && <a href={`/console/days/${after}`}>{after}</a>} <a href="/console/days">All days</a>
        {!isOwn && (
          <>
            {' '}
            <a href={`/console/days/${date}/bookings`}>Bookings of the day</a>
          </>
        )}
      </p>
      {!isOver && <p class="note">The day is not over. Its totals change.</p>}
      {sums.length === 0 ? (
        <p>No payments</p>
      ) : (
        <DataTable
          label="Totals"
          caption={`Payments that were opened on this day. Amounts are those of the paid ones.${isCut ? ' Not all merchants are shown.' : ''}`}
          columns={['Merchant', ...columns.map(([, name]) => amountColumn(name)), 'Closed']}
          hasRowHeads
          rows={sums.map((row) => {
            const close = closes.find(({ merchantId }) => merchantId === row.merchantId);
            return [
              <a href={listPath({ ...(!isOwn && { merchant: row.merchantId }), from: date, to: date })}>
                {row.merchantId}
              </a>,
              ...cellsOf(row),
              <>
                {close && <Closed close={close} row={row} hasName={!isOwn} />}
                {isOver && canClose && !(close && isSame(close, row)) && <Close date={date} row={row} />}
              </>,
            ];
          })}
          foot={sums.length > 1 ? ['All', ...cellsOf(sumOf(sums)), null] : undefined}
        />
      )}
    </>
  );
  return { title: `Day ${date}`, body };
}

const columns = [
  ['opened', 'Opened'],
  ['open', 'Open'],
  ['toDecide', 'To decide'],
  ['paid', 'Paid'],
  ['notPaid', 'Not paid'],
  ['chargedMinor', 'Charged'],
  ['feeMinor', 'Fees'],
  ['netMinor', 'To the merchant'],
] as const;

function cellsOf(row: DaySums): (string | number)[] {
  return columns.map(([name]) => (name.endsWith('Minor') ? showAmount(row[name]) : row[name]));
}

function sumOf(rows: readonly DaySums[]): DaySums {
  const [first, ...others] = rows;
  if (!first) throw new Error('no merchant to sum');
  return others.reduce((sum, row) => {
    const added = Object.entries(sum).map(([name, value]) => [
      name,
      typeof value === 'number' ? value + row[name as keyof DaySums] : value,
    ]);
    return Object.fromEntries(added) as DaySums;
  }, first);
}

/** What a person confirms by closing the day. */
const closedColumns = ['opened', 'paid', 'notPaid', 'chargedMinor', 'feeMinor', 'netMinor'] as const;

function isSame({ totals }: DayClose, row: DaySums): boolean {
  return closedColumns.every((name) => totals[name] === row[name]);
}

/** `hasName`: people of a merchant do not see who of support staff closed a day. */
function Closed({ close, row, hasName }: { close: DayClose; row: DaySums; hasName: boolean }) {
  return (
    <p>
      {hasName && `by ${close.actor}, `}
      {showTime(close.at)}
      {!isSame(close, row) && (
        <>
          . <strong>The totals changed since</strong>: {close.totals.paid} paid,{' '}
          {showAmount(close.totals.chargedMinor)} charged.
        </>
      )}
    </p>
  );
}

/** The form that closes the day of a merchant, with the totals that the person sees. */
function Close({ date, row }: { date: string; row: DaySums & { merchantId: string } }) {
  if (row.open + row.toDecide > 0) return <p class="note">after the open payments and those to decide</p>;
  return (
    <form method="post" action={`/console/days/${date}/close`}>
      <input type="hidden" name="merchant" value={row.merchantId} />
      {closedColumns.map((name) => (
        <input type="hidden" name={name} value={row[name]} />
      ))}
      <button type="submit">Close the day</button>
    </form>
  );
}
