import { z } from '@hono/zod-openapi';
import { eventTypes } from '../../contract/event.ts';
import type { Event } from '../event/event-store.ts';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { idParam, operation } from '../http/operation.ts';
import { isoTime } from '../http/time.ts';
import { scopes } from '../key/scope.ts';
import { time } from '../session/shapes.ts';
import { keyShape, keyView, maybeTime, merchantShape, merchantView } from './shapes.ts';
import type { BackOffice } from './verbs.ts';

const listLimit = 100;

const params = idParam('The merchant.', 'mch_01k5n8c0');
const keyParams = idParam('The key.', 'key_01k5n8c0');
const livemode = z.boolean().meta({ description: 'false for test, true for live.' });
const platformId = z
  .string()
  .max(128)
  .optional()
  .meta({ description: "The merchant's first platform when left out." });

const listMerchants = operation({
  method: 'get',
  path: '/backoffice/merchants',
  id: 'listMerchants',
  tag: 'Merchants',
  summary: 'List merchants in the order of their ids',
  access: 'admin',
  query: z.strictObject({ after: z.string().max(128).optional() }),
  success: {
    status: 200,
    description: 'At most 100.',
    schema: z.strictObject({ merchants: z.array(merchantShape) }).meta({ id: 'Merchants' }),
  },
});

const createMerchant = operation({
  method: 'post',
  path: '/backoffice/merchants',
  id: 'createMerchant',
  tag: 'Merchants',
  summary: 'Create a merchant',
  access: 'admin',
  body: z.strictObject({ name: z.string().trim().min(1).max(100) }).meta({ id: 'NewMerchant' }),
  examples: { merchant: { name: 'Abena Stores' } },
  idempotency: 'honoured',
  success: { status: 201, description: 'With a first platform, not yet approved.', schema: merchantShape },
});

const approve = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/approve-offline',
  id: 'approveOffline',
  tag: 'Merchants',
  summary: 'Approve a merchant for offline collections',
  access: 'admin',
  params,
  idempotency: 'honoured',
  success: { status: 200, description: 'The merchant.', schema: merchantShape },
  refuses: ['merchant_not_found'],
});

const listKeys = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/keys',
  id: 'listKeys',
  tag: 'Keys',
  summary: 'List the newest 100 keys',
  access: 'admin',
  params,
  success: {
    status: 200,
    description: 'Never the keys themselves.',
    schema: z.strictObject({ keys: z.array(keyShape) }).meta({ id: 'Keys' }),
  },
});

const madeKey = z.strictObject({ id: z.string(), key: z.string() }).meta({ id: 'MadeKey' });

const createKey = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/keys',
  id: 'createKey',
  tag: 'Keys',
  summary: 'Create a secret key',
  description: 'The key is shown in this answer and never again.',
  access: 'admin',
  params,
  body: z
    .strictObject({
      livemode,
      platform_id: platformId,
      scopes: z.array(z.enum(scopes)).max(16).optional().meta({ description: 'Every scope when left out.' }),
    })
    .meta({ id: 'NewKey' }),
  examples: { test: { livemode: false } },
  codes: { scopes: 'invalid_scope' },
  idempotency: 'honoured',
  secretAnswer: true,
  success: { status: 201, description: 'The key.', schema: madeKey },
  refuses: ['merchant_not_found', 'platform_not_found', 'live_mode_off'],
});

const revokeKey = operation({
  method: 'post',
  path: '/backoffice/keys/{id}/revoke',
  id: 'revokeKey',
  tag: 'Keys',
  summary: 'Revoke a key at once',
  access: 'admin',
  params: keyParams,
  idempotency: 'honoured',
  success: {
    status: 200,
    description: 'It is refused from now on.',
    schema: z.strictObject({ id: z.string(), revoked: z.literal(true) }).meta({ id: 'RevokedKey' }),
  },
  refuses: ['key_not_found'],
});

const webhookShape = z
  .strictObject({ url: z.string(), livemode: z.boolean(), secret: z.string() })
  .meta({ id: 'Webhook' });

const setWebhook = operation({
  method: 'put',
  path: '/backoffice/merchants/{id}/webhook',
  id: 'setWebhook',
  tag: 'Webhooks',
  summary: 'Set where events go',
  description: 'Without `secret` the current signing secret stays, or one is made.',
  access: 'admin',
  params,
  body: z
    .strictObject({ livemode, platform_id: platformId, url: z.string(), secret: z.string().optional() })
    .meta({ id: 'NewWebhook' }),
  codes: { url: 'invalid_url', secret: 'invalid_secret' },
  success: { status: 200, description: 'URL and signing secret.', schema: webhookShape },
  refuses: ['merchant_not_found', 'platform_not_found', 'private_url'],
});

