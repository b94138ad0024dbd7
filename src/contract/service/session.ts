import { z } from 'zod';
import { type SessionEndReason, sessionEndReasons } from './end-reason.ts';
import { anyAmountMinor, chargeMinor, msisdn, pageSchema, time } from './field.ts';

/*
 * The payment session as the service accepts and returns it. The service answers with these schemas, and its OpenAPI
 * document is generated from them. Clients read with the tolerant schemas of reading.ts.
 */

export const sessionStatuses = ['created', 'initiated', 'paid', 'failed', 'expired'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export const channels = ['web', 'ussd'] as const;
export type SessionChannel = (typeof channels)[number];

/** The mobile-money networks of Ghana. */
export const networks = ['mtn', 'telecel', 'at'] as const;
export type Network = (typeof networks)[number];

export const sessionId = z.string().meta({ description: 'Prefix `pay_`.', example: 'pay_01k5n8c0' });
const network = z.enum(networks).meta({ description: "The payer's mobile network.", example: 'mtn' });
const status = z.enum(sessionStatuses);
const payer = msisdn.meta({ description: "The payer's number, `233XXXXXXXXX`.", example: '233244123456' });
const goodsMinor = chargeMinor.meta({ description: 'The value of the goods, in pesewas.', example: 2000 });

const merchantReference = (description: string) =>
  z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,64}$/u)
    .meta({ description, example: 'INV-7' });

export const offlineSessionRequest = z
  .strictObject({
    mode: z.literal('offline'),
    msisdn: payer,
    amount_minor: goodsMinor,
    network,
    reference: merchantReference("The merchant's own reference. It need not be unique."),
  })
  .meta({ id: 'OfflineSessionRequest' });
export type OfflineSessionRequest = z.infer<typeof offlineSessionRequest>;

export const webSessionRequest = z
  .strictObject({
    mode: z.literal('web').optional().meta({ description: 'Default: `web`.' }),
    msisdn: payer,
    amount_minor: goodsMinor,
    network,
    otp_request_id: z
      .string()
      .max(128)
      .optional()
      .meta({ description: 'A verified OTP request for this number and amount.', example: 'otpr_01k5n8' }),
    client_trans_id: merchantReference("The merchant's own order reference.").optional(),
    reference: merchantReference('The same as `client_trans_id`. Send one of the two.').optional(),
  })
  .meta({ id: 'WebSessionRequest' });
export type WebSessionRequest = z.infer<typeof webSessionRequest>;

/** The amounts of a session and of its events. */
export const sessionAmounts = {
  goods_minor: anyAmountMinor.meta({ description: 'The value of the goods.', example: 2000 }),
  amount_minor: anyAmountMinor.meta({ description: 'What the payer is charged.', example: 2020 }),
  expected_fee_minor: anyAmountMinor.meta({ description: "The service's fee.", example: 20 }),
  expected_net_minor: anyAmountMinor.meta({ description: 'What the merchant receives.', example: 2000 }),
};

/** 201 of an offline create. */
export const offlineSessionCreated = z
  .object({
    id: sessionId,
    mode: z.literal('offline'),
    channel: z.literal('ussd'),
    network,
    ...sessionAmounts,
    status,
    reference: z.string(),
    payer_msisdn: z.string().meta({ description: 'In the local form.', example: '0244123456' }),
  })
  .meta({ id: 'OfflineSessionCreated' });

/** 201 of a web create. */
const webSessionCreated = z
  .object({
    id: sessionId,
    platform_id: z.string().meta({ description: 'Prefix `plt_`.' }),
    merchant_id: z.string().meta({ description: 'Prefix `mch_`.' }),
    channel: z.literal('web'),
    network,
    ...sessionAmounts,
    status,
    client_trans_id: z.string().optional().meta({ description: 'Present if the request had one.' }),
    otp_request_id: z.string().optional().meta({ description: 'Present if the request had one.' }),
    payer_msisdn: payer,
    created_at: time,
  })
  .meta({ id: 'WebSessionCreated' });

export const createdSession = z
  .union([offlineSessionCreated, webSessionCreated])
  .meta({ id: 'CreatedSession' });
export type CreatedSession = z.infer<typeof createdSession>;

