import type { Clock } from '../../shared/clock.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import type { RecordReviewEvent } from '../event/record.ts';
import type { Session, SessionStore } from '../session/session-store.ts';
import { isTerminal } from '../session/transitions.ts';
import type { Charge, Review, ReviewStore } from './review-store.ts';

/**
 * Resolves with the opened review; `undefined` when the session has changed since it was read, or has a review of this
 * charge. `isSecond` means that the session was charged before. `extraWrites` are in the same batch.
 */
export type OpenReview = (
  session: Session,
  charge: Charge,
  details: { isSecond: boolean; extraWrites: readonly Write[] },
) => Promise<Review | undefined>;

/**
 * Opens a review of a charge that does not fit its session. One batch writes the review, its event and, for an open
 * session, the hold on it. A terminal status stays as it is.
 */
export function openReview(deps: {
  store: Store;
  sessions: SessionStore;
  reviews: ReviewStore;
  recordEvent: RecordReviewEvent;
  clock: Clock;
}): OpenReview {
  const { store, sessions, reviews, clock } = deps;
  return async (session, charge, { isSecond, extraWrites }) => {
    const now = clock.now();
    const review: Review = {
      ...charge,
      sessionId: session.id,
      merchantId: session.merchantId,
      livemode: session.livemode,
      reason: isSecond ? 'second_charge' : reasonFor(session, charge),
      openedAt: now,
      resolvedAt: null,
      resolution: null,
      note: null,
      refundedAt: null,
      refundReference: null,
      refundedBy: null,
    };
    const { id, status: from } = session;
    const isOpen = (from === 'created' || from === 'initiated') && session.heldAt === null;
    const hold = isOpen ? [sessions.hold({ id, from, at: now })] : [];
    const event = await deps.recordEvent(isOpen ? { ...session, status: 'initiated' } : session, review);
    const batch = [...hold, reviews.insert(review), event.write, ...extraWrites];
    return (await event.applied(store.apply(batch))) ? review : undefined;
  };
}

function reasonFor(session: Session, { paidMinor }: Charge): Review['reason'] {
  if (isTerminal(session.status) || paidMinor === session.amountMinor) return 'late_approval';
  return paidMinor < session.amountMinor ? 'paid_short' : 'paid_over';
}
