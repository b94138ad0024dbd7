import { z } from 'zod';
import {
  deliveryLog,
  deliveryPage,
  deliveryState,
  livemode,
  signingSecret,
  webhook,
  webhookEndpointPage,
} from './admin.ts';
import { pageQuery } from './field.ts';
import { idParam, merchantParam, operation } from './operation.ts';

/* The operations on webhook endpoints and deliveries: those of the admin API, and those of merchants. */

const eventParams = idParam('The event.', 'evt_01k5n8c0');
/** Returns the name of a mode for the audit log. */
const getMode = (livemode: boolean) => (livemode ? 'live' : 'test');
const platformId = z
  .string()
  .max(128)
  .optional()
  .meta({ description: "The merchant's first platform by default." });

export const listWebhooks = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/webhooks',
  id: 'listWebhooks',
  tag: 'Webhooks',
  summary: 'List the webhook endpoints of all platforms and both modes',
  description: 'Shows which endpoints fail or are disabled.',
  access: 'admin',
  params: merchantParam,
  query: z.strictObject(pageQuery),
  success: {
    status: 200,
    description: 'A page of endpoints, by platform, without their signing secrets.',
    schema: webhookEndpointPage,
  },
  errors: ['merchant_not_found'],
});

export const setWebhook = operation({
  method: 'put',
  path: '/backoffice/merchants/{id}/webhook',
  id: 'setWebhook',
  tag: 'Webhooks',
  summary: 'Set the webhook URL of a platform',
  description:
    'Without `secret`, the current signing secret stays, or a new one is generated. Setting the URL, also the same ' +
    'one again, enables a disabled endpoint: the events that were not sent meanwhile are sent.',
  access: 'admin',
  params: merchantParam,
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

export const rotateSigningSecret = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/webhook/rotate',
  id: 'rotateSigningSecret',
  tag: 'Webhooks',
  summary: 'Rotate a signing secret',
  description: 'For 24 hours, unless configured otherwise, deliveries carry a signature of both secrets.',
  access: 'admin',
  params: merchantParam,
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

export const listDeliveriesOperation = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/deliveries',
  id: 'listDeliveries',
  tag: 'Webhooks',
  summary: 'List events with the state of their delivery, newest first',
  description: 'Returns the events of one merchant and mode.',
  access: 'admin',
  params: merchantParam,
  query: z.strictObject({
    livemode: z.enum(['true', 'false']).optional().meta({ description: '`false` by default.' }),
    platform_id: z.string().max(128).optional().meta({ description: 'All platforms by default.' }),
    state: deliveryState.optional(),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of deliveries.', schema: deliveryPage },
});

export const getDelivery = operation({
  method: 'get',
  path: '/backoffice/events/{id}',
  id: 'getDelivery',
  tag: 'Webhooks',
  summary: 'Look up the delivery of an event and its attempts',
  description: 'Shows when each attempt was made, and how it ended.',
  access: 'admin',
  params: eventParams,
  success: { status: 200, description: 'The delivery and its attempts.', schema: deliveryLog },
  errors: ['event_not_found'],
});

export const resendEvent = operation({
  method: 'post',
  path: '/backoffice/events/{id}/resend',
  id: 'resendEvent',
  tag: 'Webhooks',
  summary: 'Send an event again',
  description: 'Sends the event with the same id and body in any state, and restarts its retry schedule.',
  access: 'admin',
  params: eventParams,
  idempotency: 'honoured',
  success: { status: 200, description: 'The delivery, which is due now.', schema: deliveryLog },
  errors: ['event_not_found'],
});

export const listOwnDeliveries = operation({
  method: 'get',
  path: '/v1/deliveries',
  id: 'listOwnDeliveries',
  tag: 'Events',
  summary: 'List events with the state of their delivery, newest first',
  description: 'Returns the deliveries of all platforms of the merchant in the mode of the key, for 90 days.',
  access: 'merchant',
  scope: 'events:read',
  query: z.strictObject({
    session_id: z.string().max(128).optional().meta({ example: 'pay_01k5n8c0' }),
    platform_id: z.string().max(128).optional().meta({ description: 'All platforms by default.' }),
    state: deliveryState.optional(),
    ...pageQuery,
    cursor: z
      .string()
      .regex(/^evt_[0-9a-z]{26}$/)
      .optional()
      .meta({ description: 'The `next_cursor` of the previous page.' }),
  }),
  fieldErrors: { cursor: 'invalid_cursor' },
  success: { status: 200, description: 'A page of deliveries.', schema: deliveryPage },
});

export const getOwnDelivery = operation({
  method: 'get',
  path: '/v1/events/{id}/delivery',
  id: 'getOwnDelivery',
  tag: 'Events',
  summary: 'Look up the delivery of an event and its attempts',
  description:
    'Shows the body that was sent and, for each attempt, the first 1 KiB of the response. Kept for 90 days.',
  access: 'merchant',
  scope: 'events:read',
  params: eventParams,
  success: { status: 200, description: 'The delivery and its attempts.', schema: deliveryLog },
  errors: ['event_not_found'],
});

export const resendOwnEvent = operation({
  method: 'post',
  path: '/v1/events/{id}/resend',
  id: 'resendOwnEvent',
  tag: 'Events',
  summary: 'Send an event again',
  description: 'Sends the event with the same id and body in any state, and restarts its retry schedule.',
  access: 'merchant',
  scope: 'events:read',
  params: eventParams,
  idempotency: 'honoured',
  success: { status: 200, description: 'The delivery, which is due now.', schema: deliveryLog },
  errors: ['event_not_found'],
});
