import { z } from 'zod';
import { maxAmountMinor } from '../../shared/money.ts';
import { eventTypes } from './event.ts';
import { anyAmountMinor, chargeMinor, pageSchema, time } from './field.ts';
import {
  channels,
  offlineSession,
  refund,
  reviewDescription,
  reviewReasons,
  reviewResolutions,
  sessionReview,
  webSession,
} from './session.ts';

/*
 * The admin API as the service accepts and returns it. The service answers with these schemas, and its OpenAPI
 * document is generated from them. `dialtill service` reads the answers with `tolerant(schema)`.
 */

/** The rights of a key. The interface names the first scope; the others are the service's own. */
export const scopes = ['collections:offline', 'collections:web', 'sessions:read', 'events:read'] as const;
export type KeyScope = (typeof scopes)[number];

/** Returns the scopes of a key whose request names none. A test key also creates web sessions and codes: it charges no payer. */
export function defaultScopes(isLive: boolean): readonly KeyScope[] {
  return isLive ? ['collections:offline'] : ['collections:offline', 'collections:web'];
}

export const livemode = z.boolean().meta({ description: 'false for test, true for live.' });

export const merchant = z
  .object({ id: z.string(), name: z.string(), offline_approved_at: time.nullable(), created_at: time })
  .meta({ id: 'Merchant' });
export type MerchantView = z.infer<typeof merchant>;
export const merchantPage = pageSchema(merchant).meta({ id: 'MerchantPage' });

export const platform = z
  .object({ id: z.string(), merchant_id: z.string(), name: z.string(), created_at: time })
  .meta({ id: 'Platform' });
export type PlatformView = z.infer<typeof platform>;
export const platformPage = pageSchema(platform).meta({ id: 'PlatformPage' });

const key = z
  .object({
    id: z.string(),
    platform_id: z.string(),
    livemode: z.boolean(),
    ending: z.string().meta({ description: 'The last four characters of the key.' }),
    scopes: z.array(z.enum(scopes)),
    created_at: time,
    last_used_at: time.nullable(),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'Key' });
export type Key = z.infer<typeof key>;
export const keyPage = pageSchema(key).meta({ id: 'KeyPage' });

const secretKey = z.string().meta({ description: 'Shown only in this response.', example: 'sk_test_…' });
export const createdKey = z.object({ id: z.string(), key: secretKey }).meta({ id: 'CreatedKey' });
export const rotatedKey = z
  .object({ id: z.string(), key: secretKey, old_key_expires_at: time })
  .meta({ id: 'RotatedKey' });
export const revokedKey = z.object({ id: z.string(), revoked: z.literal(true) }).meta({ id: 'RevokedKey' });

/** Hundredths of a percent. */
export const basisPoints = z.int().min(0).max(10_000);
/** A part of a fee, in pesewas. */
export const feePartMinor = z.int().min(0).max(maxAmountMinor);
export const maxFeeBands = 20;

const feeRate = {
  basis_points: basisPoints.meta({
    description: "Hundredths of a percent of the goods' value, rounded half up to a pesewa.",
    example: 150,
  }),
  fixed_minor: feePartMinor.optional().meta({ description: 'Pesewas that are added to the share.' }),
};

/** Used in requests and responses. It is strict, so an unknown field of a request is an error. */
export const feeSchedule = z
  .strictObject({
    ...feeRate,
    floor_minor: feePartMinor.optional().meta({ description: 'The minimum fee.' }),
    cap_minor: feePartMinor.optional().meta({ description: 'The maximum fee.' }),
    bands: z
      .array(z.strictObject({ up_to_minor: chargeMinor, ...feeRate }))
      .max(maxFeeBands)
      .optional()
      .meta({
        description:
          'In ascending order. The first band whose `up_to_minor` is at least the value of the goods sets the rate ' +
          "for the whole amount. Above all bands, the schedule's own rate applies.",
      }),
  })
  .meta({ id: 'FeeSchedule' });
export type FeeScheduleBody = z.infer<typeof feeSchedule>;

export const fee = z
  .object({
    channel: z.enum(channels),
    overridden: z.boolean().meta({ description: 'Whether the schedule was set for this merchant.' }),
    schedule: feeSchedule,
  })
  .meta({ id: 'Fee' });
export type Fee = z.infer<typeof fee>;
export const feePage = pageSchema(fee).meta({ id: 'FeePage' });

export const sender = z.object({ name: z.string(), approved_at: time }).meta({ id: 'Sender' });
export type SenderView = z.infer<typeof sender>;
export const senderPage = pageSchema(sender).meta({ id: 'SenderPage' });
export const removedSender = z
  .object({ name: z.string(), removed: z.literal(true) })
  .meta({ id: 'RemovedSender' });

export const webhookEndpoint = z
  .object({
    platform_id: z.string(),
    livemode: z.boolean(),
    url: z.string(),
    created_at: time,
    failing_since: time.nullable().meta({
      description:
        'The first of the consecutive failures. A pause longer than the longest retry wait starts a new count.',
    }),
    disabled_at: time.nullable().meta({ description: 'Nothing is sent until the URL is set again.' }),
    secret_overlap_until: time.nullable().meta({
      description: 'After a rotation: until when deliveries also carry a signature of the previous secret.',
    }),
  })
  .meta({ id: 'WebhookEndpoint' });
export type WebhookEndpoint = z.infer<typeof webhookEndpoint>;
export const webhookEndpointPage = pageSchema(webhookEndpoint).meta({ id: 'WebhookEndpointPage' });

/** An endpoint with its signing secret. */
export const webhook = z
  .object({ platform_id: z.string(), livemode: z.boolean(), url: z.string(), secret: z.string() })
  .meta({ id: 'Webhook' });
