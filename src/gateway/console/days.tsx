import { can } from '../access/permissions.ts';
import type { DaySums } from '../collection/store/sums-query.ts';
import { dayMs, readDay, showDay } from '../ledger/day.ts';
import type { DayClose } from '../staff/day-close-query.ts';
import { closeDay } from '../staff/operations/close-day.ts';
import type { Scope } from '../support/scope.ts';
import { type DayRow, listedDays } from './days-query.ts';
import {
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  defineForm,
  type PageContent,
} from './define-route.ts';
import { notFoundPage } from './parts/card.tsx';
import { showAmount, showSecond } from './parts/format.ts';
import { PostButton } from './parts/forms.tsx';
import { Table } from './parts/table.tsx';
import { listPath } from './payments-filter.ts';
import { getScope } from './scope.ts';

/** The routes of the totals of days, and of closing them. */
export const daysRoutes = [
  defineConsoleRoute(
    'GET /days',
    { needs: 'days.read', menu: { group: 'Money', link: 'Days', icon: 'day' } },
    async (call, context) => {
      const { c, person, query, reads, show } = call;
      const { livemode, merchantIds } = context.operations;
      const { date } = query;
      if (date !== undefined && readDay(date)) return c.redirect(`/console/days/${date}`, 303);
      const request = { livemode, now: context.clock.now(), merchantIds: merchantIds() };
      const scope = getScope(person);
      return show(daysPage(await reads.days(scope, request), scope));
    },
  ),
  defineConsoleRoute('GET /days/:id', { needs: 'days.read' }, async (call, context) =>
    call.show(await readPage(context, call)),
  ),
  defineForm('POST /days/:id/close', {
    needs: 'days.close',
    operate: closeDay,
    read: ({ merchant = '', ...seen }) => ({
      merchantId: merchant,
      totals: Object.fromEntries(Object.entries(seen).map(([name, text]) => [name, Number(text)])),
    }),
    done: (_, { id }) => `/console/days/${id}`,
    refused: (_, call, context) => readPage(context, call),
  }),
];

/** The page for a date that is none. */
export const noDay = notFoundPage('No such day', 'A day is written as 2026-03-06.');

/** Returns the page of the last days. */
function daysPage(days: readonly DayRow[], { merchantId }: Scope): PageContent {
  const rows = days.filter(({ merchants }) => merchants > 0);
  const body = (
    <>
      <form class="line" method="get" action="/console/days">
        <label for="date">Another day</label>
        <input id="date" name="date" type="date" required />
        <button type="submit">Show</button>
      </form>
      <p class="muted small">
        {rows.length === 0 ? 'There are no payments in' : 'Days with payments in'} the last {listedDays} days,
        in UTC. A payment belongs to the day on which it was opened.
      </p>
      <Table
        label="Days"
        columns={[
          ['Day', ({ date }) => <a href={`/console/days/${date}`}>{date}</a>],
          ['Open', ({ open }) => open || '–', 'amount'],
          ['To decide', ({ toDecide }) => toDecide || '–', 'amount'],
          [
            'Closed',
            ({ closed, merchants }) =>
              merchantId === null ? `${closed} of ${merchants}` : closed > 0 ? 'yes' : 'no',
          ],
        ]}
        rows={rows}
      />
    </>
  );
  return { title: 'Days', body };
}

/** Returns the page of one day: the totals of each merchant, and who closed it. */
async function readPage(
  { operations, clock }: ConsoleContext,
  { id: date, person, reads }: ConsoleCall,
): Promise<PageContent> {
  const span = readDay(date);
  if (!span) return noDay;
  const scope = getScope(person);
  const { sums, isCut, closes } = await reads.day(scope, operations.livemode, date, span);
  const now = clock.now();
  const canClose = can(person, 'days.close');
  const [before, after] = [span.from - dayMs, span.to].map((at) => showDay(at / dayMs));
  const isOver = now >= span.to;
  const isOwn = scope.merchantId !== null;
  // Pages without an end are nothing to walk through.
  const isListed = now - span.from < (listedDays - 1) * dayMs;
  const body = (
    <>
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
      {!isOver && <p class="muted small">The day is not over. Its totals change.</p>}
      <Table
        label="Totals"
        caption={`Payments that were opened on this day. Amounts are those of the paid ones.${isCut ? ' Not all merchants are shown.' : ''}`}
        columns={[
          [
            'Merchant',
            ({ merchantId: id }) => (
              <a href={listPath({ ...(!isOwn && { merchant: id }), from: date, to: date })}>{id}</a>
            ),
          ],
          ...totals.map(([name, title]) => [title, (row: DaySums) => show(row, name), 'amount'] as const),
          [
            'Closed',
            (row) => {
              const close = closes.find(({ merchantId }) => merchantId === row.merchantId);
              return (
                <>
                  {close && <Closed close={close} row={row} hasName={!isOwn} />}
                  {isOver && canClose && !(close && isSame(close, row)) && <Close date={date} row={row} />}
                </>
              );
            },
          ],
        ]}
        hasRowHeads
        rows={sums}
        empty={<p>No payments</p>}
        foot={
          sums.length > 1 ? ['All', ...totals.map(([name]) => show(computeSum(sums), name)), null] : undefined
        }
      />
    </>
  );
  return { title: `Day ${date}`, body };
}

const totals = [
  ['opened', 'Opened'],
  ['open', 'Open'],
  ['toDecide', 'To decide'],
  ['paid', 'Paid'],
  ['notPaid', 'Not paid'],
  ['chargedMinor', 'Charged'],
  ['feeMinor', 'Fees'],
  ['netMinor', 'To the merchant'],
] as const;

function show(row: DaySums, name: (typeof totals)[number][0]): string | number {
  return name.endsWith('Minor') ? showAmount(row[name]) : row[name];
}

function computeSum(rows: readonly DaySums[]): DaySums {
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

/** The totals that a person confirms by closing the day. */
const closedColumns = ['opened', 'paid', 'notPaid', 'chargedMinor', 'feeMinor', 'netMinor'] as const;

function isSame({ totals: closed }: DayClose, row: DaySums): boolean {
  return closedColumns.every((name) => closed[name] === row[name]);
}

/** `hasName`: people of a merchant do not see who of support staff closed a day. */
function Closed({ close, row, hasName }: { close: DayClose; row: DaySums; hasName: boolean }) {
  return (
    <p>
      {hasName && `by ${close.actor}, `}
      {showSecond(close.at)}
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
  if (row.open + row.toDecide > 0)
    return <p class="muted small">after the open payments and those to decide</p>;
  const seen = closedColumns.map((name) => [name, row[name]] as const);
  const fields = { merchant: row.merchantId, ...Object.fromEntries(seen) };
  return <PostButton action={`/console/days/${date}/close`} text="Close the day" fields={fields} />;
}