const offlineSessionInitiated = z
  .object({
    id: sessionId,
    status: z.literal('initiated'),
    mode: z.literal('offline'),
    channel: z.literal('ussd'),
  })
  .meta({ id: 'OfflineSessionInitiated' });

const webSessionInitiated = z
  .object({ id: sessionId, status: z.literal('initiated'), initiated_at: time })
  .meta({ id: 'WebSessionInitiated' });

export const initiatedSession = z
  .union([offlineSessionInitiated, webSessionInitiated])
  .meta({ id: 'InitiatedSession' });
export type InitiatedSession = z.infer<typeof initiatedSession>;

/** Why money needs a decision: another amount, a session that was closed or not yet initiated, or a second charge. */
export const reviewReasons = ['paid_short', 'paid_over', 'late_approval', 'second_charge'] as const;

export const reviewResolutions = ['accepted', 'rejected'] as const;

export const reviewDescription =
  'Present if money arrived that does not fit the session. Of several reviews, the oldest open one; if none is ' +
  'open, the newest.';

export const paidMinor = anyAmountMinor.meta({
  description:
    'The amount that the payer was charged. It differs from `amount_minor` after an accepted review.',
  example: 2020,
});

/** A review as a status poll returns it, so that a client that receives no event learns of the money. */
const polledReview = z.object({
  state: z
    .enum(['open', ...reviewResolutions])
    .meta({ description: '`open` until a person has decided.', example: 'open' }),
  reason: z.enum(reviewReasons),
  paid_minor: anyAmountMinor.meta({ description: 'The amount that the rail charged.' }),
  paid_at: time,
});

/** Open: a newer service can have more reasons. */
export const endReason = z.string().meta({
  description: `Why the session failed or expired: ${sessionEndReasons.map((one) => `\`${one}\``).join(', ')}.`,
  example: 'declined' satisfies SessionEndReason,
});

/** The response to a status poll. The interface names the first five fields; the others are the service's own. */
export const sessionStatusPoll = z
  .object({
    id: sessionId,
    status,
    terminal: z.boolean().meta({ description: 'Whether the status is final.' }),
    paid_at: time.optional().meta({ description: 'Present if the session is paid.' }),
    retry_after_seconds: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'When to poll again; null if the status is final.' }),
    paid_minor: paidMinor.optional(),
    reason: endReason.optional(),
    review: polledReview.optional().meta({ description: reviewDescription }),
  })
  .meta({ id: 'SessionStatus' });
export type SessionStatusPoll = z.infer<typeof sessionStatusPoll>;

/** The obligation to return the money of a rejected review, and its settlement. */
export const refund = z
  .object({
    state: z.enum(['due', 'settled']),
    amount_minor: anyAmountMinor.meta({ description: 'The amount to return to the payer.' }),
    reference: z.string().optional().meta({ description: 'The reference of the transfer to the payer.' }),
    settled_at: time.optional(),
    settled_by: z.string().optional().meta({ description: 'Who made the transfer.', example: 'Ama' }),
  })
  .meta({ id: 'Refund' });

/** Money that does not fit its session, as the merchant sees it. */
export const sessionReview = z.object({
  reason: z.enum(reviewReasons),
  paid_minor: anyAmountMinor.meta({ description: 'The amount that the rail charged.' }),
  paid_at: time,
  opened_at: time,
  resolution: z.enum(reviewResolutions).optional(),
  resolved_at: time.optional(),
  refund: refund.optional().meta({ description: 'Present if the review was rejected.' }),
});

const history = {
  reason: endReason.optional(),
  created_at: time,
  initiated_at: time.optional(),
  paid_at: time.optional(),
  paid_minor: paidMinor.optional(),
  closed_at: time.optional(),
  review: sessionReview.optional().meta({ description: reviewDescription }),
};

export const offlineSession = offlineSessionCreated.extend(history).meta({ id: 'OfflineSession' });
export const webSession = webSessionCreated.extend(history).meta({ id: 'WebSession' });
export const session = z.union([offlineSession, webSession]).meta({ id: 'Session' });
export type Session = z.infer<typeof session>;
export const sessionPage = pageSchema(session).meta({ id: 'SessionPage' });
