import { z } from 'zod';

/*
 * The back office's answers as the commands read them: what they show, and whatever else there is besides, which
 * `--json` prints.
 */

const text = z.string();
const maybe = z.string().nullable();

export const merchant = z.looseObject({ id: text, name: text, offline_approved_at: maybe, created_at: text });
export const merchants = z.looseObject({ merchants: z.array(merchant) });

export const platform = z.looseObject({ id: text, name: text, created_at: text });
export const platforms = z.looseObject({ platforms: z.array(platform) });

export const keys = z.looseObject({
  keys: z.array(
    z.looseObject({
      id: text,
      platform_id: text,
      livemode: z.boolean(),
      ending: text,
      scopes: z.array(text),
      created_at: text,
      last_used_at: maybe,
      expires_at: maybe,
      revoked_at: maybe,
    }),
  ),
});
export const madeKey = z.looseObject({ id: text, key: text });
export const rotatedKey = z.looseObject({ id: text, key: text, old_key_expires_at: text });
export const revokedKey = z.looseObject({ id: text });

const rate = { basis_points: z.number(), fixed_minor: z.number().optional() };
export const fee = z.looseObject({
  channel: text,
  overridden: z.boolean(),
  schedule: z.looseObject({
    ...rate,
    floor_minor: z.number().optional(),
    cap_minor: z.number().optional(),
    bands: z.array(z.looseObject({ ...rate, up_to_minor: z.number() })).optional(),
  }),
});
export type Fee = z.infer<typeof fee>;
export const fees = z.looseObject({ fees: z.array(fee) });

export const sender = z.looseObject({ name: text, approved_at: text });
export const senders = z.looseObject({ senders: z.array(sender) });
export const removedSender = z.looseObject({ name: text });

export const webhooks = z.looseObject({
  webhooks: z.array(
    z.looseObject({
      platform_id: text,
      livemode: z.boolean(),
      url: text,
      failing_since: maybe,
      disabled_at: maybe,
      secret_overlap_until: maybe,
    }),
  ),
});
export const webhook = z.looseObject({ url: text, livemode: z.boolean(), secret: text });
export const signingSecret = z.looseObject({ secret: text });

const page = { has_more: z.boolean(), next_cursor: maybe };

const reviewOf = { reason: text, paid_minor: z.number(), paid_at: text, opened_at: text };
const resolved = { resolution: text.optional(), resolved_at: text.optional(), note: text.optional() };

export const session = z.looseObject({
  id: text,
  merchant_id: text,
  platform_id: text,
  livemode: z.boolean(),
  held: z.boolean(),
  channel: text,
  network: text,
  payer_msisdn: text,
  goods_minor: z.number(),
  amount_minor: z.number(),
  expected_fee_minor: z.number(),
  expected_net_minor: z.number(),
  status: text,
  reason: text.optional(),
  reference: text.optional(),
  client_trans_id: text.optional(),
  created_at: text,
  initiated_at: text.optional(),
  paid_at: text.optional(),
  closed_at: text.optional(),
  review: z.looseObject({ ...reviewOf, ...resolved }).optional(),
});
export type SessionAnswer = z.infer<typeof session>;
export const sessions = z.looseObject({ data: z.array(session), ...page });

export const delivery = z.looseObject({
  event_id: text,
  type: text,
  session_id: text,
  state: text,
  attempts: z.number(),
  created_at: text,
  last_attempt_at: maybe,
  last_status: z.number().nullable(),
  last_error: maybe,
  next_attempt_at: maybe,
});
export type DeliveryAnswer = z.infer<typeof delivery>;
export const deliveries = z.looseObject({ deliveries: z.array(delivery) });
export const deliveryLog = delivery.extend({
  attempts_log: z.array(
    z.looseObject({
      number: z.number(),
      started_at: text,
      duration_ms: z.number(),
      status: z.number().nullable(),
      error: maybe,
      url: text,
    }),
  ),
});

export const sessionFile = z.looseObject({
  session,
  prompts: z.array(
    z.looseObject({
      id: text,
      status: text,
      amount_minor: z.number(),
      charged_minor: z.number(),
      created_at: text,
      closed_at: maybe,
    }),
  ),
  events: z.array(delivery),
});
export type PromptAnswer = z.infer<typeof sessionFile>['prompts'][number];

export const review = z.looseObject({ session_id: text, merchant_id: text, ...reviewOf, ...resolved });
export const reviews = z.looseObject({ data: z.array(review), ...page });

export const messages = z.looseObject({
  messages: z.array(z.looseObject({ sender: text, text, sent_at: text })),
});

export const clock = z.looseObject({ now: text, advanced_ms: z.number() });

export const actions = z.looseObject({
  data: z.array(z.looseObject({ at: text, action: text, subject: text, request_id: text })),
  ...page,
});
