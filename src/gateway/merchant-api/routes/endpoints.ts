import type { z } from 'zod';
import {
  changedEndpoint,
  deliveryQuery,
  endpoint,
  endpointPage,
  endpointWithSecret,
  newEndpoint,
  noBody,
  type notificationDelivery,
  notificationDeliveryPage,
  sentEvent,
} from '../../../contract/merchant/merchant-operations.ts';
import type { DeliveryView, EndpointView } from '../../../contract/staff/merchant-system.ts';
import { listDeliveries, resend } from '../../staff/operations/deliveries.ts';
import {
  addEndpoint,
  changeEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateEndpoint,
  showEndpoint,
  testEndpoint,
} from '../../staff/operations/endpoints.ts';
import { answerWith, defineMerchantRoute, notFoundAnswer, unknownCursor } from '../define-route.ts';

/** A delivery is one event at one endpoint. */
type DeliveryKey = { endpointId: string; eventId: string };

const deliveryId = ({ endpointId, eventId }: DeliveryKey): string => `${endpointId}.${eventId}`;

/** Reads the id of a delivery; `undefined` when the text is none. */
function readDeliveryId(id: string): DeliveryKey | undefined {
  const [, endpointId, eventId] = /^([a-z0-9_]{1,40})\.([a-z0-9_]{1,80})$/.exec(id) ?? [];
  return endpointId === undefined || eventId === undefined ? undefined : { endpointId, eventId };
}

export const endpointRoutes = [
  defineMerchantRoute({
    name: 'GET /endpoints',
    operationId: 'listEndpoints',
    summary: 'Lists all endpoints.',
    tag: 'endpoints',
    needs: 'endpoints:write',
    answer: endpointPage,
    async read(deps, { actor }) {
      return answerWith(await listEndpoints(deps, { actor }), ({ data }) => ({
        data: data.map(viewEndpoint),
      }));
    },
  }),
  defineMerchantRoute({
    name: 'POST /endpoints',
    operationId: 'addEndpoint',
    summary: 'Adds an endpoint, and returns its secret.',
    tag: 'endpoints',
    needs: 'endpoints:write',
    body: newEndpoint,
    answer: endpointWithSecret,
    isSecret: true,
    async run({ operations }, { owner: { merchantId }, actor, body }) {
      const { url, whole_payer: wholeNumbers } = body;
      const input = { merchantId, url, wholePayer: wholeNumbers };
      return answerWith(await addEndpoint(operations, { actor, input }), viewSecret);
    },
  }),
  defineMerchantRoute({
    name: 'PATCH /endpoints/:id',
    operationId: 'changeEndpoint',
    summary: 'Changes an endpoint, or enables it again.',
    tag: 'endpoints',
    needs: 'endpoints:write',
    body: changedEndpoint,
    answer: endpoint,
    async run({ operations }, { id, actor, body }) {
      const { url, whole_payer: wholeNumbers, enabled } = body;
      const input = { url, wholePayer: wholeNumbers, enabled };
      return answerWith(
        await changeEndpoint(operations, { actor, id, input }),
        viewEndpoint,
        notFoundAnswer('endpoint', id),
      );
    },
  }),
  defineMerchantRoute({
    name: 'DELETE /endpoints/:id',
    operationId: 'removeEndpoint',
    summary: 'Removes an endpoint. Its notifications that wait are cancelled.',
    tag: 'endpoints',
    needs: 'endpoints:write',
    answer: endpoint,
    async run({ operations }, { id, actor }) {
      return answerWith(
        await removeEndpoint(operations, { actor, id }),
        viewEndpoint,
        notFoundAnswer('endpoint', id),
      );
    },
  }),
  defineMerchantRoute({
    name: 'POST /endpoints/:id/rotate',
    operationId: 'rotateEndpoint',
    summary: 'Replaces the secret. The one before signs too, for 24 hours.',
    tag: 'endpoints',
    needs: 'endpoints:write',
    body: noBody,
    answer: endpointWithSecret,
    isSecret: true,
    async run({ operations }, { id, actor }) {
      return answerWith(
        await rotateEndpoint(operations, { actor, id }),
        viewSecret,
        notFoundAnswer('endpoint', id),
      );
    },
  }),
  defineMerchantRoute({
    name: 'POST /endpoints/:id/test',
    operationId: 'testEndpoint',
    summary: 'Sends a notification of the type `endpoint.test`.',
    tag: 'endpoints',
    needs: 'endpoints:write',
    body: noBody,
    answer: sentEvent,
    async run({ operations }, { id, actor }) {
      const answer = await testEndpoint(operations, { actor, id });
      const view = ({ eventId }: { eventId: string }) => ({
        id: deliveryId({ endpointId: id, eventId }),
        endpoint: id,
        event: eventId,
      });
      return answerWith(answer, view, notFoundAnswer('endpoint', id));
    },
  }),
];

function viewSecret({ endpoint: added, secret }: { endpoint: EndpointView; secret: string }) {
  return { endpoint: viewEndpoint(added), secret };
}

function viewEndpoint(one: EndpointView): z.infer<typeof endpoint> {
  return {
    ...{ id: one.id, url: one.url, whole_payer: one.wholePayer, created_at: one.createdAt },
    ...{ state: one.state, failing_since: one.failingSince, disabled_at: one.disabledAt },
    disabled_reason: one.disabledReason,
    previous_secret_until: one.previousSecretUntil,
  };
}

export const deliveryRoutes = [
  defineMerchantRoute({
    name: 'GET /deliveries',
    operationId: 'listDeliveries',
    summary: 'Lists what was sent to an endpoint, newest first, with the last attempts.',
    tag: 'endpoints',
    needs: 'endpoints:write',
    query: deliveryQuery,
    answer: notificationDeliveryPage,
    async read(deps, { actor, query: { endpoint: id, limit, after } }) {
      const shown = await showEndpoint(deps, { actor, id });
      if (!shown.ok) return notFoundAnswer('endpoint', id);
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
  defineMerchantRoute({
    name: 'POST /deliveries/:id/resend',
    operationId: 'resendDelivery',
    summary:
      'Sends a notification again, with the same id and body; masked, if the endpoint no longer gets whole numbers.',
    tag: 'endpoints',
    needs: 'endpoints:write',
    body: noBody,
    answer: sentEvent,
    async run({ operations }, { id, actor }) {
      const key = readDeliveryId(id);
      if (!key) return notFoundAnswer('delivery', id);
      const { endpointId, eventId } = key;
      const answer = await resend(operations, { actor, id: endpointId, input: { eventId } });
      const view = () => ({ id, endpoint: endpointId, event: eventId });
      return answerWith(answer, view, notFoundAnswer('delivery', id));
    },
  }),
];

function viewDelivery(one: DeliveryView): z.infer<typeof notificationDelivery> {
  return {
    ...{ id: deliveryId(one), endpoint: one.endpointId, event: one.eventId, type: one.type },
    ...{ payment: one.paymentId, at: one.at, state: one.state, next_at: one.nextAt, body: one.body },
    attempts: one.attempts.map(({ durationMs, ...attempt }) => ({ ...attempt, duration_ms: durationMs })),
  };
}
