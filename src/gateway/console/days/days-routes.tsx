import type { Clock } from '../../../shared/clock.ts';
import type { Person } from '../../access/actor.ts';
import { readDay } from '../../ledger/day.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { closeDay } from '../../staff/operations/close-day.ts';
import { type ConsoleRoute, defineRoute, type PageContent, statusOf } from '../define-route.ts';
import type { ConsoleReader } from '../reads.ts';
import { mayUse } from '../roles.ts';
import { scopeOf } from '../scope.ts';
import { dayPage, daysPage, noDay } from './days-page.tsx';

export type DaysDeps = {
  operations: StaffDeps;
  reader: ConsoleReader;
  clock: Pick<Clock, 'now'>;
  merchantIds(): readonly string[];
};

/** Returns the routes of the totals of days, and of closing them. */
export function daysRoutes({ operations, reader, clock, merchantIds }: DaysDeps): ConsoleRoute[] {
  const { livemode } = operations;

  async function pageOf(person: Person, date: string, message?: string): Promise<PageContent> {
    const span = readDay(date);
    if (!span) return noDay;
    const scope = scopeOf(person);
    const day = await reader.by(person).day(scope, livemode, date, span);
    const canClose = mayUse(person.role, 'POST /days/:id/close');
    return dayPage({ date, span, day, scope, now: clock.now(), canClose, message });
  }

  return [
    defineRoute('GET /days', async ({ c, person, show }) => {
      const { date } = c.req.query();
      if (date !== undefined && readDay(date)) return c.redirect(`/console/days/${date}`, 303);
      const request = { livemode, now: clock.now(), merchantIds: merchantIds() };
      const scope = scopeOf(person);
      return show(daysPage(await reader.by(person).days(scope, request), scope));
    }),
    defineRoute('GET /days/:id', async ({ c, person, show }) =>
      show(await pageOf(person, c.req.param('id') ?? '')),
    ),
    defineRoute('POST /days/:id/close', async ({ c, person, fields, show }) => {
      const date = c.req.param('id') ?? '';
      const { merchant = '', ...seen } = fields;
      const totals = Object.fromEntries(Object.entries(seen).map(([name, text]) => [name, Number(text)]));
      const input = { merchantId: merchant, totals };
      const answer = await closeDay(operations, { actor: person, id: date, input });
      if (answer.ok) return c.redirect(`/console/days/${date}`, 303);
      return show({ ...(await pageOf(person, date, answer.message)), status: statusOf(answer) });
    }),
  ];
}
