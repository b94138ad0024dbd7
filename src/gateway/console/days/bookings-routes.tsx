import type { Person } from '../../access/actor.ts';
import { readDay, type TimeSpan } from '../../ledger/day.ts';
import { exportHead } from '../../support/export/lines.ts';
import { type ConsoleCall, type ConsoleRoute, defineRoute } from '../define-route.ts';
import { exportNumbers } from '../list/export-lines.ts';
import { exportPath } from '../list/export-routes.tsx';
import { type Exporter, exportMessage, readNumbers } from '../list/exporter.tsx';
import { noPage, pageRows } from '../pages/paging.tsx';
import type { ConsoleReader } from '../reads.ts';
import { bookingsPage } from './bookings-page.tsx';
import { noDay } from './days-page.tsx';

export type BookingsDeps = {
  reader: ConsoleReader;
  exporter: Exporter;
  livemode: 0 | 1;
};

/** Returns the routes of what was booked in a day: a page, and the same as a file. */
export function bookingsRoutes({ reader, exporter, livemode }: BookingsDeps): ConsoleRoute[] {
  /** The day and the merchant of a request; undefined without such a day. */
  function askedBy({ c }: ConsoleCall<Person>): Asked | undefined {
    const date = c.req.param('id') ?? '';
    const span = readDay(date);
    const { merchant } = c.req.query();
    return span && { date, span, merchantId: merchant || undefined };
  }

  return [
    defineRoute('GET /days/:id/bookings', async (call) => {
      const { c, person, show } = call;
      const asked = askedBy(call);
      if (!asked) return show(noDay);
      const { date, span, merchantId } = asked;
      const { after } = c.req.query();
      const found = await reader
        .by(person)
        .bookings({ span, merchantId, livemode }, { limit: pageRows, after });
      if (found === 'unknown_cursor') return show(noPage);
      const exports = exportPath(person, { merchant: merchantId }, `/console/days/${date}/bookings.csv`);
      return show(bookingsPage({ date, merchantId, found, exports }));
    }),
    defineRoute('GET /days/:id/bookings.csv', async (call) => {
      const { c, show } = call;
      const asked = askedBy(call);
      if (!asked) return show(noDay);
      const { date, span, merchantId } = asked;
      const numbers = readNumbers(c.req.query('numbers'));
      if (!numbers) return show(exportMessage(`numbers: expected ${exportNumbers.join(' or ')}.`, 422));
      return exporter(call, {
        name: 'bookings',
        filter: { date, ...(merchantId !== undefined && { merchant: merchantId }) },
        numbers,
        open: async () => ({
          head: exportHead(),
          notesOf: (rows, isCut) =>
            isCut
              ? [`cut after the first ${rows} bookings: dialtill ledger export --by booked has no such limit`]
              : [],
          read: (page) =>
            reader.by(call.person).bookingsPart({ span, merchantId, livemode }, { ...page, numbers }),
        }),
      });
    }),
  ];
}

type Asked = { date: string; span: TimeSpan; merchantId: string | undefined };
