import { z } from 'zod';
import { decidedReasons, listNames, paymentReviews, unpaidReasons } from './payment-reason.ts';

/** Every type of a notification. `endpoint.test` is sent on request, and is about no payment. */
export const notificationTypes = [
  'payment.opened',
  'payment.paid',
  'payment.not_paid',
  'payment.unknown',
  'payment.review_opened',
  'payment.review_closed',
  'payment.corrected',
  'endpoint.test',
] as const;

export type NotificationType = (typeof notificationTypes)[number];
export type PaymentEventType = Exclude<NotificationType, 'endpoint.test'>;

/** Where a payment is, as its merchant sees it. `review`: a person must decide about its money. */
const paymentStatuses = ['open', 'paid', 'not_paid', 'review'] as const;

/** A value that a payer typed or chose under a name of the menu, with the label of that name at that time. */
export const paymentAnswers = z.array(
  z.strictObject({ name: z.string(), label: z.string(), value: z.string() }),
);
export type AnswerView = z.infer<typeof paymentAnswers>[number];

/** A payment as its merchant's system sees it. Amounts are in pesewas, times in ISO 8601 and UTC. */
export const payment = z
  .strictObject({
    id: z.string(),
    /** Number of recorded changes. Ignore a notification with a lower one than you have processed. */
    sequence: z.int(),
    status: z.enum(paymentStatuses),
    /** False while only an event reports the payment, and no status check has agreed. */
    confirmed: z.boolean(),
    reason: z
      .string()
      .nullable()
      .describe(
        `Why the payment ended unpaid: ${listNames(unpaidReasons)}. Of a payment that a decision has ended: ` +
          `${listNames(decidedReasons)}. In review, the same as \`review\`; otherwise null. A newer service can have more reasons.`,
      ),
    review: z
      .string()
      .nullable()
      .describe(`Why a person must decide: ${listNames(paymentReviews)}. Null when no review is open.`),
    /** True when the payer was allowed to retry before the payment was proven. */
    late: z.boolean(),
    livemode: z.boolean(),
    merchant: z.string(),
    channel: z.string(),
    reference: z.string().describe('A phone number in it is masked as the payer is.'),
    short_reference: z.string(),
    answers: paymentAnswers.describe(
      'What the payer typed and chose under names of the menu, in that order. After 20, one named `(more)` counts the others. ' +
        'Phone numbers in a `value` are masked as the payer is. Empty once retention has deleted the dialogue.',
    ),
    /** The payment that this one repeats; null without one. */
    retry_of: z.string().nullable(),
    /** The payer's number, masked unless whole numbers are allowed. */
    payer: z.string(),
    network: z.string(),
    currency: z.literal('GHS'),
    /** The amount without the fee. */
    price_minor: z.int(),
    /** Null until the payment service has quoted or reported them. */
    fee_minor: z.int().nullable(),
    amount_minor: z.int().nullable(),
    net_minor: z.int().nullable(),
    opened_at: z.string(),
    /** The time that the payment service reports; null unless money has arrived. */
    paid_at: z.string().nullable(),
    closed_at: z.string().nullable(),
  })
  .meta({ id: 'Payment' });

export type PaymentView = z.infer<typeof payment>;

/** The body of a notification, below 8 kB. */
export const notificationBody = z.strictObject({
  type: z.enum(notificationTypes),
  /** When the change was recorded. */
  timestamp: z.string(),
  data: z.union([payment, z.strictObject({ endpoint: z.string() })]),
});
