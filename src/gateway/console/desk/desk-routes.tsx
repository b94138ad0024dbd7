import type { Clock } from '../../../shared/clock.ts';
import { type ConsoleRoute, defineRoute } from '../define-route.ts';
import type { ConsoleReader } from '../reader.ts';
import { mayUse } from '../roles.ts';
import { deskPage } from './desk-page.tsx';
import { workKinds } from './desk-query.ts';
import { workItems } from './work-items.ts';

export type DeskDeps = {
  reader: Pick<ConsoleReader, 'desk'>;
  clock: Pick<Clock, 'now'>;
  livemode: 0 | 1;
};

/** Rows of the list. The ages count what it does not show. */
const maxRows = 100;

/** Returns the routes of the work that waits for people. */
export function deskRoutes({ reader, clock, livemode }: DeskDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /desk', async ({ c, person, show }) => {
      const now = clock.now();
      const kind = workKinds.find((one) => one === c.req.query('kind'));
      const kinds = workKinds.filter((one) => one !== 'endpoints' || mayUse(person.role, 'GET /endpoints'));
      const desk = await reader.desk({ kinds, livemode, now, limit: maxRows });
      const only = kind === undefined ? desk : { ...desk, ...without(kind) };
      const taker = mayUse(person.role, 'POST /payments/:id/assign') ? person.name : undefined;
      return show(deskPage({ items: workItems(only, now, maxRows), counts: desk.counts, kind, now, taker }));
    }),
    // After the password, a person who approves comes back here.
    defineRoute('GET /proposals', ({ c }) => c.redirect('/console/desk', 303)),
  ];
}

/** Returns no rows of any other kind. */
function without(kind: (typeof workKinds)[number]): Partial<Record<(typeof workKinds)[number], []>> {
  return Object.fromEntries(workKinds.filter((one) => one !== kind).map((one) => [one, []]));
}
