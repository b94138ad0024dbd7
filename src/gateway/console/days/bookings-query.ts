import type { EpochMs } from '../../../shared/clock.ts';
import type { Store } from '../../../sqlite/store.ts';
import type { TimeSpan } from '../../ledger/day.ts';
import type { ReceivedAmounts } from '../../support/explain/amounts.ts';
import { exportPages } from '../../support/export/export-query.ts';
import type { Scope } from '../../support/scope.ts';

/** One booking: a line of `dialtill ledger export --by booked`. */
export type Booking = {
  subject: 'collection' | 'unplaced';
  id: string;
  merchantId: string | null;
  booking: string;
  at: EpochMs | null;
  received: ReceivedAmounts;
};

/** A page of the bookings of a span, oldest first, with the sums of all its pages. */
export type Bookings = {
  rows: Booking[];
  /** The page that was read, and the last one; the first is 1. */
  page: number;
  pages: number;
  count: number;
  sums: ReceivedAmounts;
  /** Whether the span has more bookings than are read. Neither pages nor sums have the others. */
  isCut: boolean;
};

export type BookingsRequest = { livemode: 0 | 1; span: TimeSpan; page: number };

const pageRows = 50;

/** The bookings of a span that are read. */
export const maxBookings = 2_000;

const none: ReceivedAmounts = { amountMinor: 0, feeMinor: 0, netMinor: 0, suspendedMinor: 0 };

/** Reads the bookings that were made within a span. A page beyond the last one is the last one. */
export async function readBookings(
  store: Store,
  { merchantId }: Scope,
  { livemode, span, page: wanted }: BookingsRequest,
): Promise<Bookings> {
  const filter = { from: span.from, before: span.to, ...(merchantId !== null && { merchantId }) };
  const found: Booking[] = [];
  for await (const lines of exportPages({ read: (work) => work(store) }, filter, 'booked')) {
    for (const { subject, received, bookings, bookedAt } of lines) {
      if (subject.row.livemode !== livemode) continue;
      found.push({
        ...{ subject: subject.kind, id: subject.row.id, merchantId: subject.row.merchantId },
        ...{ booking: bookings.join(' '), at: bookedAt, received: received ?? none },
      });
    }
    if (found.length > maxBookings) break;
  }
  const all = found.slice(0, maxBookings);
  const pages = Math.max(1, Math.ceil(all.length / pageRows));
  const page = Math.min(pages, Math.max(1, wanted));
  return {
    ...{ rows: all.slice((page - 1) * pageRows, page * pageRows), page, pages, count: all.length },
    ...{ sums: all.map(({ received }) => received).reduce(add, none), isCut: found.length > maxBookings },
  };
}

function add(sum: ReceivedAmounts, one: ReceivedAmounts): ReceivedAmounts {
  return {
    amountMinor: sum.amountMinor + one.amountMinor,
    feeMinor: sum.feeMinor + one.feeMinor,
    netMinor: sum.netMinor + one.netMinor,
    suspendedMinor: sum.suspendedMinor + one.suspendedMinor,
  };
}
