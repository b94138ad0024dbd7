import { serviceOperations } from '../../contract/service/service-operations.ts';
import { apiError } from '../api-error.ts';
import { pageResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { EventStore } from './event-store.ts';

/** Serves the events of a merchant. Events of other merchants and of the other mode are not found. */
export function eventRoutes(router: Router, events: EventStore): void {
  router.merchant(serviceOperations.listEvents, ({ caller, query }) => {
    const { type, session_id: sessionId } = query;
    const read = (limit: number, cursor?: string) => events.list(caller, { type, sessionId }, limit, cursor);
    return pageResponse(query, read, ({ body }) => JSON.parse(body));
  });

  router.merchant(serviceOperations.getEvent, async ({ caller, params: { id } }) => {
    const event = await events.find(caller, id);
    return event ? { kind: 'response', status: 200, body: event.body } : apiError('event_not_found');
  });
}
