import { plural } from '../../shared/plural.ts';
import { readDay } from '../ledger/day.ts';
import { type ExportRow, exportHead } from '../support/export/lines.ts';
import type { FilterClock } from '../support/filter-text.ts';
import { noDay } from './days.tsx';
import type { BookingsRequest, FoundBookings } from './days-query.ts';
import {
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  type PageContent,
} from './define-route.ts';
import {
  type ExportPaths,
  exportPaths,
  exportRoute,
  type ReadFile,
  wholeExportRoutes,
} from './parts/exports.tsx';
import { nameZone, showClock, showLongDay, showNumber, toQuery as toListQuery } from './parts/format.ts';
import { List, noPage, pageRows } from './parts/list.tsx';
import { nameAccount, Table } from './parts/table.tsx';
import { clockFor } from './payments-filter.ts';

export const bookingsRoutes = [
  defineConsoleRoute('GET /days/:id/bookings', { needs: 'cases.read' }, async (call, context) => {
    const { person, query, reads, show } = call;
    const asked = askedBy(call, context);
    if (!asked) return show(noDay);
    const found = await reads.bookings(asked.request, { limit: pageRows, after: query.after });
    if (found === 'unknown_cursor') return show(noPage);
    const exports = exportPaths(person, `${getPath(asked)}.csv`, toQuery(asked));
    const { timeZone } = clockFor(context.operations, person, asked.request.merchantId);
    return show(bookingsPage({ ...asked, timeZone, isLater: query.after !== undefined }, found, exports));
  }),
  exportRoute('GET /days/:id/bookings.csv', 'cases.read', readBookingsFile),
  ...wholeExportRoutes('GET /days/:id/bookings.csv', readBookingsFile),
];

function readBookingsFile(call: ConsoleCall, context: ConsoleContext): ReturnType<ReadFile> {
  const asked = askedBy(call, context);
  if (!asked) return noDay;
  const { date, request } = asked;
  return {
    ...{ name: 'bookings', filter: { date, ...toQuery(asked) } },
    open: async (numbers) => ({
      head: exportHead(),
      notesOf: (rows, isCut) =>
        isCut
          ? [`cut after the first ${rows} bookings: dialtill ledger export --by booked has no such limit`]
          : [],
      read: (page) => call.reads.bookingsPart(request, { ...page, numbers }),
    }),
  };
}

type Asked = { date: string; request: BookingsRequest };

/** Returns the day and the merchant of a request; undefined without such a day. */
function askedBy({ id: date, query }: ConsoleCall, { operations }: ConsoleContext): Asked | undefined {
  const span = readDay(date);
  const merchantId = query.merchant || undefined;
  return span && { date, request: { span, merchantId, livemode: operations.livemode } };
}

const getPath = ({ date }: Asked) => `/console/days/${date}/bookings`;

const toQuery = ({ request: { merchantId } }: Asked) => ({
  ...(merchantId !== undefined && { merchant: merchantId }),
});

function bookingsPage(
  asked: Asked & Pick<FilterClock, 'timeZone'> & { isLater: boolean },
  found: FoundBookings,
  exports: ExportPaths,
): PageContent {
  const { date, timeZone } = asked;
  const { merchantId } = asked.request;
  const { data, next, balances, isCut } = found;
  const day = showLongDay(Date.parse(date), 0);
  const counted = data.length === 0 ? 'No bookings' : plural(data.length, 'booking');
  const body = (
    <>
      <nav aria-label="Days" class="choices">
        <a href={`/console/days/${date}`}>{day.replace(/ \d+$/, '')}</a>
        <a href={getPath(asked)} aria-current={merchantId === undefined ? 'page' : undefined}>
          Bookings of all merchants
        </a>
        {merchantId !== undefined && (
          <a href={`${getPath(asked)}${toListQuery(toQuery(asked))}`} aria-current="page">
            {merchantId}
          </a>
        )}
      </nav>
      <p class="muted">
        A booking belongs to the day on which it was made, from midnight to midnight, {nameZone()}, whenever
        its payment was opened. All amounts of the day add up to the balances.
      </p>
      <Table
        label="Balances of the day"
        title="Balances of the day"
        caption={<>In GHS.{isCut && ' Not all accounts are shown.'}</>}
        columns={[
          ['Account', ({ account }) => nameAccount(account)],
          ['Balance', ({ amountMinor }) => showNumber(amountMinor), 'sum'],
          ['Postings', ({ postings }) => postings, 'amount'],
        ]}
        hasRowHeads
        rows={balances}
        empty={<p>No account has a posting of this day.</p>}
      />
      <List
        path={getPath(asked)}
        query={toQuery(asked)}
        label="Bookings"
        title="Bookings"
        caption={`In GHS, oldest first. ${nameZone(timeZone)}.`}
        columns={[
          ['Booked', ({ bookedAt }) => showClock(bookedAt ?? 0, timeZone), 'first'],
          ['Payment', paymentLink, 'rest'],
          ['Merchant', ({ subject }) => subject.row.merchantId],
          ['Booking', ({ bookings }) => bookings.join(', ').replaceAll('_', ' ')],
          ...amounts.map(
            ([name, title]) =>
              [title, ({ received }: ExportRow) => showNumber(received?.[name]), 'amount'] as const,
          ),
        ]}
        rows={data}
        empty={<p>Nothing was booked on this day.</p>}
        foot={['This page', null, null, null, ...amounts.map(([name]) => showNumber(computeSum(data, name)))]}
        count={next === null ? counted : `${counted}, and more:`}
        next={next}
        isLater={asked.isLater}
        more={{ text: 'Next page' }}
        exports={data.length > 0 ? exports : undefined}
      />
    </>
  );
  const of = merchantId === undefined ? '' : ` of ${merchantId}`;
  return { title: `Bookings${of} on ${date}`, heading: `Bookings${of} on ${day}`, body };
}

const amounts = [
  ['amountMinor', 'Charged'],
  ['feeMinor', 'Fees'],
  ['netMinor', 'To the merchant'],
  ['suspendedMinor', 'In suspense'],
] as const;

function paymentLink({ subject }: ExportRow) {
  return subject.kind === 'collection' ? (
    <a href={`/console/payments/${subject.row.id}`}>{subject.row.shortReference}</a>
  ) : (
    <a href={`/console/unplaced/${subject.row.id}`}>unplaced</a>
  );
}

function computeSum(rows: readonly ExportRow[], name: (typeof amounts)[number][0]): number {
  return rows.reduce((sum, { received }) => sum + (received?.[name] ?? 0), 0);
}
