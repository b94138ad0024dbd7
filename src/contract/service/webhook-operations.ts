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
import { anyEvent, eventPage, eventTypes } from './event.ts';
import { pageQuery } from './field.ts';
import { cursorField, idParam, merchantParam, operation } from './operation.ts';

const eventParams = idParam('The event.', 'evt_01k5n8c0');
/** Returns the name of a mode for the audit log. */
const getMode = (livemode: boolean) => (livemode ? 'live' : 'test');
const platformId = z
  .string()
  .max(128)
  .optional()
  .meta({ description: "The merchant's first platform by default." });

const resend = {
  summary: 'Send an event again',
  description: 'Sends the event with the same id and body in any state, and restarts its retry schedule.',
  params: eventParams,
  success: { description: 'The delivery, which is due now.', schema: deliveryLog },
  errors: ['event_not_found'] as const,
};

/** The operations of merchants on their events and deliveries. */
export const eventOperations = {
  listEvents: operation('get /v1/events', 'Events', {
    summary: 'List events, newest first',
    description:
      'Returns the events of the last 90 days, delivered or not, of all platforms of the merchant in the mode of the ' +
      'key. Use it to catch up after missed deliveries.',
    scope: 'events:read',
    query: z.strictObject({
      type: z.enum(eventTypes).optional(),
      session_id: z.string().max(128).optional().meta({ example: 'pay_01k5n8c0' }),
      ...pageQuery,
      cursor: cursorField(/^evt_[0-9a-z]{26}$/),
    }),
    fieldErrors: { cursor: 'invalid_cursor' },
    success: { description: 'A page of events.', schema: eventPage },
  }),
  getEvent: operation('get /v1/events/{id}', 'Events', {
    summary: 'Look up an event',
    description: 'Returns the delivered body, byte for byte.',
    scope: 'events:read',
    params: eventParams,
    success: { description: 'The event.', schema: anyEvent },
    errors: ['event_not_found'],
  }),
  listOwnDeliveries: operation('get /v1/deliveries', 'Events', {
    summary: 'List events with the state of their delivery, newest first',
    description:
      'Returns the deliveries of all platforms of the merchant in the mode of the key, for 90 days.',
    scope: 'events:read',
    query: z.strictObject({
      session_id: z.string().max(128).optional().meta({ example: 'pay_01k5n8c0' }),
      platform_id: z.string().max(128).optional().meta({ description: 'All platforms by default.' }),
      state: deliveryState.optional(),
      ...pageQuery,
      cursor: cursorField(/^evt_[0-9a-z]{26}$/),
    }),
    fieldErrors: { cursor: 'invalid_cursor' },
    success: { description: 'A page of deliveries.', schema: deliveryPage },
  }),
  getOwnDelivery: operation('get /v1/events/{id}/delivery', 'Events', {
    summary: 'Look up the delivery of an event and its attempts',
    description:
      'Shows the body that was sent and, for each attempt, the first 1 KiB of the response. Kept for 90 days.',
    scope: 'events:read',
    params: eventParams,
    success: { description: 'The delivery and its attempts.', schema: deliveryLog },
    errors: ['event_not_found'],
  }),
  resendOwnEvent: operation('post /v1/events/{id}/resend', 'Events', { ...resend, scope: 'events:read' }),
};

/** The operations of the admin API on webhook endpoints and deliveries. */
export const webhookOperations = {
  listWebhooks: operation('get /backoffice/merchants/{id}/webhooks', 'Webhooks', {
    summary: 'List the webhook endpoints of all platforms and both modes',
    description: 'Shows which endpoints fail or are disabled.',
    params: merchantParam,
    query: z.strictObject(pageQuery),
    success: {
      description: 'A page of endpoints, by platform, without their signing secrets.',
      schema: webhookEndpointPage,
    },
    errors: ['merchant_not_found'],
  }),
  setWebhook: operation('put /backoffice/merchants/{id}/webhook', 'Webhooks', {
    summary: 'Set the webhook URL of a platform',
    description:
      'Without `secret`, the current signing secret stays, or a new one is generated. Setting the URL, also the same ' +
      'one again, enables a disabled endpoint: the events that were not sent meanwhile are sent.',
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
    success: { description: 'The URL and its signing secret.', schema: webhook },
    errors: ['merchant_not_found', 'platform_not_found', 'private_url'],
  }),
  rotateSigningSecret: operation('post /backoffice/merchants/{id}/webhook/rotate', 'Webhooks', {
    summary: 'Rotate a signing secret',
    description: 'For 24 hours, unless configured otherwise, deliveries carry a signature of both secrets.',
    params: merchantParam,
    body: z.strictObject({ livemode, platform_id: platformId }).meta({ id: 'SecretRotation' }),
    examples: { test: { livemode: false } },
    secretResponse: true,
    auditSubject: (body, { platform_id }) => [platform_id, getMode(body.livemode)],
    success: { description: 'The new secret.', schema: signingSecret },
    errors: ['merchant_not_found', 'platform_not_found', 'endpoint_not_found'],
  }),
  listDeliveries: operation('get /backoffice/merchants/{id}/deliveries', 'Webhooks', {
    summary: 'List events with the state of their delivery, newest first',
    description: 'Returns the events of one merchant and mode.',
    params: merchantParam,
    query: z.strictObject({
      livemode: z.enum(['true', 'false']).optional().meta({ description: '`false` by default.' }),
      platform_id: z.string().max(128).optional().meta({ description: 'All platforms by default.' }),
      state: deliveryState.optional(),
      ...pageQuery,
    }),
    success: { description: 'A page of deliveries.', schema: deliveryPage },
  }),
  getDelivery: operation('get /backoffice/events/{id}', 'Webhooks', {
    summary: 'Look up the delivery of an event and its attempts',
    description: 'Shows when each attempt was made, and how it ended.',
    params: eventParams,
    success: { description: 'The delivery and its attempts.', schema: deliveryLog },
    errors: ['event_not_found'],
  }),
  resendEvent: operation('post /backoffice/events/{id}/resend', 'Webhooks', resend),
};
