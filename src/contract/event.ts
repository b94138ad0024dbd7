import { z } from 'zod';
import { wireAmount, wireTime } from './session.ts';

/**
 * A webhook event of the service. Only the envelope is demanded: an event of an unknown type, or of another
 * channel's session, is kept and answered like any other.
 */
export const eventEnvelope = z.object({
  id: z.string().min(1).max(128),
  type: z.string().min(1).max(128),
  created_at: z.string(),
  /** The session's id, where the event is about a session; whatever else stands there is kept with the body. */
  data: z.looseObject({ id: z.string().min(1).max(128).optional().catch(undefined) }),
});

/** Data of `payment.session.paid`: the only place where the service states what was taken. */
export const paidEventData = z.object({
  id: z.string(),
  status: z.string(),
  goods_minor: wireAmount,
  amount_minor: wireAmount,
  expected_fee_minor: wireAmount,
  expected_net_minor: wireAmount,
  paid_at: wireTime,
});
export type PaidEventData = z.infer<typeof paidEventData>;

/** Data of `payment.session.failed`, which the interface leaves open; also sent with the status `expired`. */
export type FailedEventData = Omit<PaidEventData, 'paid_at'> & {
  /** Why, in one word: `declined`, `pin_limit`, `insufficient_funds`, `prompt_expired`, `no_result`, … */
  reason: string;
};

/** Data of `payment.session.review_amount_mismatch`, which the interface leaves open. */
export type ReviewEventData = PaidEventData & {
  /** What was taken; the amounts beside it are the quote. */
  paid_minor: number;
  /** One of `reviewReasons`; the session of a `second_charge` may be `paid`, and stays so. */
  reason: string;
};

/**
 * Why money waits for a person: another amount than was asked for, money while nothing was due (the session was
 * closed before, or not yet initiated), and more money after some was taken.
 */
export const reviewReasons = ['paid_short', 'paid_over', 'late_approval', 'second_charge'] as const;

export const eventTypes = {
  paid: 'payment.session.paid',
  failed: 'payment.session.failed',
  reviewAmountMismatch: 'payment.session.review_amount_mismatch',
} as const;

/** Request headers of a delivery. The signature header carries the service's brand; ours is the default. */
export const eventIdHeader = 'service-event-id';
export const signatureHeader = 'service-signature';
