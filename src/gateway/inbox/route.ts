import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import type { ErrorBody } from '../../contract/error.ts';
import { eventIdHeader } from '../../contract/service/event.ts';
import type { Clock } from '../../shared/clock.ts';
import { errorMessage, unreachable } from '../../shared/errors.ts';
import { grantAccess } from '../../shared/http/access.ts';
import { findClientAddress } from '../../shared/http/addresses.ts';
import { hasBoundedBody, readWhole } from '../../shared/http/body.ts';
import { createDirectSender, occursOnce } from '../../shared/http/headers.ts';
import type { Deny } from '../../shared/http/server.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { LogSummary } from '../../shared/log-summary.ts';
import type { OnServiceExchange } from '../collection/calls/service-exchange.ts';
import { type Receipt, type ReceiveDeps, receive, type WebhookDelivery } from './receive.ts';

export type WebhookRouteDeps = ReceiveDeps & {
  merchant(id: string): WebhookDelivery['merchant'];
  /** Called after an event was stored, so that the worker does not wait for its next round. */
  onStored(): void;
  /** Called after each delivery, for metrics. `merchantId` is undefined when the address names none. */
  onReceived?(merchantId: string | undefined, outcome: Receipt['kind']): void;
  /** Called after each delivery with a valid signature. */
  onExchange?: OnServiceExchange | undefined;
  networkClock: Pick<Clock, 'now'>;
  log: Log;
  /** Deliveries that are rejected: any stranger can send them. */
  forgeries: LogSummary;
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: { has(address: string): boolean };
};

/** Standard Webhooks recommends payloads below 20 kB. */
const maxDeliveryBytes = 64 * 1024;

/** One HTTP request with a delivery. */
type DeliveryRequest = Pick<WebhookDelivery, 'signature' | 'eventId' | 'body'> & {
  merchantId: string;
  requestId: string;
  contentType: string | undefined;
  /** The address of the caller, for the log. */
  caller(): string | undefined;
};

/** The answer to a delivery. `isAuthentic`: its signature is valid, so no limit of unauthenticated requests applies. */
type DeliveryAnswer = {
  status: 200 | 400 | 401 | 415;
  body: ErrorBody | { received: true };
  isAuthentic: boolean;
};

function errorBody(code: string, message: string): ErrorBody {
  return { error: { code, message } };
}

/** The characters of a signature that an exchange shows. */
const shownSignature = 24;

/** Answers a delivery, and reports an authentic one to `onExchange`. */
async function answerDelivery(deps: WebhookRouteDeps, request: DeliveryRequest): Promise<DeliveryAnswer> {
  const { onExchange, networkClock, signature } = deps;
  const at = networkClock.now();
  const answer = await decideAnswer(deps, request);
  if (answer.isAuthentic)
    onExchange?.({
      ...{ direction: 'received', method: 'POST', path: `/webhooks/${request.merchantId}` },
      ...{ at, ms: Math.max(0, networkClock.now() - at) },
      headers: [`${signature.header}: ${request.signature?.slice(0, shownSignature)}…`],
      body: Buffer.from(request.body).toString('utf8'),
      answer: { status: answer.status, body: JSON.stringify(answer.body) },
    });
  return answer;
}

/**
 * Decides the answer to a delivery. The status is 2xx only when the event is durably stored. The answer to a wrong signature does not
 * reveal whether the merchant exists.
 */
async function decideAnswer(
  deps: WebhookRouteDeps,
  { merchantId, requestId: request, contentType, caller, ...delivery }: DeliveryRequest,
): Promise<DeliveryAnswer> {
  if (!/^application\/json\b/i.test(contentType ?? '')) {
    const body = errorBody('unsupported_media_type', 'deliveries are application/json');
    return { status: 415, body, isAuthentic: false };
  }
  const merchant = deps.merchant(merchantId);
  const receipt = await receive(deps, { merchant, ...delivery });
  deps.onReceived?.(merchant?.id, receipt.kind);
  if (receipt.kind === 'forged' || !merchant) {
    deps.forgeries.record(merchant ? 'wrong_signature' : 'unknown_merchant', {
      merchant: merchant?.id,
      caller: caller(),
    });
    const body = errorBody('bad_signature', 'the signature does not match');
    return { status: 401, body, isAuthentic: false };
  }
  switch (receipt.kind) {
    case 'stored':
    case 'hint':
    case 'duplicate':
      deps.log.info(
        { request, merchant: merchant.id, event: receipt.eventId, receipt: receipt.kind },
        'webhook',
      );
      if (receipt.kind === 'hint') {
        deps.log.error(
          { request, merchant: merchant.id, event: receipt.eventId, alarm: 'stale_webhook' },
          'the signature of a webhook is too old: the event causes a poll and no booking. Check the clocks',
        );
      }
      if (receipt.kind !== 'duplicate') deps.onStored();
      return { status: 200, body: { received: true }, isAuthentic: true };
    case 'unreadable':
      return { status: 400, body: errorBody('unreadable_event', receipt.detail), isAuthentic: true };
    default:
      return unreachable(receipt);
  }
}

type Env = { Bindings: Partial<HttpBindings>; Variables: RequestIdVariables };

/** Serves `POST /webhooks/:merchant`. */
export function webhookRoute(deps: WebhookRouteDeps): Hono<Env> {
  const app = new Hono<Env>();
  const tooLarge = bodyLimit({
    maxSize: maxDeliveryBytes,
    onError: (c) => c.json(errorBody('body_too_large', `at most ${maxDeliveryBytes} bytes`), 413),
  });
  app.post('/webhooks/:merchant', tooLarge, async (c) => {
    const { status, body, isAuthentic } = await answerDelivery(deps, {
      merchantId: c.req.param('merchant'),
      requestId: c.get('requestId'),
      contentType: c.req.header('content-type'),
      signature: c.req.header(deps.signature.header),
      eventId: c.req.header(eventIdHeader),
      body: new Uint8Array(await c.req.arrayBuffer()),
      caller: () => findClientAddress(c.env?.incoming, c.req.header('x-forwarded-for'), deps.trustedProxies),
    }).catch((fault: unknown) => {
      // Only a delivery with a valid signature reaches the store: its 503 must never become a 429.
      grantAccess(c.env);
      throw fault;
    });
    if (isAuthentic) grantAccess(c.env);
    return c.json(body, status);
  });
  return app;
}

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
