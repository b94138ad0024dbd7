import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventIdHeader } from '../../contract/service/event.ts';
import { errorMessage } from '../../shared/errors.ts';
import { findClientAddress } from '../../shared/http/addresses.ts';
import { hasBoundedBody, readWhole } from '../../shared/http/body.ts';
import { createDirectSender, occursOnce } from '../../shared/http/headers.ts';
import type { Deny } from '../../shared/http/server.ts';
import type { Ids } from '../../shared/ids.ts';
import { answerDelivery, type DeliveryAnswer, maxDeliveryBytes, type WebhookRouteDeps } from './route.ts';

/** The usual URL. No part of its path is encoded, so a router would find the same merchant. */
const deliveryUrl = /^\/webhooks\/([\w-]+)$/;

const failed = {
  status: 503,
  body: { error: { code: 'internal_error', message: 'try again later' } },
} as const;

/**
 * Creates a function that answers the usual deliveries on Node's own request and response: the web-standard wrapping of a
 * request costs more than the rest of an acknowledgement.
 *
 * @returns a function that returns false, and does nothing, for every request that `webhookRoute` must answer: of another
 *   path or method, without a content type or a signature, or with a body of unknown or too great length.
 */
export function createDeliveryRoute(deps: WebhookRouteDeps & { ids: Pick<Ids, 'next'> }) {
  const send = createDirectSender();
  const signatureHeader = deps.signature.header;
  // Node shows only the first of several content types, and joins several values of the other headers as Hono does.
  const isUsual = (incoming: IncomingMessage) =>
    incoming.method === 'POST' &&
    incoming.headers[signatureHeader] !== undefined &&
    hasBoundedBody(incoming, maxDeliveryBytes) &&
    occursOnce(incoming, 'content-type');

  return (incoming: IncomingMessage, outgoing: ServerResponse, deny: Deny): boolean => {
    const match = isUsual(incoming) ? deliveryUrl.exec(incoming.url ?? '') : null;
    if (!match) return false;
    const { headers } = incoming;
    const requestId = deps.ids.next('req');
    const answer = ({ status, body }: Pick<DeliveryAnswer, 'body'> & { status: number }) =>
      send(outgoing, {
        status,
        headers: ['x-request-id', requestId, 'content-type', 'application/json'],
        body: JSON.stringify(body),
      });
    readWhole(incoming, async (body) => {
      try {
        const answered = await answerDelivery(deps, {
          merchantId: match[1] ?? '',
          requestId,
          contentType: headers['content-type'],
          signature: headers[signatureHeader]?.toString(),
          eventId: headers[eventIdHeader]?.toString(),
          body,
          caller: () =>
            findClientAddress(incoming, headers['x-forwarded-for']?.toString(), deps.trustedProxies),
        });
        if (answered.isAuthentic || !deny(incoming, outgoing)) answer(answered);
      } catch (fault) {
        deps.log.error({ request: requestId, fault: errorMessage(fault) }, 'a request failed');
        answer(failed);
      }
    });
    return true;
  };
}
