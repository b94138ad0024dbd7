import { z } from 'zod';
import { anyEvent, eventPage, eventTypes } from '../../contract/service/event.ts';
import { pageQuery } from '../../contract/service/field.ts';
import { idParam, operation } from '../../contract/service/operation.ts';
import { apiError } from '../api-error.ts';
import { defaultPageSize, jsonResponse, toPage } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { EventStore } from './event-store.ts';

const tag = 'Events';

const list = operation({
  method: 'get',
  path: '/v1/events',
  id: 'listEvents',
  tag,
  summary: 'List events, newest first',
  description:
    'Returns the events of the last 90 days, delivered or not, of all platforms of the merchant in the mode of the ' +
    'key. Use it to catch up after missed deliveries.',
  access: 'merchant',
  scope: 'events:read',
  query: z.strictObject({
    type: z.enum(eventTypes).optional(),
    session_id: z.string().max(128).optional().meta({ example: 'pay_01k5n8c0' }),
    ...pageQuery,
    cursor: z
      .string()
      .regex(/^evt_[0-9a-z]{26}$/)
      .optional()
      .meta({ description: 'The `next_cursor` of the previous page.' }),
  }),
  fieldErrors: { cursor: 'invalid_cursor' },
  success: {
    status: 200,
    description: 'A page of events.',
    schema: eventPage,
  },
});

const get = operation({
  method: 'get',
  path: '/v1/events/{id}',
  id: 'getEvent',
  tag,
  summary: 'Look up an event',
  description: 'Returns the delivered body, byte for byte.',
  access: 'merchant',
  scope: 'events:read',
  params: idParam('The event.', 'evt_01k5n8c0'),
  success: { status: 200, description: 'The event.', schema: anyEvent },
  errors: ['event_not_found'],
});

/** Serves the events of a merchant. Events of other merchants and of the other mode are not found. */
export function eventRoutes(router: Router, events: EventStore): void {
  router.merchant(list, async ({ caller, query }) => {
    const { type, session_id: sessionId, limit = defaultPageSize, cursor } = query;
    const rows = await events.list(caller, { type, sessionId }, limit + 1, cursor);
    return jsonResponse(
      200,
      toPage(rows, limit, ({ body }) => JSON.parse(body)),
    );
  });

  router.merchant(get, async ({ caller, params: { id } }) => {
    const event = await events.find(caller, id);
    return event ? { kind: 'response', status: 200, body: event.body } : apiError('event_not_found');
  });
}
