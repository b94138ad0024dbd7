import type { z } from 'zod';
import type { DeliveryView } from '../../../contract/endpoint.ts';
import {
  type delivery,
  deliveryPage,
  deliveryQuery,
  noBody,
  sentEvent,
} from '../../../contract/merchant-operations.ts';
import { listDeliveries, resend } from '../../staff/operations/deliveries.ts';
import { findOwnEndpoint } from '../../staff/own-endpoint.ts';
import { answerWith, createReadRoute, createRoute, notFound, unknownCursor } from '../define-route.ts';
import { deliveryId, readDeliveryId } from '../delivery-id.ts';

/** What was sent to the endpoints. */
export const deliveryRoutes = [
  createReadRoute({
    path: '/deliveries',
    operationId: 'listDeliveries',
    summary: 'Lists what was sent to an endpoint, newest first, with the last attempts.',
    tag: 'endpoints',
    scope: 'endpoints:write',
    query: deliveryQuery,
    answer: { name: 'DeliveryPage', schema: deliveryPage },
    async read(deps, { owner, query: { endpoint: id, limit, after } }) {
      if (!(await findOwnEndpoint(deps, owner, id))) return notFound('endpoint', id);
      const last = after === undefined ? undefined : readDeliveryId(after);
      if (after !== undefined && last?.endpointId !== id) return unknownCursor;
      const input = { limit, after: last?.eventId };
      const answer = await listDeliveries(deps, { actor: '', id, input });
      if (!answer.ok && answer.code === 'not_found') return unknownCursor;
      return answerWith(answer, ({ data, next }) => ({
        data: data.map(viewDelivery),
        next: next === null ? null : deliveryId({ endpointId: id, eventId: next }),
      }));
    },
  }),
  createRoute({
    method: 'POST',
    path: '/deliveries/{id}/resend',
    operationId: 'resendDelivery',
    summary: 'Sends a notification again, with the same id and the same bytes.',
    tag: 'endpoints',
    scope: 'endpoints:write',
    body: noBody,
    answer: { name: 'SentEvent', schema: sentEvent },
    async run({ operations }, { owner, id, actor }) {
      const key = readDeliveryId(id);
      const own = key && (await findOwnEndpoint(operations, owner, key.endpointId));
      if (!own) return notFound('delivery', id);
      const { endpointId, eventId } = key;
      const answer = await resend(operations, { actor, id: endpointId, input: { eventId } });
      if (!answer.ok && answer.code === 'not_found') return notFound('delivery', id);
      return answerWith(answer, () => ({ id, endpoint: endpointId, event: eventId }));
    },
  }),
];

function viewDelivery(one: DeliveryView): z.infer<typeof delivery> {
  return {
    ...{ id: deliveryId(one), endpoint: one.endpointId, event: one.eventId, type: one.type },
    ...{ payment: one.paymentId, at: one.at, state: one.state, next_at: one.nextAt, body: one.body },
    attempts: one.attempts.map(({ durationMs, ...attempt }) => ({ ...attempt, duration_ms: durationMs })),
  };
}
