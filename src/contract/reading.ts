import { z } from 'zod';
import { paidEventData } from './event.ts';
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

/** The body of an offline create. The client's configuration names the network codes. */
export type CreateSessionRequest = Omit<OfflineSessionRequest, 'network'> & { network: string };

/** 201 of an offline create. */
export const tolerantOfflineSession = offlineSessionCreated.extend({
  id: z.string().regex(/^pay_[A-Za-z0-9_-]{1,124}$/),
  channel: z.string(),
  network: z.string(),
  status: z.string(),
});
export type OfflineSession = z.infer<typeof tolerantOfflineSession>;

/** 200 of an offline initiate: the rail accepted the prompt. It does not prove a payment. */
export const tolerantInitiatedSession = z.object({
  id: z.string(),
  status: z.string(),
  mode: z.string().optional(),
  channel: z.string().optional(),
  initiated_at: verbatimTime.optional(),
});
export type InitiatedSession = z.infer<typeof tolerantInitiatedSession>;

/** 200 of a status poll. */
export const tolerantSessionStatus = sessionStatusPoll.extend({
  status: z.string().max(64),
  paid_at: verbatimTime.nullish(),
  retry_after_seconds: z.number().nonnegative().nullish(),
});
export type SessionStatusResult = z.infer<typeof tolerantSessionStatus>;

/** Returns the status if the interface names it; `undefined` for a status of a newer service. */
export function knownStatus(status: string): SessionStatus | undefined {
  return sessionStatuses.find((known) => known === status);
}

/** Any webhook event. An event of an unknown type, or of another channel's session, is stored like every other. */
export const eventEnvelope = z.object({
  id: z.string().min(1).max(128),
  type: z.string().min(1).max(128),
  created_at: z.string(),
  /** `id` is the session's id if the event is about a session. Other fields pass. */
  data: z.looseObject({ id: z.string().min(1).max(128).optional().catch(undefined) }),
});

/** Data of `payment.session.paid`. */
export const tolerantPaidEventData = paidEventData.extend({
  status: z.string(),
  paid_at: verbatimTime,
});
