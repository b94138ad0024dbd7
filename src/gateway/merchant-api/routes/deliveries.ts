import type { z } from 'zod';
import {
  type delivery,
  deliveryPage,
  deliveryQuery,
  noBody,
  sentEvent,
} from '../../../contract/merchant/merchant-operations.ts';
import type { DeliveryView } from '../../../contract/staff/endpoint.ts';
import { listDeliveries, resend } from '../../staff/operations/deliveries.ts';
import { showEndpoint } from '../../staff/operations/endpoints.ts';
import { answerWith, defineRoute, notFound, unknownCursor } from '../define-route.ts';
import { deliveryId, readDeliveryId } from '../delivery-id.ts';

/** What was sent to the endpoints. */
export const deliveryRoutes = [
  defineRoute({
    name: 'GET /deliveries',
    operationId: 'listDeliveries',
    summary: 'Lists what was sent to an endpoint, newest first, with the last attempts.',
    tag: 'endpoints',
    needs: 'endpoints:write',
    query: deliveryQuery,
    answer: deliveryPage,
    async read(deps, { actor, query: { endpoint: id, limit, after } }) {
      const shown = await showEndpoint(deps, { actor, id });
      if (!shown.ok) return notFound('endpoint', id);
      const last = after === undefined ? undefined : readDeliveryId(after);
      if (after !== undefined && last?.endpointId !== id) return unknownCursor;
      const answer = await listDeliveries(deps, { actor, id, input: { limit, after: last?.eventId } });
      const view = ({ data, next }: { data: DeliveryView[]; next: string | null }) => ({
        data: data.map(viewDelivery),
        next: next === null ? null : deliveryId({ endpointId: id, eventId: next }),
      });
      return answerWith(answer, view, unknownCursor);
    },
  }),
  defineRoute({
    name: 'POST /deliveries/:id/resend',
    operationId: 'resendDelivery',
    summary: 'Sends a notification again, with the same id and the same bytes.',
    tag: 'endpoints',
    needs: 'endpoints:write',
    body: noBody,
    answer: sentEvent,
    async run({ operations }, { id, actor }) {
      const key = readDeliveryId(id);
      if (!key) return notFound('delivery', id);
      const { endpointId, eventId } = key;
      const answer = await resend(operations, { actor, id: endpointId, input: { eventId } });
      const view = () => ({ id, endpoint: endpointId, event: eventId });
      return answerWith(answer, view, notFound('delivery', id));
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
