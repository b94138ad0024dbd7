import { z } from 'zod';
import { endpointUrl } from '../staff/merchant-system.ts';
import { blockRoles, staffText } from '../staff/staff.ts';
import { cursor, pageParameters, timeOfQuery } from './merchant-api.ts';
import { notificationTypes } from './notification.ts';

/*
 * The changes by merchants' own systems, and their reads besides payments, under `/merchant/v1`. Times are RFC 3339, amounts are pesewas.
 */

const { limit } = pageParameters;
const next = z.string().nullable();

export const noBody = z.strictObject({});

/** Whole numbers need a key with the scope `payers:read`. */
const wholePayer = z
  .boolean('expected true or false')
  .describe('Whether notifications contain whole numbers.');

export const newEndpoint = z.strictObject({ url: endpointUrl, whole_payer: wholePayer.default(false) });

export const changedEndpoint = z
  .strictObject({
    url: endpointUrl.optional(),
    whole_payer: wholePayer.optional(),
    enabled: z.literal(true, 'expected true').optional().describe('Enables a disabled endpoint.'),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'expected at least one field');

export const endpoint = z
  .strictObject({
    id: z.string(),
    url: z.string(),
    whole_payer: z.boolean(),
    created_at: timeOfQuery,
    state: z.enum(['active', 'failing', 'disabled']),
    failing_since: timeOfQuery.nullable(),
    disabled_at: timeOfQuery.nullable(),
    disabled_reason: z.string().nullable(),
    previous_secret_until: timeOfQuery.nullable(),
  })
  .meta({ id: 'Endpoint' });

export const endpointPage = z.strictObject({ data: z.array(endpoint) }).meta({ id: 'EndpointList' });
export const endpointWithSecret = z
  .strictObject({ endpoint, secret: z.string() })
  .meta({ id: 'EndpointWithSecret' });

/** An event that is being sent to an endpoint. `id` is that of its delivery. */
export const sentEvent = z
  .strictObject({ id: z.string(), endpoint: z.string(), event: z.string() })
  .meta({ id: 'SentEvent' });

export const deliveryQuery = z.strictObject({
  endpoint: z.string('expected the id of an endpoint').min(1).max(40).describe('The endpoint.'),
  limit,
  after: cursor.optional(),
});

export const notificationDelivery = z.strictObject({
  id: z.string(),
  endpoint: z.string(),
  event: z.string(),
  type: z.enum(notificationTypes),
  payment: z.string().nullable(),
  at: timeOfQuery,
  state: z.enum(['waiting', 'delivered', 'failed', 'cancelled']),
  next_at: timeOfQuery.nullable(),
  body: z.string(),
  attempts: z.array(
    z.strictObject({
      number: z.int(),
      at: timeOfQuery,
      duration_ms: z.int(),
      status: z.int().nullable(),
      error: z.string().nullable(),
      answer: z.string().nullable(),
    }),
  ),
});

export const notificationDeliveryPage = z
  .strictObject({ data: z.array(notificationDelivery), next })
  .meta({ id: 'DeliveryPage' });

export const replayBody = z.strictObject({
  endpoint: z.string('expected the id of an endpoint').min(1).max(40),
  from: timeOfQuery.describe('Payments that were opened at this time or later.'),
  to: timeOfQuery.describe('Payments that were opened before this time.'),
  failed_only: z.boolean('expected true or false').default(false),
  after: cursor.optional(),
});

export const replayed = z.strictObject({ payments: z.int(), next }).meta({ id: 'ReplayedEvents' });

export const checked = z
  .strictObject({ payment: z.string(), status: z.string(), poll_at: timeOfQuery })
  .meta({ id: 'CheckedPayment' });

export const noteBody = z.strictObject({ text: staffText });
export const noted = z
  .strictObject({ payment: z.string(), at: timeOfQuery, text: z.string() })
  .meta({ id: 'Note' });

const block = {
  msisdn: z.string('expected a number').max(20),
  role: z.enum(blockRoles, `expected one of ${blockRoles.join(', ')}`),
};
export const blockBody = z.strictObject({
  ...block,
  reason: staffText,
  until: timeOfQuery.nullable().default(null).describe('When the block ends by itself.'),
});
export const unblockBody = z.strictObject({ ...block, reason: staffText });
export const blocked = z
  .strictObject({
    msisdn: z.string(),
    role: z.enum(blockRoles),
    at: timeOfQuery,
    until: timeOfQuery.nullable(),
  })
  .meta({ id: 'Block' });
export const blockQueryParameters = z.strictObject({ limit, after: cursor.optional() });
/** `reason` and `by` (the id of a key) are null for a block by support staff, whose names and reasons are not the merchant's. */
export const blockPage = z
  .strictObject({
    data: z.array(
      z.strictObject({ ...blocked.shape, reason: z.string().nullable(), by: z.string().nullable() }),
    ),
    next,
  })
  .meta({ id: 'BlockPage' });

export const day = z
  .strictObject({
    date: z.string(),
    /** The day has ended, and each payment that was opened on it has its result. */
    complete: z.boolean(),
    opened: z.int(),
    open: z.int(),
    paid: z.int(),
    not_paid: z.int(),
    review: z.int(),
    /** Of the paid ones: what payers were charged, the fees, and what the merchant gets. */
    charged_minor: z.int(),
    fee_minor: z.int(),
    net_minor: z.int(),
  })
  .meta({ id: 'Day' });

export const unplacedQuery = z.strictObject({
  state: z.enum(['open', 'all']).default('open').describe('Those that wait for a decision, or all.'),
  limit,
  after: cursor.optional(),
});

export const merchantUnplacedPage = z
  .strictObject({
    data: z.array(
      z.strictObject({
        id: z.string(),
        state: z.string(),
        amount_minor: z.int().nullable(),
        suspended_minor: z.int(),
        payer: z.string().nullable(),
        reference: z.string().nullable(),
        reason: z.string(),
        payment: z.string().nullable(),
        paid_at: z.string().nullable(),
        received_at: timeOfQuery,
        closed_at: timeOfQuery.nullable(),
      }),
    ),
    next,
  })
  .meta({ id: 'UnplacedPage' });
