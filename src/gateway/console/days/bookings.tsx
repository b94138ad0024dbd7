import type { ReceivedAmounts } from '../../support/explain/amounts.ts';
import { amountColumn, DataTable } from '../pages/data-table.tsx';
import { plural, showAmount, showTime } from '../pages/format.ts';
import type { Booking, Bookings } from './bookings-query.ts';

/** The bookings that were made on a day, with their sums. */
export function BookingsOfDay({ date, bookings }: { date: string; bookings: Bookings }) {
  const { rows, page, pages, count, sums, isCut } = bookings;
  const pathOf = (one: number) => `/console/days/${date}?page=${one}`;
  return (
    <>
      <h2>Booked on this day</h2>
      {count === 0 ? (
        <p>No bookings</p>
      ) : (
        <DataTable
          label="Bookings"
          caption={
            isCut
              ? `The first ${count} bookings, and their sums. The day has more: dialtill ledger export --by booked writes all.`
              : `${plural(count, 'booking')} by the time of the booking, unplaced money included. The sums are those of the whole day.`
          }
          columns={[
            'Booked',
            'Payment',
            'Merchant',
            'Booking',
            ...amounts.map(([, name]) => amountColumn(name)),
          ]}
          rows={rows.map((row) => [
            row.at === null ? '–' : showTime(row.at),
            <a href={pathOfSubject(row)}>{row.id}</a>,
            row.merchantId ?? '–',
            row.booking,
            ...cellsOf(row.received),
          ])}
          foot={['All', null, null, null, ...cellsOf(sums)]}
        />
      )}
      {pages > 1 && (
        <p>
          Page {page} of {pages} {page > 1 && <a href={pathOf(page - 1)}>Earlier bookings</a>}{' '}
          {page < pages && <a href={pathOf(page + 1)}>Later bookings</a>}
        </p>
      )}
    </>
  );
}

const amounts = [
  ['amountMinor', 'Received'],
  ['feeMinor', 'Fees'],
  ['netMinor', 'To the merchant'],
  ['suspendedMinor', 'In suspense'],
] as const;

function cellsOf(received: ReceivedAmounts): string[] {
  return amounts.map(([name]) => showAmount(received[name]));
}

function pathOfSubject({ subject, id }: Booking): string {
  return subject === 'collection' ? `/console/payments/${id}` : `/console/unplaced/${id}`;
}
