import { z } from 'zod';
import { paidEventData } from './event.ts';
import { anyAmountMinor } from './field.ts';
import {
  type OfflineSessionRequest,
  offlineSessionCreated,
  type SessionStatus,
  sessionStatuses,
  sessionStatusPoll,
} from './session.ts';

/*
 * How a client reads the service's answers and events. The interface states no version policy, therefore reading is
 * tolerant: unknown fields pass, an unknown status is accepted, and times are kept verbatim. Every value that the
 * schemas of session.ts and event.ts allow is also readable here.
 */

/** A time is kept as it was sent: printable ASCII, at most 64 characters. */
const verbatimTime = z.string().regex(/^[\x20-\x7e]{1,64}$/);

/** An amount that the interface does not name. A service may not state it. */
const statedMinor = anyAmountMinor.optional().catch(undefined);

/** The body of an offline create. The client's configuration names the network codes. */
export type CreateSessionRequest = Omit<OfflineSessionRequest, 'network'> & { network: string };

/** 201 of an offline create. Mode, channel and network may be absent: they are not money. */
export const tolerantOfflineSession = offlineSessionCreated.extend({
  id: z.string().regex(/^pay_[A-Za-z0-9_-]{1,124}$/),
  mode: z.string().optional(),
  channel: z.string().optional(),
  network: z.string().optional(),
  status: z.string(),
});
export type OfflineSession = z.infer<typeof tolerantOfflineSession>;

/** 200 of an offline initiate: the rail accepted the prompt. It does not prove a payment. */
export const tolerantInitiatedSession = z.object({
  id: z.string(),
  status: z.string(),
  mode: z.string().optional(),
  channel: z.string().optional(),
  initiated_at: verbatimTime.optional().catch(undefined),
});
export type TolerantInitiatedSession = z.infer<typeof tolerantInitiatedSession>;

const finalStatuses: readonly string[] = ['paid', 'failed', 'expired'] satisfies SessionStatus[];

/** 200 of a status poll. Without `terminal`, the status shows whether it is final. An unusable time, wait or review is dropped. */
export const tolerantSessionStatus = sessionStatusPoll
  .extend({
    status: z.string().max(64),
    terminal: z.boolean().nullish(),
    paid_at: verbatimTime.nullish().catch(null),
    retry_after_seconds: z.number().nonnegative().nullish().catch(null),
    paid_minor: statedMinor,
    reason: z.string().max(64).optional().catch(undefined),
    currency: z.unknown().optional(),
    /** Money that does not fit the session. */
    review: z
      .object({
        state: z.string(),
        reason: z.string(),
        paid_minor: anyAmountMinor,
        paid_at: verbatimTime.nullish().catch(null),
      })
      .optional()
      .catch(undefined),
  })
  .transform(({ terminal, ...poll }) => ({
    ...poll,
    terminal: terminal ?? finalStatuses.includes(poll.status.toLowerCase()),
  }));
export type SessionStatusResult = z.infer<typeof tolerantSessionStatus>;

/** Returns the status, in any case, if the interface names it; `undefined` for a status of a newer service. */
export function knownStatus(status: string): SessionStatus | undefined {
  return sessionStatuses.find((known) => known === status.toLowerCase());
}

/** A text of another program that people read: printable, at most 64 characters. */
const shortText = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,64}$/u);

/** The time of a charge in the data of an event. */
export const tolerantPaidAt = verbatimTime.nullish().catch(null);

/** The settled refund in the data of `payment.session.refund_settled`. */
export const tolerantRefund = z.object({
  amount_minor: anyAmountMinor,
  reference: shortText,
  settled_by: shortText,
});

/** Any webhook event. An event of an unknown type, or of another channel's session, is stored like every other. */
export const eventEnvelope = z.object({
  id: z.string().min(1).max(128),
  type: z.string().min(1).max(128),
  created_at: z.string(),
  /** A service may not state it. */
  livemode: z.boolean().optional().catch(undefined),
  /** `id` is the session's id if the event is about a session. Other fields pass. */
  data: z.looseObject({ id: z.string().min(1).max(128).optional().catch(undefined) }),
});

/** Data of `payment.session.paid`. The type of the event names the status and its envelope the session, so only the amounts are required. */
export const tolerantPaidEventData = paidEventData.extend({
  id: z.unknown().optional(),
  status: z.string().nullish(),
  paid_minor: anyAmountMinor.optional(),
  paid_at: verbatimTime.nullish().catch(null),
});
