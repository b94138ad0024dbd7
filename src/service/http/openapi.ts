import { z } from 'zod';
import { type ApiErrorCode, apiErrors } from '../../contract/service/api-errors.ts';
import {
  eventIdHeader,
  eventTypes,
  failedEvent,
  paidEvent,
  refundEvent,
  reviewEvent,
} from '../../contract/service/event.ts';
import {
  type ApiDocument,
  createDocument,
  type DocumentedRoute,
  type DocumentedWebhook,
} from '../../kit/openapi/document.ts';
import { componentValues, fieldValues, withWholeIds } from './example-values.ts';
import { type DeliverySettings, guide, headerTitle } from './guide.ts';

const tags = {
  'One-time codes': 'A code by SMS proves that the payer holds the number. Optional, for web sessions.',
  Sessions: 'A payment from its creation to its final status.',
  Events: 'The webhook events, for reading again.',
  'Simulated phone': "The payer's side of test sessions: prompts and SMS. No key is needed.",
  Merchants: 'Admin API: merchants and their approval for offline collections.',
  Platforms: "Admin API: a merchant's sites, apps and tills, each with its own keys and webhook URLs.",
  Keys: 'Admin API: secret keys. Each key is shown only once.',
  Fees: 'Admin API: the fee schedules of the channels, and those of one merchant.',
  Senders: 'Admin API: the names under which a merchant may send OTPs.',
  Webhooks: 'Admin API: webhook URLs, signing secrets, and deliveries with their attempts.',
  Reviews: 'Admin API: money that arrived and does not fit its session.',
  'Back office sessions': 'Admin API: the sessions of all merchants.',
  Audit: 'Admin API: the actions, with their time.',
  Sandbox: 'Admin API: the test clock of a sandbox.',
  Service: 'Health and documentation.',
};

type EventName = keyof typeof eventTypes;

const events: Readonly<Record<EventName, Pick<DocumentedWebhook, 'id' | 'summary' | 'body'>>> = {
  paid: { id: 'onSessionPaid', summary: 'A session is paid', body: paidEvent },
  failed: { id: 'onSessionFailed', summary: 'A session failed or expired', body: failedEvent },
  reviewAmountMismatch: {
    id: 'onReviewAmountMismatch',
    summary: 'Money arrived that does not fit its session',
    body: reviewEvent,
  },
  refundSettled: {
    id: 'onRefundSettled',
    summary: 'The money of a rejected review was returned',
    body: refundEvent,
  },
};

/** Errors whose responses may have a `Retry-After` header. */
const retryable: ReadonlySet<ApiErrorCode> = new Set([
  'too_many_requests',
  'too_many_prompts',
  'too_many_otps',
  'too_many_guesses',
  'idempotency_in_progress',
  'sms_unavailable',
  'rail_not_attached',
  'unavailable',
]);

/** Returns the OpenAPI document of the service. */
export function describeApi(
  routes: readonly DocumentedRoute<ApiErrorCode>[],
  delivery: DeliverySettings,
): ApiDocument {
  return createDocument({
    info: {
      title: 'Payment Collection Service',
      version: '1',
      description: guide(delivery),
      contact: { name: 'dialtill', url: 'https://github.com/dialtill/dialtill' },
    },
    servers: [{ url: '/' }],
    tags,
    security: {
      secretKey: "A merchant's secret key: `sk_test_…` or `sk_live_…`.",
      adminToken: 'The admin token.',
    },
    requestIdHeader: 'Request-Id',
    errors: apiErrors,
    retryable,
    routes,
    webhooks: Object.entries(events).map(([name, event]) => ({
      ...event,
      type: eventTypes[name as EventName],
      headers: eventHeaders(delivery),
    })),
    examples: { fields: fieldValues, components: componentValues, finish: withWholeIds },
  });
}

function eventHeaders({ headerName }: DeliverySettings) {
  return z.object({
    [headerTitle(headerName)]: z.string().meta({
      description: '`t=<unix seconds>,v1=<hex>`, with one `v1` for each valid secret.',
      example: 't=1772787607,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
    }),
    [headerTitle(eventIdHeader)]: z.string().meta({
      description: 'The `id` of the body, which is the same for every attempt.',
      example: 'evt_01k5n8c0',
    }),
  });
}
