import { z } from '@hono/zod-openapi';
import { reviewReasons } from '../../contract/event.ts';
import { sessionStatuses } from '../../contract/session.ts';
import { maxAmountMinor } from '../../shared/money.ts';

/** The networks of Ghana with mobile money. */
const networks = ['mtn', 'telecel', 'at'] as const;

const msisdn = z
  .string()
  .regex(/^233\d{9}$/)
  .meta({ description: "The payer's number, `233XXXXXXXXX`.", example: '233244123456' });
const amountMinor = z
  .int()
  .min(1)
  .max(maxAmountMinor)
  .meta({ description: 'The value of the goods, in pesewas.', example: 2000 });
const network = z.enum(networks).meta({ description: "The payer's mobile network.", example: 'mtn' });
const word = (description: string) =>
  z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,64}$/u)
    .meta({ description, example: 'INV-7' });

export const offlineRequest = z
  .strictObject({
    mode: z.literal('offline'),
    msisdn,
    amount_minor: amountMinor,
    network,
    reference: word("The merchant's own reference; it need not be unique."),
  })
  .meta({ id: 'OfflineSessionRequest' });

export const webRequest = z
  .strictObject({
    mode: z.literal('web').optional().meta({ description: 'Left out, it is web.' }),
    msisdn,
    amount_minor: amountMinor,
    network,
    otp_request_id: z
      .string()
      .max(128)
      .optional()
      .meta({ description: 'A verified OTP request for this number and amount.', example: 'otpr_01k5n8' }),
    client_trans_id: word("The merchant's own order reference.").optional(),
    reference: word('The same as `client_trans_id`; send one of them.').optional(),
  })
  .meta({ id: 'WebSessionRequest' });

export type OfflineRequest = z.infer<typeof offlineRequest>;
export type WebRequest = z.infer<typeof webRequest>;

/** ISO 8601 in UTC with milliseconds. */
export const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ description: 'ISO 8601, UTC, with milliseconds.', example: '2026-03-06T09:00:07.250Z' });

const minor = z.int().min(0);
const sessionId = z.string().meta({ description: 'Prefix `pay_`.', example: 'pay_01k5n8c0' });
const status = z.enum(sessionStatuses);

const amounts = {
  goods_minor: minor.meta({ example: 2000 }),
  amount_minor: minor.meta({ description: 'What the payer is charged.', example: 2020 }),
  expected_fee_minor: minor.meta({ example: 20 }),
  expected_net_minor: minor.meta({ description: 'What the merchant gets.', example: 2000 }),
};

const offlineFields = {
  id: sessionId,
  mode: z.literal('offline'),
  channel: z.literal('ussd'),
  network,
  ...amounts,
  status,
  reference: z.string(),
  payer_msisdn: z.string().meta({ description: 'The local form.', example: '0244123456' }),
};

const webFields = {
  id: sessionId,
  platform_id: z.string().meta({ description: 'Prefix `plt_`.' }),
  merchant_id: z.string().meta({ description: 'Prefix `mch_`.' }),
  channel: z.literal('web'),
  network,
  ...amounts,
  status,
  client_trans_id: z.string().optional().meta({ description: 'Where the create sent one.' }),
  otp_request_id: z.string().optional().meta({ description: 'Where one was attached.' }),
  payer_msisdn: msisdn,
  created_at: time,
};

export const offlineCreated = z.strictObject(offlineFields).meta({ id: 'OfflineSessionCreated' });
export const webCreated = z.strictObject(webFields).meta({ id: 'WebSessionCreated' });
export const createdSession = z.union([offlineCreated, webCreated]);

const initiatedOffline = z
  .strictObject({
    id: sessionId,
    status: z.literal('initiated'),
    mode: z.literal('offline'),
    channel: z.literal('ussd'),
  })
  .meta({ id: 'OfflineSessionInitiated' });
const initiatedWeb = z
  .strictObject({ id: sessionId, status: z.literal('initiated'), initiated_at: time })
  .meta({ id: 'WebSessionInitiated' });
export const initiatedSession = z.union([initiatedOffline, initiatedWeb]);

export const sessionStatus = z
  .strictObject({
    id: sessionId,
    status,
    terminal: z.boolean().meta({ description: 'Whether the status is final.' }),
    paid_at: time.optional().meta({ description: 'Present when paid.' }),
    retry_after_seconds: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'When to ask again; null when the status is final.' }),
  })
  .meta({ id: 'SessionStatus' });

/** Money that does not fit its session, as its merchant sees it. */
export const sessionReview = z.strictObject({
  reason: z.enum(reviewReasons),
  paid_minor: minor.meta({ description: 'What the rail took.' }),
  paid_at: time,
  opened_at: time,
  resolution: z.enum(['accepted', 'rejected']).optional(),
  resolved_at: time.optional(),
});
export const reviewWords =
  'Present when money arrived that does not fit the session. Of several, the oldest that waits for a person; ' +
  'where none waits, the newest.';

/** What became of a session besides its status; the same for both modes. */
const history = {
  reason: z
    .string()
    .optional()
    .meta({
      description:
        'Why it failed or expired: `declined`, `pin_limit`, `insufficient_funds`, `rail_refused`, `prompt_expired`, ' +
        '`no_result`, `never_initiated`, `amount_mismatch`.',
    }),
  created_at: time,
  initiated_at: time.optional(),
  paid_at: time.optional(),
  closed_at: time.optional(),
  review: sessionReview.optional().meta({ description: reviewWords }),
};

export const offlineSession = z.strictObject({ ...offlineFields, ...history }).meta({ id: 'OfflineSession' });
export const webSession = z.strictObject({ ...webFields, ...history }).meta({ id: 'WebSession' });
export const anySession = z.union([offlineSession, webSession]);

/** A page of a list, newest first. */
export function pageOf(item: z.ZodType) {
  return z.strictObject({
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().meta({ description: 'Send it as `cursor` for the next page.' }),
  });
}

export const pageQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: '1 to 100; 20 when left out.', example: 20 }),
  cursor: z.string().max(128).optional().meta({ description: '`next_cursor` of the page before.' }),
};
