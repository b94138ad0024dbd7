import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import type { RecordRefundEvent } from '../event/record.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { SettledReview } from './refund-view.ts';
import type { Review, ReviewStore } from './review-store.ts';

export type SettleRefund = (
  sessionId: string,
  settlement: { reference: string; by: string },
  extraWrites?: ExtraWrites<Review>,
) => Promise<(Review & { kind: 'review' }) | ApiError>;

/**
 * Records that the money of a rejected review was returned to the payer: the reference of the transfer, and who made it.
 * Of several refunds that are due, the oldest is settled. One batch writes the settlement and its event.
 */
export function settleRefund(deps: {
  store: Store;
  sessions: SessionStore;
  reviews: ReviewStore;
  recordEvent: RecordRefundEvent;
  clock: Clock;
}): SettleRefund {
  return async (sessionId, { reference, by }, extraWrites = noExtraWrites) => {
    const review = await deps.reviews.findRefund(sessionId);
    const session = await deps.sessions.findAny(sessionId);
    if (!review || !session) return apiError('refund_not_due');
    const at = deps.clock.now();
    const settled: SettledReview = { ...review, refundedAt: at, refundReference: reference, refundedBy: by };
    const { paidAt, paidMinor } = review;
    const write = deps.reviews.settleRefund({ sessionId, paidAt, paidMinor, at, reference, by });
    const more = extraWrites(settled);
    const event = await deps.recordEvent(session, settled);
    const batch = deps.store.apply([write, event.write, ...more]);
    if (!(await event.applied(batch))) return apiError('refund_not_due');
    return { kind: 'review', ...settled };
  };
}