export const signingSecret = z
  .object({ platform_id: z.string(), secret: z.string() })
  .meta({ id: 'SigningSecret' });

const deliveryStates = ['waiting', 'delivered', 'given_up', 'no_endpoint', 'endpoint_disabled'] as const;
export const deliveryState = z.enum(deliveryStates).meta({
  description:
    '`waiting`: the next attempt is scheduled. `delivered`: an attempt was answered with 2xx. `given_up`: the last ' +
    'attempt of the plan failed. `no_endpoint`, `endpoint_disabled`: stored, not sent.',
});

export const delivery = z
  .object({
    event_id: z.string().meta({ example: 'evt_01k5n8c0' }),
    type: z.enum(eventTypes),
    session_id: z.string(),
    platform_id: z.string(),
    livemode: z.boolean(),
    state: deliveryState,
    attempts: z.int().min(0).meta({ description: 'All attempts that were started.' }),
    created_at: time,
    last_attempt_at: time.nullable(),
    last_status: z.int().nullable().meta({ description: 'HTTP status of the last response.' }),
    last_error: z.string().nullable().meta({
      description: 'If there was no response: `timeout`, `connection`, `address_refused`.',
    }),
    next_attempt_at: time.nullable(),
  })
  .meta({ id: 'Delivery' });
export type EventDelivery = z.infer<typeof delivery>;

const deliveryAttempt = z
  .object({
    number: z.int().min(1),
    started_at: time,
    duration_ms: z.int().min(0),
    status: z.int().nullable(),
    error: z.string().nullable(),
    url: z.string(),
    response_body: z.string().nullable().meta({
      description: 'The first 1 KiB of the response, as text; null without one.',
      example: '{"received":true}',
    }),
  })
  .meta({ id: 'DeliveryAttempt' });

export const deliveryLog = delivery
  .extend({
    request_body: z.string().meta({
      description: 'The body of every attempt, byte for byte.',
      example: '{"id":"evt_01k5n8c0","type":"payment.session.paid"}',
    }),
    attempts_log: z.array(deliveryAttempt).meta({
      description:
        'The last 100 attempts, oldest first. An attempt that a crash or a stop interrupted has a number, but no ' +
        'entry.',
    }),
  })
  .meta({ id: 'DeliveryLog' });
export const deliveryPage = pageSchema(delivery).meta({ id: 'DeliveryPage' });
export type DeliveryLog = z.infer<typeof deliveryLog>;

const adminFields = {
  merchant_id: z.string(),
  platform_id: z.string(),
  livemode: z.boolean(),
  held: z.boolean().meta({ description: 'Whether the session waits for the decision of its review.' }),
  review: sessionReview
    .extend({ note: z.string().optional().meta({ description: 'For staff; merchants do not see it.' }) })
    .optional()
    .meta({ description: reviewDescription }),
};

/** A session of any merchant: the fields that its merchant sees, the merchant, and the notes of support staff. */
export const adminSession = z
  .union([
    offlineSession.extend(adminFields).meta({ id: 'AdminOfflineSession' }),
    webSession.extend(adminFields).meta({ id: 'AdminWebSession' }),
  ])
  .meta({ id: 'AdminSession' });
export type AdminSession = z.infer<typeof adminSession>;
export const adminSessionPage = pageSchema(adminSession).meta({ id: 'AdminSessionPage' });

export const sessionPrompt = z
  .object({
    id: z.string(),
    status: z.enum(['pending', 'approved', 'declined', 'failed', 'expired']),
    amount_minor: z.int().min(1).meta({ description: 'The amount that the prompt shows.' }),
    charged_minor: anyAmountMinor.meta({ description: "The amount that the payer's wallet was charged." }),
    created_at: time,
    closed_at: time.nullable(),
  })
  .meta({ id: 'SessionPrompt' });
export type SessionPrompt = z.infer<typeof sessionPrompt>;

/** A session with its prompts and its events. */
export const sessionRecord = z
  .object({ session: adminSession, prompts: z.array(sessionPrompt), events: z.array(delivery) })
  .meta({ id: 'SessionRecord' });

export const review = z
  .object({
    session_id: z.string(),
    merchant_id: z.string(),
    livemode: z.boolean(),
    reason: z.enum(reviewReasons),
    paid_minor: z.int().min(1).meta({ description: 'The amount that the rail charged.' }),
    paid_at: time,
    opened_at: time,
    resolution: z.enum(reviewResolutions).optional(),
    resolved_at: time.optional(),
    note: z.string().optional(),
    refund: refund.optional().meta({ description: 'Present if the review was rejected.' }),
  })
  .meta({ id: 'Review' });
export type ServiceReview = z.infer<typeof review>;
export const reviewPage = pageSchema(review).meta({ id: 'ReviewPage' });

export const testClock = z
  .object({
    now: time,
    advanced_ms: z.int().min(0).meta({ description: 'How far the clock was advanced in total.' }),
  })
  .meta({ id: 'TestClock' });

export const action = z
  .object({
    id: z.string(),
    at: time,
    request_id: z
      .string()
      .meta({ description: 'The request that did it; also in the `Request-Id` header of its response.' }),
    action: z
      .string()
      .meta({ description: 'The id of the operation in this document.', example: 'createKey' }),
    subject: z.string().meta({
      description: 'What the action changed, from the whole to the part.',
      example: 'mch_01k5n8c0/key_01k5n8c0',
    }),
  })
  .meta({ id: 'Action' });
export type Action = z.infer<typeof action>;
export const actionPage = pageSchema(action).meta({ id: 'ActionPage' });
