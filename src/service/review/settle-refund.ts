import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { Review, ReviewStore } from './review-store.ts';

export type SettleRefund = (
  sessionId: string,
  settlement: { reference: string; by: string },
  extraWrites?: ExtraWrites<Review>,
) => Promise<(Review & { kind: 'review' }) | ApiError>;

/**
 * Records that the money of a rejected review was returned to the payer: the reference of the transfer, and who made it.
 * Of several refunds that are due, the oldest is settled.
 */
export function settleRefund(deps: { store: Store; reviews: ReviewStore; clock: Clock }): SettleRefund {
  return async (sessionId, { reference, by }, extraWrites = noExtraWrites) => {
    const review = await deps.reviews.findRefund(sessionId);
    if (!review) return apiError('refund_not_due');
    const at = deps.clock.now();
    const settled: Review = { ...review, refundedAt: at, refundReference: reference, refundedBy: by };
    const { paidAt, paidMinor } = review;
    const write = deps.reviews.settleRefund({ sessionId, paidAt, paidMinor, at, reference, by });
    if (!(await deps.store.apply([write, ...extraWrites(settled)]))) return apiError('refund_not_due');
    return { kind: 'review', ...settled };
  };
}
