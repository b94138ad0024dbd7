import type { z } from 'zod';
import {
  changedEndpoint,
  endpoint,
  endpointPage,
  endpointWithSecret,
  newEndpoint,
  noBody,
  sentEvent,
} from '../../../contract/merchant/merchant-operations.ts';
import type { EndpointView } from '../../../contract/staff/endpoint.ts';
import {
  addEndpoint,
  changeEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateEndpoint,
  testEndpoint,
} from '../../staff/operations/endpoints.ts';
import { answerWith, defineRoute, notFound } from '../define-route.ts';
import { deliveryId } from '../delivery-id.ts';

/** The endpoints that get a merchant's notifications. */
export const endpointRoutes = [
  defineRoute({
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
  defineRoute({
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
  defineRoute({
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
        notFound('endpoint', id),
      );
    },
  }),
  defineRoute({
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
        notFound('endpoint', id),
      );
    },
  }),
  defineRoute({
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
        notFound('endpoint', id),
      );
    },
  }),
  defineRoute({
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
      return answerWith(answer, view, notFound('endpoint', id));
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