const rotateWebhook = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/webhook/rotate',
  id: 'rotateSigningSecret',
  tag: 'Webhooks',
  summary: 'Put a new signing secret in place',
  description: 'For 24 hours deliveries carry a signature of each.',
  access: 'admin',
  params,
  body: z.strictObject({ livemode, platform_id: platformId }).meta({ id: 'SecretRotation' }),
  idempotency: 'honoured',
  secretAnswer: true,
  success: {
    status: 200,
    description: 'The new secret.',
    schema: z.strictObject({ secret: z.string() }).meta({ id: 'SigningSecret' }),
  },
  refuses: ['merchant_not_found', 'platform_not_found', 'endpoint_not_found'],
});

const deliveryShape = z
  .strictObject({
    event_id: z.string(),
    type: z.enum(eventTypes),
    session_id: z.string(),
    state: z.enum(['waiting', 'delivered', 'given_up', 'no_endpoint', 'endpoint_disabled']),
    attempts: z.int(),
    created_at: time,
    last_attempt_at: time.nullable(),
    last_status: z.int().nullable(),
    last_error: z.string().nullable(),
    next_attempt_at: time.nullable(),
  })
  .meta({ id: 'Delivery' });

const listDeliveries = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/deliveries',
  id: 'listDeliveries',
  tag: 'Webhooks',
  summary: 'List events and how their delivery stands, newest first',
  access: 'admin',
  params,
  query: z.strictObject({
    livemode: z.enum(['true', 'false']).optional(),
    before: z.string().max(128).optional(),
  }),
  success: {
    status: 200,
    description: 'At most 100.',
    schema: z.strictObject({ deliveries: z.array(deliveryShape) }).meta({ id: 'Deliveries' }),
  },
});

/** The back office's JSON API, behind the admin token. */
export function backOfficeRoutes(serve: Endpoints, verbs: BackOffice): void {
  serve.admin(listMerchants, async ({ query: { after } }) => {
    const merchants = await verbs.listMerchants({ limit: listLimit, after });
    return answer(200, { merchants: merchants.map(merchantView) });
  });
  serve.admin(createMerchant, async ({ body }) =>
    answer(201, merchantView(await verbs.createMerchant(body))),
  );
  serve.admin(approve, async ({ params: { id } }) => {
    const merchant = await verbs.approveOffline(id);
    return merchant.kind === 'refused' ? merchant : answer(200, merchantView(merchant));
  });

  serve.admin(listKeys, async ({ params: { id } }) =>
    answer(200, { keys: (await verbs.listKeys(id, listLimit)).map(keyView) }),
  );
  serve.admin(createKey, async ({ params: { id: merchantId }, body }) => {
    const { livemode, platform_id: platformId, scopes } = body;
    const made = await verbs.createKey({ merchantId, platformId, livemode, scopes });
    return made.kind === 'refused' ? made : answer(201, { id: made.id, key: made.key });
  });
  serve.admin(revokeKey, async ({ params: { id } }) => {
    const done = await verbs.revokeKey(id);
    return done.kind === 'refused' ? done : answer(200, { id, revoked: true });
  });

  serve.admin(setWebhook, async ({ params: { id: merchantId }, body }) => {
    const { livemode, platform_id: platformId, url, secret } = body;
    const set = await verbs.setWebhook({ merchantId, platformId, livemode, url, secret });
    return set.kind === 'refused' ? set : answer(200, { url, livemode, secret: set.secret });
  });
  serve.admin(rotateWebhook, async ({ params: { id: merchantId }, body }) => {
    const { livemode, platform_id: platformId } = body;
    const rotated = await verbs.rotateSecret({ merchantId, platformId, livemode });
    return rotated.kind === 'refused' ? rotated : answer(200, { secret: rotated.secret });
  });
  serve.admin(listDeliveries, async ({ params: { id: merchantId }, query }) => {
    const livemode = query.livemode === 'true';
    const events = await verbs.listDeliveries({
      merchantId,
      livemode,
      limit: listLimit,
      before: query.before,
    });
    return answer(200, { deliveries: events.map(deliveryView) });
  });
}

function deliveryView(event: Event): z.infer<typeof deliveryShape> {
  return {
    event_id: event.id,
    type: event.type,
    session_id: event.sessionId,
    state: event.state,
    attempts: event.attempts,
    created_at: isoTime(event.createdAt),
    last_attempt_at: maybeTime(event.lastAttemptAt),
    last_status: event.lastStatus,
    last_error: event.lastError,
    next_attempt_at: maybeTime(event.nextAt),
  };
}
