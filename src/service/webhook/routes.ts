import { z } from '@hono/zod-openapi';
import {
  deliveryList,
  deliveryLog,
  deliveryState,
  livemode,
  signingSecret,
  webhook,
  webhookEndpointList,
} from '../../contract/admin.ts';
import { isApiError } from '../api-error.ts';
import { idParam, operation } from '../http/operation.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { WebhookOperations } from './operations.ts';
import type { Secret } from './rotate-secret.ts';
import type { SetEndpoint } from './set-endpoint.ts';
import { deliveryLogView, deliveryView, endpointView } from './views.ts';

const listLimit = 100;

const tag = 'Webhooks';
const params = idParam('The merchant.', 'mch_01k5n8c0');
const eventParams = idParam('The event.', 'evt_01k5n8c0');
/** The mode as the audit names it. */
const modeOf = (livemode: boolean) => (livemode ? 'live' : 'test');
const platformId = z
  .string()
  .max(128)
  .optional()
  .meta({ description: "The merchant's first platform when left out." });

const listWebhooks = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/webhooks',
  id: 'listWebhooks',
  tag,
  summary: 'List where events go, of all platforms and both modes',
  access: 'admin',
  params,
  success: {
    status: 200,
    description: 'At most 200. Never the signing secrets.',
    schema: webhookEndpointList,
  },
  errors: ['merchant_not_found'],
});

const setWebhook = operation({
  method: 'put',
  path: '/backoffice/merchants/{id}/webhook',
  id: 'setWebhook',
  tag,
  summary: 'Set where events go',
  description:
    'Without `secret` the current signing secret stays, or one is made. Setting the URL, also the same one again, ' +
    'ends the disabling of an endpoint: the events put aside meanwhile are sent.',
  access: 'admin',
  params,
  body: z
    .strictObject({
      livemode,
      platform_id: platformId,
      url: z
        .string()
        .meta({ description: 'In live mode https and public.', example: 'https://shop.example/hook' }),
      secret: z.string().optional().meta({ description: '16 to 128 printable ASCII characters.' }),
    })
    .meta({ id: 'NewWebhook' }),
  examples: { test: { livemode: false, url: 'https://shop.example/hook' } },
  fieldErrors: { url: 'invalid_url', secret: 'invalid_secret' },
  auditSubject: (body, { platform_id }) => [platform_id, modeOf(body.livemode)],
  success: {
    status: 200,
    description: 'URL and signing secret.',
    schema: webhook,
  },
  errors: ['merchant_not_found', 'platform_not_found', 'private_url'],
});

const rotateWebhook = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/webhook/rotate',
  id: 'rotateSigningSecret',
  tag,
  summary: 'Put a new signing secret in place',
  description: 'For a time, 24 hours unless configured otherwise, deliveries carry a signature of each.',
  access: 'admin',
  params,
  body: z.strictObject({ livemode, platform_id: platformId }).meta({ id: 'SecretRotation' }),
  examples: { test: { livemode: false } },
  idempotency: 'honoured',
  secretResponse: true,
  auditSubject: (body, { platform_id }) => [platform_id, modeOf(body.livemode)],
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
  summary: 'List events and how their delivery stands, newest first',
  access: 'admin',
  params,
  query: z.strictObject({
    livemode: z.enum(['true', 'false']).optional().meta({ description: 'false when left out.' }),
    platform_id: z.string().max(128).optional().meta({ description: 'All platforms when left out.' }),
    state: deliveryState.optional(),
    before: z
      .string()
      .max(128)
      .optional()
      .meta({ description: 'The last `event_id` of the list before: those older than it.' }),
  }),
  success: {
    status: 200,
    description: 'At most 100.',
    schema: deliveryList,
  },
});

const readDelivery = operation({
  method: 'get',
  path: '/backoffice/events/{id}',
  id: 'getDelivery',
  tag,
  summary: 'Look up how the delivery of an event stands, with each attempt',
  access: 'admin',
  params: eventParams,
  success: { status: 200, description: 'The delivery and its log.', schema: deliveryLog },
  errors: ['event_not_found'],
});

const resendEvent = operation({
  method: 'post',
  path: '/backoffice/events/{id}/resend',
  id: 'resendEvent',
  tag,
  summary: 'Send an event once more',
  description:
    'Whatever became of it before: under the same id, with the same body, on a plan of retries begun anew.',
  access: 'admin',
  params: eventParams,
  idempotency: 'honoured',
  success: { status: 200, description: 'It is due now.', schema: deliveryLog },
  errors: ['event_not_found'],
});

/** What the back office sets and sees of webhooks. */
export function webhookRoutes(router: Router, verbs: WebhookOperations): void {
  router.admin(listWebhooks, async ({ params: { id } }) => {
    const found = await verbs.listWebhooks(id);
    return isApiError(found) ? found : jsonResponse(200, { webhooks: found.endpoints.map(endpointView) });
  });
  router.admin(setWebhook, async ({ params: { id: merchantId }, body, extraWrites }) => {
    const { livemode, platform_id: platformId, url, secret } = body;
    const show = (made: SetEndpoint) =>
      jsonResponse(200, { platform_id: made.platformId, livemode, url: made.url, secret: made.secret });
    const set = await verbs.setWebhook({ merchantId, platformId, livemode, url, secret }, (made) =>
      extraWrites(show(made)),
    );
    return isApiError(set) ? set : show(set);
  });
  router.admin(rotateWebhook, async ({ params: { id: merchantId }, body, extraWrites }) => {
    const { livemode, platform_id: platformId } = body;
    const show = (made: Secret) => jsonResponse(200, { platform_id: made.platformId, secret: made.secret });
    const rotated = await verbs.rotateSecret({ merchantId, platformId, livemode }, (made) =>
      extraWrites(show(made)),
    );
    return isApiError(rotated) ? rotated : show(rotated);
  });

  router.admin(listDeliveries, async ({ params: { id: merchantId }, query }) => {
    const { platform_id: platformId, state, before } = query;
    const livemode = query.livemode === 'true';
    const events = await verbs.listDeliveries({
      ...{ merchantId, livemode, platformId, state, before },
      limit: listLimit,
    });
    return jsonResponse(200, { deliveries: events.map(deliveryView) });
  });
  router.admin(readDelivery, async ({ params: { id } }) => {
    const found = await verbs.readDelivery(id);
    return isApiError(found) ? found : jsonResponse(200, deliveryLogView(found.event, found.attempts));
  });
  router.admin(resendEvent, async ({ params: { id }, extraWrites }) => {
    const found = await verbs.readDelivery(id);
    if (isApiError(found)) return found;
    const show = (event: typeof found.event) => jsonResponse(200, deliveryLogView(event, found.attempts));
    const resent = await verbs.resendEvent(id, (event) => extraWrites(show(event)));
    return isApiError(resent) ? resent : show(resent.event);
  });
}
