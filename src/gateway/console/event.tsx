import { maskedText, maskNumbers } from '../../shared/msisdn.ts';
import { plural } from '../../shared/plural.ts';
import type { EventRow } from '../support/collection-query.ts';
import type { FilterClock } from '../support/filter-text.ts';
import { defineConsoleRoute, type PageContent } from './define-route.ts';
import { Card, Details, notFoundPage } from './parts/card.tsx';
import { showZoned } from './parts/format.ts';
import { Back } from './parts/forms.tsx';
import { clockFor } from './payments-filter.ts';

const noEvent = notFoundPage('No such event', 'No event that could not be handled has this id.');

/** The route of an event that could not be handled. Its id in a path is that of the merchant and its own. */
export const eventPageRoutes = [
  defineConsoleRoute(
    'GET /events/:id',
    { needs: 'cases.read' },
    async ({ id, person, reads, show }, { operations }) => {
      // Ids of merchants have no colon.
      const [, merchantId, eventId] = /^([^:]+):(.+)$/s.exec(id) ?? [];
      if (!merchantId || !eventId) return show(noEvent);
      const found = await reads.deadEvent({ merchantId, eventId, livemode: operations.livemode });
      return show(found ? eventPage(found, clockFor(operations, person, merchantId)) : noEvent);
    },
  ),
];

/** Characters of a body that the page shows. */
const maxShown = 16_384;

/** Returns the path of an event that could not be handled; null when its id has a number, which stands in no address. */
export function eventPath({ merchantId, eventId }: Pick<EventRow, 'merchantId' | 'eventId'>): string | null {
  const id = `${merchantId}:${eventId}`;
  return maskNumbers(id) === id ? `/console/events/${encodeURIComponent(id)}` : null;
}

/** Returns the page of an event that could not be handled. Its numbers are masked for every role. */
function eventPage(row: EventRow, { now, timeZone }: FilterClock): PageContent {
  const { eventId, merchantId, type, sessionId, receivedAt, attempts, body } = row;
  const { happened, next } = explain(row);
  return {
    title: 'Event not handled',
    body: (
      <>
        <p class="lead">{happened}</p>
        <Details
          lines={[
            ['Event', maskedText(eventId)],
            ['Type', maskedText(type)],
            ['Merchant', merchantId],
            ['Payment session', sessionId === null ? 'none' : maskedText(sessionId)],
            ['Received', showZoned(receivedAt, now, timeZone)],
            ['Handled', `${plural(attempts, 'time')}, without success`],
          ]}
        />
        <Card id="next" title="What to do">
          <p>{next}</p>
          <p>The event is kept. The gateway has no operation that handles it again.</p>
          <Back path="/console/desk?kind=events" text="All events that could not be handled" />
        </Card>
        <Card id="body" title="The body, as it was received">
          <pre>{maskNumbers(body).slice(0, maxShown)}</pre>
          {body.length > maxShown && (
            <p>The body has more: “dialtill unplaced events --full --json” shows all of it.</p>
          )}
        </Card>
      </>
    ),
  };
}

/** Returns what happened to an event, and what people do about it. */
function explain({ sessionId }: EventRow) {
  if (sessionId === null)
    return {
      happened: 'The event reports money and names no payment session.',
      next: (
        <>
          A payment that it reports is <a href="/console/unplaced">unplaced money</a>: decide about it there.
          Of a refund, ask the operator of the service which payment it belongs to.
        </>
      ),
    };
  return {
    happened: 'The event could not be handled: each attempt failed.',
    next: 'Tell the people who run the gateway. The log has the error of each attempt, with the id of the event.',
  };
}
