import { z } from 'zod';
import { merchantScopes } from '../merchant/merchant-api.ts';
import { notificationTypes } from '../merchant/notification.ts';

/*
 * Notification endpoints in the gateway's API for support staff. Times are RFC 3339.
 */

const time = z.iso.datetime();

export const endpointUrl = z
  .string('expected a URL')
  .max(500, 'expected a URL of at most 500 characters')
  .refine(
    (text) => URL.canParse(text) && !/[@#]/.test(text),
    'expected a URL such as https://shop.example/hooks',
  );

export const addEndpointInput = z.strictObject({
  merchantId: z.string('expected the id of a merchant').min(1).max(64),
  url: endpointUrl,
  /** True when notifications contain whole phone numbers. */
  wholePayer: z.boolean('expected true or false').default(false),
});

/** A field that is not given stays as it is. */
export const changeEndpointInput = z.strictObject({
  url: endpointUrl.optional(),
  wholePayer: z.boolean('expected true or false').optional(),
  enabled: z.literal(true, 'expected true').optional(),
});

export const endpointView = z.object({
  id: z.string(),
  merchantId: z.string(),
  url: z.string(),
  wholePayer: z.boolean(),
  createdAt: time,
  state: z.enum(['active', 'failing', 'disabled']),
  /** Since when every delivery has failed; null after a success. */
  failingSince: time.nullable(),
  disabledAt: time.nullable(),
  disabledReason: z.string().nullable(),
  /** Until when the secret before the last rotation signs too; null when only one signs. */
  previousSecretUntil: time.nullable(),
});

export type EndpointView = z.infer<typeof endpointView>;

/** Complete: a merchant has a few endpoints. */
export const endpointList = z.object({ data: z.array(endpointView), total: z.int(), next: z.null() });
export type EndpointList = z.infer<typeof endpointList>;

/** The secret is shown once. */
export const endpointSecret = z.object({ endpoint: endpointView, secret: z.string() });

export const testAnswer = z.object({ endpointId: z.string(), eventId: z.string() });

const attemptView = z.object({
  number: z.int(),
  at: time,
  durationMs: z.int(),
  status: z.int().nullable(),
  error: z.string().nullable(),
  /** The beginning of the answer, at most 1 KiB. */
  answer: z.string().nullable(),
});

const deliveryView = z.object({
  endpointId: z.string(),
  eventId: z.string(),
  type: z.enum(notificationTypes),
  paymentId: z.string().nullable(),
  at: time,
  state: z.enum(['waiting', 'delivered', 'failed', 'cancelled']),
  nextAt: time.nullable(),
  body: z.string(),
  /** The last attempts, newest first. */
  attempts: z.array(attemptView),
});

export type DeliveryView = z.infer<typeof deliveryView>;

const limit = z.coerce.number('expected a number').int().min(1).max(100);

export const listDeliveriesInput = z.strictObject({
  limit: limit.default(20),
  /** The last event of the page before. */
  after: z.string().max(80).optional(),
});

export const deliveryList = z.object({ data: z.array(deliveryView), next: z.string().nullable() });

export const resendInput = z.strictObject({ eventId: z.string('expected the id of an event').max(80) });

const at = z.iso.datetime('expected a time such as 2026-03-06T00:00:00Z');

/** Payments that were opened from `from` (included) to `to` (not included). */
export const replayInput = z.strictObject({
  from: at,
  to: at,
  /** Only what the endpoint has not accepted. */
  undelivered: z.boolean('expected true or false').default(false),
  /** `next` of the previous call. */
  after: z.string().max(80).optional(),
});

/** `next` is null when the range is complete. */
export const replayAnswer = z.object({ payments: z.int(), next: z.string().nullable() });

/*
 * The keys of merchants' own systems in the gateway's API for support staff. Times are RFC 3339.
 */

const scopes = z
  .array(z.enum(merchantScopes, `expected some of ${merchantScopes.join(', ')}`))
  .min(1, 'expected at least one scope');

export const createKeyInput = z.strictObject({
  merchantId: z.string('expected the id of a merchant').min(1).max(64),
  scopes,
});

export const merchantKeyView = z.object({
  id: z.string(),
  merchantId: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
  /** To the minute; null before the first use. */
  lastUsedAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
});

export type MerchantKeyView = z.infer<typeof merchantKeyView>;

/** Complete: a merchant has a few keys. */
export const merchantKeyList = z.object({ data: z.array(merchantKeyView), total: z.int(), next: z.null() });
export type MerchantKeyList = z.infer<typeof merchantKeyList>;

/** The key is shown once. */
export const merchantKeySecret = z.object({ key: merchantKeyView, secret: z.string() });
