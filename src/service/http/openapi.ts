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
import { type DeliverySettings, guide, headerTitle } from './guide.ts';

/*
 * Values for the examples of the OpenAPI document, one story: Abena Stores sells for GHS 20.00. A field that is absent
 * here has the example of its schema.
 */

const merchantId = 'mch_01k5n8c0';
const platformId = 'plt_01k5n8c0';
const secret = 'whsec_…';

/** Examples of fields by name, in any object. */
const fieldValues: Readonly<Record<string, unknown>> = {
  merchant_id: merchantId,
  platform_id: platformId,
  session_id: 'pay_01k5n8c0',
  event_id: 'evt_01k5n8c0',
  otp_request_id: 'otpr_01k5n8c0',
  request_id: 'req_01k5n8c0',
  merchant_name: 'Abena Stores',
  reference: 'INV-7',
  client_trans_id: 'order-7',
  url: 'https://shop.example/hook',
  livemode: false,
  paid_minor: 2020,
  charged_minor: 2020,
  secret,
  note: 'The merchant accepts the partial payment.',
  next_cursor: null,
  has_more: false,
  disabled_at: null,
  failing_since: null,
  secret_overlap_until: null,
  expires_at: null,
  revoked_at: null,
  last_error: null,
  next_attempt_at: null,
};

/** Examples of fields by the name of their component; `undefined` leaves an optional field out. */
const componentValues: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Merchant: { id: merchantId, name: 'Abena Stores' },
  Platform: { id: platformId, name: 'Till at Osu' },
  Key: { id: 'key_01k5n8c0', ending: 'x7Qa', scopes: ['collections:offline', 'sessions:read'] },
  CreatedKey: { id: 'key_01k5n8c0' },
  RotatedKey: { id: 'key_01k5n8c0' },
  RevokedKey: { id: 'key_01k5n8c0' },
  OtpRequested: { expires_at: '2026-03-06T09:10:00.000Z' },
  PendingPrompt: {
    id: 'prm_01k5n8c0',
    amount_minor: 2020,
    expires_at: '2026-03-06T09:02:01.500Z',
    magic: undefined,
  },
  AnsweredPrompt: { id: 'prm_01k5n8c0' },
  SessionPrompt: { id: 'prm_01k5n8c0', status: 'approved', amount_minor: 2020 },
  TextMessage: {
    text: '048213 is your code to pay GHS 20.00 to Abena Stores. Valid for 10 min. Never share it with anyone.',
  },
  Sender: { name: 'ABENA' },
  RemovedSender: { name: 'ABENA' },
  FeeSchedule: {
    basis_points: 100,
    fixed_minor: undefined,
    floor_minor: 10,
    cap_minor: 1000,
    bands: undefined,
  },
  Delivery: { state: 'delivered', attempts: 1, last_status: 200 },
  DeliveryLog: { state: 'delivered', attempts: 1, last_status: 200 },
  DeliveryAttempt: { duration_ms: 42, status: 200, error: null },
  Action: { id: 'act_01k5n8c0' },
  Review: {
    reason: 'paid_short',
    paid_minor: 1010,
    resolution: undefined,
    resolved_at: undefined,
    note: undefined,
  },
  AdminOfflineSession: { status: 'paid', held: false, reason: undefined, review: undefined },
  TestClock: { advanced_ms: 600_000 },
};

/** The identifiers of examples are short in the source; in the document they have their real length. */
const shortId = /\b([a-z]{2,4}_)01k5n8(c0)?\b/g;

/** Returns a text with its identifiers in their real length. */
function withWholeIds(text: string): string {
  return text.replaceAll(shortId, '$101k5n8c0r7v2w3x4y5z6a7b8c9');
}

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
  Statements: 'Admin API: what was charged on a day, as a file.',
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
