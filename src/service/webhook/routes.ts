import { z } from 'zod';
import {
  deliveryLog,
  deliveryPage,
  deliveryState,
  livemode,
  signingSecret,
  webhook,
  webhookEndpointPage,
} from '../../contract/service/admin.ts';
import { pageQuery } from '../../contract/service/field.ts';
import { isApiError } from '../api-error.ts';
import { idParam, operation } from '../http/operation.ts';
import { defaultPageSize, toPage, toPageBy } from '../http/page.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { Secret, SetEndpoint } from './change-endpoint.ts';
import type { EndpointKey } from './endpoint-store.ts';
import type { WebhookOperations } from './operations.ts';
import { deliveryLogView, deliveryView, endpointView } from './views.ts';

const tag = 'Webhooks';
const params = idParam('The merchant.', 'mch_01k5n8c0');
const eventParams = idParam('The event.', 'evt_01k5n8c0');
/** Returns the name of a mode for the audit log. */
const getMode = (livemode: boolean) => (livemode ? 'live' : 'test');
const platformId = z
  .string()
  .max(128)
  .optional()
  .meta({ description: "The merchant's first platform by default." });

const listWebhooks = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/webhooks',
  id: 'listWebhooks',
  tag,
  summary: 'List the webhook endpoints of all platforms and both modes',
  description: 'Shows which endpoints fail or are disabled.',
  access: 'admin',
  params,
  query: z.strictObject(pageQuery),
  success: {
    status: 200,
    description: 'A page of endpoints, by platform, without their signing secrets.',
    schema: webhookEndpointPage,
  },
  errors: ['merchant_not_found'],
});

const setWebhook = operation({
  method: 'put',
  path: '/backoffice/merchants/{id}/webhook',
  id: 'setWebhook',
  tag,
  summary: 'Set the webhook URL of a platform',
  description:
    'Without `secret`, the current signing secret stays, or a new one is generated. Setting the URL, also the same ' +
    'one again, enables a disabled endpoint: the events that were not sent meanwhile are sent.',
  access: 'admin',
  params,
  body: z
    .strictObject({
      livemode,
      platform_id: platformId,
      url: z.string().meta({
        description: 'In live mode, an https URL with a public address.',
        example: 'https://shop.example/hook',
      }),
      secret: z.string().optional().meta({ description: '16 to 128 printable ASCII characters.' }),
    })
    .meta({ id: 'NewWebhook' }),
  examples: { test: { livemode: false, url: 'https://shop.example/hook' } },
  fieldErrors: { url: 'invalid_url', secret: 'invalid_secret' },
  auditSubject: (body, { platform_id }) => [platform_id, getMode(body.livemode)],
  success: {
    status: 200,
    description: 'The URL and its signing secret.',
    schema: webhook,
  },
  errors: ['merchant_not_found', 'platform_not_found', 'private_url'],
});

const rotateWebhook = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/webhook/rotate',
  id: 'rotateSigningSecret',
  tag,
  summary: 'Rotate a signing secret',
  description: 'For 24 hours, unless configured otherwise, deliveries carry a signature of both secrets.',
  access: 'admin',
  params,
  body: z.strictObject({ livemode, platform_id: platformId }).meta({ id: 'SecretRotation' }),
  examples: { test: { livemode: false } },
  idempotency: 'honoured',
  secretResponse: true,
  auditSubject: (body, { platform_id }) => [platform_id, getMode(body.livemode)],
  success: {
    status: 200,
    description: 'The new secret.',
    schema: signingSecret,
  },
  errors: ['merchant_not_found', 'platform_not_found', 'endpoint_not_found'],
});

const listDeliveries = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/deliveries',
  id: 'listDeliveries',
  tag,
  summary: 'List events with the state of their delivery, newest first',
  description: 'Returns the events of one merchant and mode.',
  access: 'admin',
  params,
  query: z.strictObject({
    livemode: z.enum(['true', 'false']).optional().meta({ description: '`false` by default.' }),
    platform_id: z.string().max(128).optional().meta({ description: 'All platforms by default.' }),
    state: deliveryState.optional(),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of deliveries.', schema: deliveryPage },
});

