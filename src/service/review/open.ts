import type { Store } from '../../db/store.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { RecordReviewEvent } from '../event/record.ts';
import type { Session, SessionStore } from '../session/session-store.ts';
import type { Review, ReviewStore } from './review-store.ts';

/** A session that changes under us this often is a bug, not contention. */
const mostTries = 50;

/** Resolves with whether a review was opened; `false` when the session has one, or is paid. */
export type OpenReview = (
  sessionId: string,
  money: { paidMinor: number; paidAt: EpochMs },
) => Promise<boolean>;

/**
 * Puts money that does not fit its session before a person: the review, its event and, where the session is still
 * open, the hold on it, in one batch. A terminal status stays what it is.
 */
export function openReview(deps: {
  store: Store;
  sessions: SessionStore;
  reviews: ReviewStore;
  recordEvent: RecordReviewEvent;
  clock: Clock;
}): OpenReview {
  const { store, sessions, reviews, clock } = deps;
  return async (sessionId, { paidMinor, paidAt }) => {
    for (let tries = 0; tries < mostTries; tries++) {
      const session = await sessions.findAny(sessionId);
      if (!session || session.status === 'paid' || (await reviews.find(sessionId))) return false;
      const now = clock.now();
      const review: Review = {
        sessionId,
        merchantId: session.merchantId,
        livemode: session.livemode,
        reason: reasonFor(session, paidMinor),
        paidMinor,
        paidAt,
        openedAt: now,
        resolvedAt: null,
        resolution: null,
        note: null,
      };
      const hold = session.status === 'initiated' ? [sessions.hold(sessionId, now)] : [];
      const event = deps.recordEvent(session, review);
      if (await store.apply([...hold, reviews.insert(review), event.write])) {
        event.stored();
        return true;
      }
    }
    throw new Error(`session ${sessionId} changed ${mostTries} times while a review was opened`);
  };
}

function reasonFor(session: Session, paidMinor: number): Review['reason'] {
  if (session.status !== 'initiated') return 'late_approval';
  return paidMinor < session.amountMinor ? 'paid_short' : 'paid_over';
}
