import { z } from '@hono/zod-openapi';
import { isApiError } from '../api-error.ts';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { idParam, operation } from '../http/operation.ts';
import type { WebhookOperations } from './operations.ts';
import type { Secret } from './rotate-secret.ts';
import {
  deliveryLogShape,
  deliveryLogView,
  deliveryShape,
  deliveryState,
  deliveryView,
  endpointShape,
  endpointView,
} from './schemas.ts';
import type { SetEndpoint } from './set-endpoint.ts';

const listLimit = 100;

const tag = 'Webhooks';
const params = idParam('The merchant.', 'mch_01k5n8c0');
const eventParams = idParam('The event.', 'evt_01k5n8c0');
/** The mode as the audit names it. */
const modeOf = (livemode: boolean) => (livemode ? 'live' : 'test');
const livemode = z.boolean().meta({ description: 'false for test, true for live.' });
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
    schema: z.strictObject({ webhooks: z.array(endpointShape) }).meta({ id: 'WebhookEndpoints' }),
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
  codes: { url: 'invalid_url', secret: 'invalid_secret' },
  subject: (body, { platform_id }) => [platform_id, modeOf(body.livemode)],
  success: {
    status: 200,
    description: 'URL and signing secret.',
    schema: z
      .strictObject({ platform_id: z.string(), livemode: z.boolean(), url: z.string(), secret: z.string() })
      .meta({ id: 'Webhook' }),
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
  secretAnswer: true,
  subject: (body, { platform_id }) => [platform_id, modeOf(body.livemode)],
  success: {
    status: 200,
    description: 'The new secret.',
    schema: z.strictObject({ platform_id: z.string(), secret: z.string() }).meta({ id: 'SigningSecret' }),
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
    schema: z.strictObject({ deliveries: z.array(deliveryShape) }).meta({ id: 'Deliveries' }),
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
  success: { status: 200, description: 'The delivery and its log.', schema: deliveryLogShape },
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
  success: { status: 200, description: 'It is due now.', schema: deliveryLogShape },
  errors: ['event_not_found'],
});

/** What the back office sets and sees of webhooks. */
export function webhookRoutes(serve: Endpoints, verbs: WebhookOperations): void {
  serve.admin(listWebhooks, async ({ params: { id } }) => {
    const found = await verbs.listWebhooks(id);
    return isApiError(found) ? found : answer(200, { webhooks: found.endpoints.map(endpointView) });
  });
  serve.admin(setWebhook, async ({ params: { id: merchantId }, body, extraWrites }) => {
    const { livemode, platform_id: platformId, url, secret } = body;
    const show = (made: SetEndpoint) =>
      answer(200, { platform_id: made.platformId, livemode, url: made.url, secret: made.secret });
    const set = await verbs.setWebhook({ merchantId, platformId, livemode, url, secret }, (made) =>
      extraWrites(show(made)),
    );
    return isApiError(set) ? set : show(set);
  });
  serve.admin(rotateWebhook, async ({ params: { id: merchantId }, body, extraWrites }) => {
    const { livemode, platform_id: platformId } = body;
    const show = (made: Secret) => answer(200, { platform_id: made.platformId, secret: made.secret });
    const rotated = await verbs.rotateSecret({ merchantId, platformId, livemode }, (made) =>
      extraWrites(show(made)),
    );
    return isApiError(rotated) ? rotated : show(rotated);
  });

  serve.admin(listDeliveries, async ({ params: { id: merchantId }, query }) => {
    const { platform_id: platformId, state, before } = query;
    const livemode = query.livemode === 'true';
    const events = await verbs.listDeliveries({
      ...{ merchantId, livemode, platformId, state, before },
      limit: listLimit,
    });
    return answer(200, { deliveries: events.map(deliveryView) });
  });
  serve.admin(readDelivery, async ({ params: { id } }) => {
    const found = await verbs.readDelivery(id);
    return isApiError(found) ? found : answer(200, deliveryLogView(found.event, found.attempts));
  });
  serve.admin(resendEvent, async ({ params: { id }, extraWrites }) => {
    const found = await verbs.readDelivery(id);
    if (isApiError(found)) return found;
    const show = (event: typeof found.event) => answer(200, deliveryLogView(event, found.attempts));
    const resent = await verbs.resendEvent(id, (event) => extraWrites(show(event)));
    return isApiError(resent) ? resent : show(resent.event);
  });
}