const readDelivery = operation({
  method: 'get',
  path: '/backoffice/events/{id}',
  id: 'getDelivery',
  tag,
  summary: 'Look up the delivery of an event and its attempts',
  description: 'Shows when each attempt was made, and how it ended.',
  access: 'admin',
  params: eventParams,
  success: { status: 200, description: 'The delivery and its attempts.', schema: deliveryLog },
  errors: ['event_not_found'],
});

const resendEvent = operation({
  method: 'post',
  path: '/backoffice/events/{id}/resend',
  id: 'resendEvent',
  tag,
  summary: 'Send an event again',
  description: 'Sends the event with the same id and body in any state, and restarts its retry schedule.',
  access: 'admin',
  params: eventParams,
  idempotency: 'honoured',
  success: { status: 200, description: 'The delivery, which is due now.', schema: deliveryLog },
  errors: ['event_not_found'],
});

/** The cursor of an endpoint: its platform and mode, in which the list is ordered. */
function getCursor({ platformId, livemode }: EndpointKey): string {
  return `${platformId}:${livemode}`;
}

function readCursor(cursor: string | undefined): EndpointKey | undefined {
  const match = /^(.*):([01])$/.exec(cursor ?? '');
  return match ? { platformId: match[1] ?? '', livemode: match[2] === '1' ? 1 : 0 } : undefined;
}

/** Serves the webhook endpoints and deliveries in the admin API. */
export function webhookRoutes(router: Router, operations: WebhookOperations): void {
  router.admin(listWebhooks, async ({ params: { id }, query: { limit = defaultPageSize, cursor } }) => {
    const after = readCursor(cursor);
    const found = await operations.listWebhooks(id, limit + 1, after);
    if (isApiError(found)) return found;
    return jsonResponse(200, toPageBy(found.endpoints, limit, endpointView, getCursor));
  });
  router.admin(setWebhook, async ({ params: { id: merchantId }, body, extraWrites }) => {
    const { livemode, platform_id: platformId, url, secret } = body;
    const show = (endpoint: SetEndpoint) =>
      jsonResponse(200, {
        platform_id: endpoint.platformId,
        livemode,
        url: endpoint.url,
        secret: endpoint.secret,
      });
    const set = await operations.setWebhook({ merchantId, platformId, livemode, url, secret }, (result) =>
      extraWrites(show(result)),
    );
    return isApiError(set) ? set : show(set);
  });
  router.admin(rotateWebhook, async ({ params: { id: merchantId }, body, extraWrites }) => {
    const { livemode, platform_id: platformId } = body;
    const show = (secret: Secret) =>
      jsonResponse(200, { platform_id: secret.platformId, secret: secret.secret });
    const rotated = await operations.rotateSecret({ merchantId, platformId, livemode }, (result) =>
      extraWrites(show(result)),
    );
    return isApiError(rotated) ? rotated : show(rotated);
  });

  router.admin(listDeliveries, async ({ params: { id: merchantId }, query }) => {
    const { platform_id: platformId, state, limit = defaultPageSize, cursor } = query;
    const livemode = query.livemode === 'true';
    const filter = { merchantId, livemode, platformId, state };
    const events = await operations.listDeliveries({ ...filter, limit: limit + 1, before: cursor });
    return jsonResponse(200, toPage(events, limit, deliveryView));
  });
  router.admin(readDelivery, async ({ params: { id } }) => {
    const found = await operations.readDelivery(id);
    return isApiError(found) ? found : jsonResponse(200, deliveryLogView(found.event, found.attempts));
  });
  router.admin(resendEvent, async ({ params: { id }, extraWrites }) => {
    const found = await operations.readDelivery(id);
    if (isApiError(found)) return found;
    const show = (event: typeof found.event) => jsonResponse(200, deliveryLogView(event, found.attempts));
    const resent = await operations.resendEvent(id, (event) => extraWrites(show(event)));
    return isApiError(resent) ? resent : show(resent.event);
  });
}
