import { z } from 'zod';
import { anyAmountMinor, pageSchema, time } from './field.ts';
import { endReason, paidMinor, refund, reviewReasons, sessionAmounts, sessionId } from './session.ts';

/*
 * The webhook events as the service sends them. Receivers read with the tolerant schemas of reading.ts.
 */

export const eventTypes = {
  paid: 'payment.session.paid',
  failed: 'payment.session.failed',
  reviewAmountMismatch: 'payment.session.review_amount_mismatch',
  refundSettled: 'payment.session.refund_settled',
} as const;

/** Request headers of a delivery. A service may sign under its own header name; this one is the default. */
export const eventIdHeader = 'service-event-id';
export const signatureHeader = 'service-signature';

const session = {
  id: sessionId.meta({ description: 'The session, prefix `pay_`.', example: 'pay_01k5n8c0' }),
  reference: z
    .string()
    .optional()
    .meta({ description: "The merchant's reference, present if the request had one.", example: 'INV-7' }),
  client_trans_id: z.string().optional().meta({ description: 'The same as `reference`.', example: 'INV-7' }),
  ...sessionAmounts,
};

/** Data of `payment.session.paid`. The four amounts are those of the quote; `paid_minor` is what was paid. */
export const paidEventData = z.object({
  ...session,
  status: z.literal('paid'),
  paid_minor: paidMinor,
  paid_at: time,
});
export type PaidEventData = z.infer<typeof paidEventData>;

/** Data of `payment.session.failed`, which the interface leaves open. The status of an expired session is `expired`. */
export const failedEventData = z.object({
  ...session,
  status: z.enum(['failed', 'expired']),
  refund: refund.optional().meta({ description: 'Present if the reason is `amount_mismatch`.' }),
  reason: endReason,
});
export type FailedEventData = z.infer<typeof failedEventData>;

/** Data of `payment.session.review_amount_mismatch`, which the interface leaves open. */
export const reviewEventData = z.object({
  ...session,
  status: z.enum(['initiated', 'paid', 'failed', 'expired']),
  paid_minor: anyAmountMinor.meta({
    description: 'The amount that was charged. The other amounts are those of the quote.',
  }),
  paid_at: time,
  reason: z.enum(reviewReasons),
});
export type ReviewEventData = z.infer<typeof reviewEventData>;

/** Data of `payment.session.refund_settled`, which the interface does not name. The status of the session does not change. */
export const refundEventData = z.object({
  ...session,
  status: z.enum(['paid', 'failed', 'expired']),
  reason: z.enum(reviewReasons).meta({ description: 'Why the money was in review.' }),
  paid_at: time.meta({ description: 'When the returned money was charged.' }),
  refund: z.object({
    state: z.literal('settled'),
    amount_minor: anyAmountMinor.meta({ description: 'The amount that was returned to the payer.' }),
    reference: z
      .string()
      .meta({ description: 'The reference of the transfer to the payer.', example: 'MP26030' }),
    settled_at: time,
    settled_by: z.string().meta({ description: 'Who made the transfer.', example: 'Ama' }),
  }),
});
export type RefundEventData = z.infer<typeof refundEventData>;

function eventSchema<Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({
    id: z
      .string()
      .meta({ description: 'Prefix `evt_`; also in the header Service-Event-Id.', example: 'evt_01k5n8c0' }),
    type: z.literal(type),
    created_at: time,
    livemode: z.boolean().meta({ description: 'false for test, true for live.' }),
    data,
  });
}

export const paidEvent = eventSchema(eventTypes.paid, paidEventData).meta({
  id: 'PaidEvent',
  description: 'The session is paid.',
});

export const failedEvent = eventSchema(eventTypes.failed, failedEventData).meta({
  id: 'FailedEvent',
  description: 'The session failed, or it expired after it was initiated.',
});

export const reviewEvent = eventSchema(eventTypes.reviewAmountMismatch, reviewEventData).meta({
  id: 'ReviewEvent',
  description:
    'Money arrived that does not fit the session: another amount, money that was not due, or a second charge. A ' +
    'person decides.',
});

export const refundEvent = eventSchema(eventTypes.refundSettled, refundEventData).meta({
  id: 'RefundEvent',
  description: 'The money of a rejected review was returned to the payer.',
});

export const anyEvent = z.union([paidEvent, failedEvent, reviewEvent, refundEvent]).meta({ id: 'Event' });
export const eventPage = pageSchema(anyEvent).meta({ id: 'EventPage' });
