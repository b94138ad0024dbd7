import type { ExportRow } from '../../support/export/export-row.ts';
import type { PageContent } from '../define-route.ts';
import type { ExportPaths } from '../list/export-routes.tsx';
import { queryOf } from '../list/filter.ts';
import { amountColumn, DataTable } from '../pages/data-table.tsx';
import { ExportLinks } from '../pages/export-links.tsx';
import { plural, showAmount, showTime } from '../pages/format.ts';
import type { FoundBookings } from './bookings-query.ts';

export type BookingsView = {
  date: string;
  merchantId: string | undefined;
  found: FoundBookings;
  exports: ExportPaths;
};

/** Returns the page of what was booked in a day: the balances of its accounts, and each booking. */
export function bookingsPage({ date, merchantId, found, exports }: BookingsView): PageContent {
  const { data, next, balances, isCut } = found;
  const body = (
    <>
      <p>
        <a href={`/console/days/${date}`}>{date}</a>
        {merchantId !== undefined && (
          <>
            {', '}
            <a href={`/console/days/${date}/bookings`}>all merchants</a>
          </>
        )}
      </p>
      <p class="note">
        A booking belongs to the day on which it was made, whenever its payment was opened. All amounts of the
        day add up to the balances.
      </p>
      {balances.length > 0 && (
        <DataTable
          label="Balances of the day"
          caption={`Balances of the day${isCut ? '. Not all accounts are shown' : ''}`}
          columns={['Account', amountColumn('Balance'), amountColumn('Postings')]}
          hasRowHeads
          rows={balances.map(({ account, amountMinor, postings }) => [
            account,
            showAmount(amountMinor),
            postings,
          ])}
        />
      )}
      {data.length > 0 && (
        <DataTable
          label="Bookings"
          caption="Bookings"
          columns={[
            'Booked',
            'Payment',
            'Merchant',
            'Booking',
            ...amounts.map(([, name]) => amountColumn(name)),
          ]}
          rows={data.map(cellsOf)}
          foot={['This page', null, null, null, ...amounts.map(([name]) => showAmount(sumOf(data, name)))]}
        />
      )}
      <p class="footer">
        {data.length === 0 ? 'No bookings' : plural(data.length, 'booking')}
        {next !== null && (
          <>
            {', and more: '}
            <a
              href={`/console/days/${date}/bookings${queryOf({ merchant: merchantId, after: next })}`}
              rel="next"
            >
              Later ones
            </a>
          </>
        )}
      </p>
      {data.length > 0 && <ExportLinks paths={exports} />}
    </>
  );
  const of = merchantId === undefined ? '' : ` of ${merchantId}`;
  return { title: `Bookings${of} on ${date}`, body };
}

const amounts = [
  ['amountMinor', 'Charged'],
  ['feeMinor', 'Fees'],
  ['netMinor', 'To the merchant'],
  ['suspendedMinor', 'In suspense'],
] as const;

function cellsOf({ subject, bookings, bookedAt, received }: ExportRow) {
  const { id, merchantId } = subject.row;
  const link =
    subject.kind === 'collection' ? (
      <a href={`/console/payments/${id}`}>{subject.row.shortReference}</a>
    ) : (
      <a href={`/console/unplaced/${id}`}>unplaced</a>
    );
  return [
    showTime(bookedAt ?? 0),
    link,
    merchantId,
    bookings.join(', ').replaceAll('_', ' '),
    ...amounts.map(([name]) => showAmount(received?.[name])),
  ];
}

function sumOf(rows: readonly ExportRow[], name: (typeof amounts)[number][0]): number {
  return rows.reduce((sum, { received }) => sum + (received?.[name] ?? 0), 0);
}
