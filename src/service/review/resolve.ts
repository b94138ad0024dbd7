import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { CloseSession } from '../session/close.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { Review, ReviewStore } from './review-store.ts';

export type Resolution = { resolution: 'accepted' | 'rejected'; note?: string | null | undefined };

export type ResolveReview = (
  sessionId: string,
  resolution: Resolution,
  extraWrites?: ExtraWrites<Review>,
) => Promise<(Review & { kind: 'review' }) | ApiError>;

/**
 * Applies a person's decision on a review. If the session is on hold, `accepted` marks it as paid with the charged
 * amount, and `rejected` fails it (`amount_mismatch`). A session that was closed before the charge keeps its status:
 * the decision, to deliver the goods or to return the money, is recorded. Of several open reviews, the oldest is
 * resolved. The review that put the session on hold is always the oldest.
 */
export function resolveReview(deps: {
  store: Store;
  sessions: SessionStore;
  reviews: ReviewStore;
  close: CloseSession;
  clock: Clock;
}): ResolveReview {
  const { store, sessions, reviews, close, clock } = deps;
  return async (sessionId, { resolution, note = null }, extraWrites = noExtraWrites) => {
    const review = await reviews.find(sessionId);
    const session = await sessions.findAny(sessionId);
    if (!review || !session) return apiError('review_not_found');
    if (review.resolvedAt !== null) return apiError('review_closed');
    const at = clock.now();
    const resolved: Review = { ...review, resolution, resolvedAt: at, note };
    const { paidAt, paidMinor } = review;
    const writes = [
      reviews.resolve({ sessionId, paidAt, paidMinor, at, resolution, note }),
      ...extraWrites(resolved),
    ];
    const applied =
      session.heldAt === null
        ? await store.apply(writes)
        : await close(sessionId, {
            ...(resolution === 'accepted'
              ? { transition: 'pay' as const, reason: null, paidMinor, paidAt }
              : { transition: 'fail' as const, reason: 'amount_mismatch', refundMinor: paidMinor }),
            at,
            isOnHold: true,
            extraWrites: writes,
          });
    if (!applied) return apiError('review_closed');
    return { kind: 'review', ...resolved };
  };
}
