import { z } from 'zod';

/**
 * The payment session of the Payment Collection Service, as it travels. The gateway's client reads with these
 * schemas and the service answers with them, so the two can only disagree about behaviour, never about shape.
 *
 * Reading is tolerant (unknown fields pass) because the interface states no version policy.
 */

/** `233XXXXXXXXX`, the only form in which the interface takes a number. */
export const wireMsisdn = z.string().regex(/^233\d{9}$/, 'a number in the form 233XXXXXXXXX');

/** A time as the service writes it, kept verbatim: plain characters, and not many. */
export const wireTime = z.string().regex(/^[\x20-\x7e]{1,64}$/);

/** Amounts are integers in pesewas. */
export const wireAmount = z.int().nonnegative();

export const createSessionRequest = z.object({
  msisdn: wireMsisdn,
  amount_minor: z.int().positive(),
  network: z.string().min(1).max(32),
  mode: z.literal('offline'),
  reference: z.string().min(1).max(64),
});
export type CreateSessionRequest = z.infer<typeof createSessionRequest>;

/** Statuses that the interface names. Reading accepts any other string as well: see `knownStatus`. */
export const sessionStatuses = ['created', 'initiated', 'paid', 'failed', 'expired'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

/** The status when it is one that the interface names; a newer service may say something else. */
export function knownStatus(status: string): SessionStatus | undefined {
  return sessionStatuses.find((known) => known === status);
}

/** 201 of an offline create. `payer_msisdn` comes back in the local form, `0XXXXXXXXX`. */
export const offlineSession = z.object({
  id: z.string().regex(/^pay_[A-Za-z0-9_-]{1,124}$/),
  mode: z.literal('offline'),
  channel: z.string(),
  network: z.string(),
  goods_minor: wireAmount,
  amount_minor: wireAmount,
  expected_fee_minor: wireAmount,
  expected_net_minor: wireAmount,
  status: z.string(),
  reference: z.string(),
  payer_msisdn: z.string(),
  created_at: z.string().optional(),
});
export type OfflineSession = z.infer<typeof offlineSession>;

/** Answer of an offline initiate: the rail accepted the push; nobody has paid yet. */
export const initiatedSession = z.object({
  id: z.string(),
  status: z.string(),
  mode: z.string().optional(),
  channel: z.string().optional(),
  initiated_at: wireTime.optional(),
});
export type InitiatedSession = z.infer<typeof initiatedSession>;

/** Answer of a status poll. It carries no amounts: it proves *paid*, never *how much*. */
export const sessionStatusResult = z.object({
  id: z.string(),
  status: z.string().max(64),
  terminal: z.boolean(),
  paid_at: wireTime.nullish(),
  retry_after_seconds: z.number().nonnegative().nullish(),
});
export type SessionStatusResult = z.infer<typeof sessionStatusResult>;
