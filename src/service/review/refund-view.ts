import type { EpochMs } from '../../shared/clock.ts';
import { isoTime } from '../http/time.ts';
import type { Review } from './review-store.ts';

/** A rejected review whose money was returned. */
export type SettledReview = Review & { refundedAt: EpochMs; refundReference: string; refundedBy: string };

/** The refund of a rejected review. */
export function refundView(review: Review) {
  const { refundedAt, refundReference, refundedBy } = review;
  return refundedAt === null || refundReference === null || refundedBy === null
    ? ({ state: 'due', amount_minor: review.paidMinor } as const)
    : settledRefundView({ ...review, refundedAt, refundReference, refundedBy });
}

/** The refund of a review whose money was returned. */
export function settledRefundView({ paidMinor, refundedAt, refundReference, refundedBy }: SettledReview) {
  return {
    state: 'settled',
    amount_minor: paidMinor,
    reference: refundReference,
    settled_at: isoTime(refundedAt),
    settled_by: refundedBy,
  } as const;
}
