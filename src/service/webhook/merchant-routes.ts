import { z } from 'zod';
import { deliveryLog, deliveryPage, deliveryState } from '../../contract/service/admin.ts';
import { pageQuery } from '../../contract/service/field.ts';
import { apiError, isApiError } from '../api-error.ts';
import type { Event, EventStore } from '../event/event-store.ts';
import { idParam, operation } from '../http/operation.ts';
import { defaultPageSize, toPage } from '../http/page.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { WebhookOperations } from './operations.ts';
import { deliveryLogView, deliveryView } from './views.ts';

const tag = 'Events';
const params = idParam('The event.', 'evt_01k5n8c0');

const list = operation({
  method: 'get',
  path: '/v1/deliveries',
  id: 'listOwnDeliveries',
  tag,
  summary: 'List events with the state of their delivery, newest first',
  description: 'Returns the deliveries of all platforms of the merchant in the mode of the key, for 90 days.',
  access: 'merchant',
  scope: 'events:read',
  query: z.strictObject({
    session_id: z.string().max(128).optional().meta({ example: 'pay_01k5n8c0' }),
    platform_id: z.string().max(128).optional().meta({ description: 'All platforms by default.' }),
    state: deliveryState.optional(),
    ...pageQuery,
    cursor: z
      .string()
      .regex(/^evt_[0-9a-z]{26}$/)
      .optional()
      .meta({ description: 'The `next_cursor` of the previous page.' }),
  }),
  fieldErrors: { cursor: 'invalid_cursor' },
  success: { status: 200, description: 'A page of deliveries.', schema: deliveryPage },
});

const get = operation({
  method: 'get',
  path: '/v1/events/{id}/delivery',
  id: 'getOwnDelivery',
  tag,
  summary: 'Look up the delivery of an event and its attempts',
  description:
    'Shows the body that was sent and, for each attempt, the first 1 KiB of the response. Kept for 90 days.',
  access: 'merchant',
  scope: 'events:read',
  params,
  success: { status: 200, description: 'The delivery and its attempts.', schema: deliveryLog },
  errors: ['event_not_found'],
});

const resend = operation({
  method: 'post',
  path: '/v1/events/{id}/resend',
  id: 'resendOwnEvent',
  tag,
  summary: 'Send an event again',
  description: 'Sends the event with the same id and body in any state, and restarts its retry schedule.',
  access: 'merchant',
  scope: 'events:read',
  params,
  idempotency: 'honoured',
  success: { status: 200, description: 'The delivery, which is due now.', schema: deliveryLog },
  errors: ['event_not_found'],
});

/** Serves the deliveries of a merchant. Events of other merchants and of the other mode are not found. */
export function merchantDeliveryRoutes(
  router: Router,
  operations: WebhookOperations,
  events: EventStore,
): void {
  router.merchant(list, async ({ caller, query }) => {
    const { session_id: sessionId, platform_id: platformId, state, limit = defaultPageSize, cursor } = query;
    const rows = await events.list(caller, { sessionId, platformId, state }, limit + 1, cursor);
    return jsonResponse(200, toPage(rows, limit, deliveryView));
  });
  router.merchant(get, async ({ caller, params: { id } }) => {
    if (!(await events.find(caller, id))) return apiError('event_not_found');
    const found = await operations.readDelivery(id);
    return isApiError(found) ? found : jsonResponse(200, deliveryLogView(found.event, found.attempts));
  });
  router.merchant(resend, async ({ caller, params: { id }, savedResponse }) => {
    if (!(await events.find(caller, id))) return apiError('event_not_found');
    const found = await operations.readDelivery(id);
    if (isApiError(found)) return found;
    const show = (event: Event) => jsonResponse(200, deliveryLogView(event, found.attempts));
    const resent = await operations.resendEvent(id, (event) => savedResponse.save(show(event)));
    return isApiError(resent) ? resent : show(resent.event);
  });
}
