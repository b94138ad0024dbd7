import type { Clock } from '../../../shared/clock.ts';
import { type ConsoleRoute, defineRoute } from '../define-route.ts';
import { noPage } from '../pages/paging.tsx';
import type { ConsoleReader } from '../reads.ts';
import { mayUse } from '../roles.ts';
import { deskPage } from './desk-page.tsx';
import { type DeskCursor, workKinds } from './desk-query.ts';
import { workItems } from './work-items.ts';

export type DeskDeps = {
  reader: ConsoleReader;
  clock: Pick<Clock, 'now'>;
  livemode: 0 | 1;
  /** Rows of a page; 100 by default. */
  maxRows?: number;
};

/** Rows of the list. The ages count what it does not show. */
const defaultRows = 100;

/** Returns the routes of the work that waits for people. */
export function deskRoutes({ reader, clock, livemode, maxRows = defaultRows }: DeskDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /desk', async ({ c, person, show }) => {
      const now = clock.now();
      const kind = workKinds.find((one) => one === c.req.query('kind'));
      const kinds = workKinds.filter((one) => one !== 'endpoints' || mayUse(person.role, 'GET /endpoints'));
      const { after: cursor } = c.req.query();
      const after = cursor === undefined ? undefined : readCursor(cursor);
      if (after === null) return show(noPage);
      const desk = await reader.by(person).desk({ kinds, livemode, now, limit: maxRows + 1, after });
      const only = kind === undefined ? desk : { ...desk, ...without(kind) };
      const taker = mayUse(person.role, 'POST /payments/:id/assign') ? person.name : undefined;
      const found = workItems(only, now, maxRows + 1);
      const items = found.slice(0, maxRows);
      const last = found.length > maxRows ? items.at(-1) : undefined;
      const next = last && `${last.since}.${last.id}`;
      return show(deskPage({ items, counts: desk.counts, kind, now, taker, after: cursor, next }));
    }),
    // After the password, a person who approves comes back here.
    defineRoute('GET /proposals', ({ c }) => c.redirect('/console/desk', 303)),
  ];
}

function readCursor(text: string): DeskCursor | null {
  const [, since, id] = /^(\d{1,15})\.(.{1,400})$/.exec(text) ?? [];
  return since && id ? { since: Number(since), id } : null;
}

/** Returns no rows of any other kind. */
function without(kind: (typeof workKinds)[number]): Partial<Record<(typeof workKinds)[number], []>> {
  return Object.fromEntries(workKinds.filter((one) => one !== kind).map((one) => [one, []]));
}
