import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import type { ConsoleReader } from '../reads.ts';
import { eventPage } from './event-page.tsx';

export type EventDeps = { reader: ConsoleReader; livemode: 0 | 1 };

const noEvent: PageContent = {
  title: 'No such event',
  status: 404,
  body: <p>No event that could not be handled has this id.</p>,
};

/** Returns the route of an event that could not be handled. Its id in a path is that of the merchant and its own. */
export function eventRoutes({ reader, livemode }: EventDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /events/:id', async ({ c, person, show }) => {
      // Ids of merchants have no colon.
      const [, merchantId, eventId] = /^([^:]+):(.+)$/s.exec(c.req.param('id') ?? '') ?? [];
      if (!merchantId || !eventId) return show(noEvent);
      const found = await reader.by(person).deadEvent({ merchantId, eventId, livemode });
      return show(found ? eventPage(found) : noEvent);
    }),
  ];
}
