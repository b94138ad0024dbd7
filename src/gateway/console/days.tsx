import type { EpochMs } from '../../shared/clock.ts';
import { plural } from '../../shared/plural.ts';
import { readDay } from '../ledger/day.ts';
import { maxStatementBytes } from '../service-statement/read-statement.ts';
import { closeDay } from '../staff/operations/close-day.ts';
import { explainDifference, importStatement } from '../staff/operations/statements.ts';
import type { Scope } from '../support/page.ts';
import { closePage, dayPage } from './days-page.tsx';
import { type DayRow, type DaysRequest, listedDays } from './days-query.ts';
import { DaysChart, readChosen } from './days-statement.tsx';
import {
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  defineForm,
  type PageContent,
} from './define-route.ts';
import { Empty, notFoundPage } from './parts/card.tsx';
import { showLongDay, showNumber, toQuery } from './parts/format.ts';
import { RowLink, Table } from './parts/table.tsx';
import { getScope } from './scope.ts';

export const daysRoutes = [
  defineConsoleRoute(
    'GET /days',
    { needs: 'days.read', menu: { group: 'Money', link: 'Days', icon: 'day' } },
    async (call, context) => {
      const { c, person, query, reads, show } = call;
      const { date } = query;
      if (date !== undefined && readDay(date)) return c.redirect(`/console/days/${date}`, 303);
      const scope = getScope(person);
      const request = getRequest(context);
      return show(daysPage(await reads.days(scope, request), scope, request.now));
    },
  ),
  defineConsoleRoute('GET /days/:id', { needs: 'days.read' }, async (call, context) =>
    call.show(await readPage(call, context)),
  ),
  defineConsoleRoute('GET /days/:id/close', { needs: 'days.close' }, async (call, context) => {
    const found = await findDay(call, context);
    return call.show(found ? closePage(found, call.query.merchant ?? '') : noDay);
  }),
  defineForm('POST /days/:id/close', {
    needs: 'days.close',
    operate: closeDay,
    read: ({ merchant = '', digest = '', ...seen }) => ({
      merchantId: merchant,
      digest: digest || null,
      totals: Object.fromEntries(Object.entries(seen).map(([name, text]) => [name, Number(text)])),
    }),
    done: ({ merchantId }, { id }) => donePath(id, 'closed', merchantId),
    refused: (_, call, context) => readPage(call, context),
  }),
  defineForm('POST /days/:id/statement', {
    needs: 'days.close',
    uploadBytes: maxStatementBytes + 16 * 1024,
    operate: importStatement,
    read: ({ merchant = '', file = '' }) => ({ merchantId: merchant, content: file }),
    done: ({ merchantId, result }, { id }) =>
      donePath(id, result === 'unchanged' ? 'unchanged' : 'imported', merchantId),
    refused: (_, call, context) => readPage(call, context),
  }),
  defineForm('POST /days/:id/differences', {
    needs: 'days.close',
    keeps: 'Accept the chosen differences',
    operate: explainDifference,
    read: ({ merchant = '', text = '', ...fields }) => ({
      merchantId: merchant,
      differences: readChosen(fields),
      text,
    }),
    done: ({ merchantId }, { id }) => donePath(id, 'explained', merchantId),
    refused: (_, call, context) => readPage(call, context),
  }),
];

function donePath(date: string, done: string, merchant: string): string {
  return `/console/days/${date}${toQuery({ done, merchant })}`;
}

function getRequest({ operations, clock }: ConsoleContext): DaysRequest {
  const { livemode, merchantIds } = operations;
  return { livemode, now: clock.now(), merchantIds: merchantIds() };
}

/** The page for a date that is none. */
export const noDay = notFoundPage('No such day', 'A day is written as 2026-03-06.');

async function findDay({ id: date, person, reads }: ConsoleCall, context: ConsoleContext) {
  const span = readDay(date);
  if (!span) return undefined;
  const request = getRequest(context);
  const day = await reads.day(getScope(person), request, date, span);
  const { timeZone } = context.operations;
  return { ...day, date, span, timeZone, now: request.now, merchantIds: request.merchantIds, person };
}

async function readPage(call: ConsoleCall, context: ConsoleContext): Promise<PageContent> {
  const found = await findDay(call, context);
  return found ? dayPage(found, call) : noDay;
}

function daysPage(days: readonly DayRow[], { merchantId }: Scope, now: EpochMs): PageContent {
  const isOwn = merchantId !== null;
  const rows = days.filter(({ merchants }) => merchants > 0);
  const body = (
    <>
      <form class="filters line filter-line" method="get" action="/console/days">
        <div class="field">
          <label for="date">Another day</label>
          <input id="date" name="date" type="date" required />
        </div>
        <button type="submit">Show the day</button>
      </form>
      <Table
        label="Days"
        caption="Days with payments, in Ghana time. A payment belongs to the day on which it was opened."
        columns={[
          [
            'Day',
            ({ date }) => (
              <RowLink href={`/console/days/${date}`}>{showLongDay(Date.parse(date), now)}</RowLink>
            ),
            'first',
          ],
          ['Booked, GHS', ({ receivedMinor }) => showNumber(receivedMinor), 'sum'],
          ['Open', ({ open }) => open || '–', 'amount'],
          ['To decide', ({ toDecide }) => toDecide || '–', 'amount'],
          [
            'Closed',
            ({ closed, merchants }) => (isOwn ? (closed > 0 ? 'yes' : 'no') : `${closed} of ${merchants}`),
            'amount',
          ],
        ]}
        rows={rows}
        empty={
          <Empty icon="day" title={`There are no payments in the last ${plural(listedDays, 'day')}.`}>
            <p>Earlier days are found by their date.</p>
          </Empty>
        }
      />
      {rows.length > 0 && <DaysChart days={days} isOwn={isOwn} />}
    </>
  );
  return { title: 'Days', body };
}
