import { z } from 'zod';
import { notificationTypes, payment } from './notification.ts';

/** Every route of merchants' own systems is below this path. */
export const merchantApiPath = '/merchant/v1';

/** The rights of a key. `payers:read` shows whole phone numbers, `screens:read` the screens and inputs of payers. */
export const merchantScopes = [
  'payments:read',
  'payments:write',
  'events:read',
  'screens:read',
  'endpoints:write',
  'payers:read',
] as const;
export type MerchantScope = (typeof merchantScopes)[number];

export const cursor = z
  .string()
  .min(1, 'expected `next` of the previous page, found no value')
  .max(120)
  .describe('`next` of the previous page.');
/** A number of a query in digits only: `1e3` and an empty text are none. */
const digits = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((raw) => (typeof raw === 'string' && /^\d{1,15}$/.test(raw) ? Number(raw) : raw), schema);

const limitExpected = 'expected a whole number from 1 to 100';
/** Parameters of every page. */
export const pageParameters = {
  limit: digits(z.int(limitExpected).min(1, limitExpected).max(100, limitExpected))
    .default(50)
    .describe('Rows of the page: 50 by default.'),
};
const amountExpected = 'expected an amount in pesewas, in digits only: 2000 is GHS 20.00';
const amount = digits(z.int(amountExpected).min(0, amountExpected).max(1_000_000_000, amountExpected));
const given = (max: number) => z.string().min(1, 'expected a value, found none').max(max);
export const timeOfQuery = z.iso.datetime('expected a time such as 2026-03-06T00:00:00Z');

const { limit } = pageParameters;

export const paymentQuery = z.strictObject({
  limit,
  after: cursor.optional(),
  from: timeOfQuery.optional().describe('Opened at this time or later.'),
  to: timeOfQuery.optional().describe('Opened before this time.'),
  status: z
    .enum(['open', 'review', 'paid', 'not_paid'])
    .optional()
    .describe('`open`: without a result. `review`: a person must decide.'),
  reference: given(64)
    .optional()
    .describe(
      'The whole reference or short reference. One with a phone number needs the scope `payers:read`.',
    ),
  channel: given(64).optional().describe('The channel on which the payer dialled.'),
  network: given(32).optional().describe('The code of the network of the payer.'),
  reason: given(64)
    .optional()
    .describe('The `reason` or the `review` of the payment, by its name: see the fields of a payment.'),
  min: amount.optional().describe('The price is at least this, in pesewas.'),
  max: amount.optional().describe('The price is at most this, in pesewas.'),
  late: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether the payer was allowed to retry before the payment was proven.'),
});

export const eventQuery = z.strictObject({
  limit,
  after: cursor
    .optional()
    .describe(
      '`next` of the previous page, or the id of an event. `0` is before all events, and `end` after the newest.',
    ),
});

/** A change of a payment: the body of its notification, with its id. */
const paymentEvent = z.strictObject({
  id: z.string(),
  type: z.enum(notificationTypes),
  timestamp: timeOfQuery,
  data: payment,
});

export const paymentPage = z
  .strictObject({ data: z.array(payment), next: z.string().nullable() })
  .meta({ id: 'PaymentPage' });

/** One screen of the dialogue, and what the payer typed before it. */
const seenScreen = z.strictObject({
  at: timeOfQuery,
  input: z.string().nullable().describe('What the payer typed before; null when the dialogue starts.'),
  text: z.string(),
  ends: z.boolean().describe('Whether the session ended with it.'),
});

export const timelineView = z
  .strictObject({
    data: z.array(paymentEvent),
    screens: z
      .array(seenScreen)
      .nullable()
      .describe(
        'The dialogue that opened the payment; null when the key does not have the scope `screens:read`.',
      ),
  })
  .meta({ id: 'Timeline' });

/** `next` is never null: ask with it again later. */
export const paymentEventPage = z
  .strictObject({ data: z.array(paymentEvent), next: z.string() })
  .meta({ id: 'EventPage' });
