import { unreachable } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { lostGuard, retryLostGuard } from '../../sqlite/retry-lost-guard.ts';
import type { RailResult, ReportRailResult } from '../rail/rail.ts';
import type { OpenReview } from '../review/open.ts';
import type { Charge, Review, ReviewStore } from '../review/review-store.ts';
import type { CloseSession } from './close.ts';
import { parseRailResult } from './parse-rail-result.ts';
import type { Session, SessionStore } from './session-store.ts';

/** A rail that reports more charges than these for one session is out of its mind: the log alone hears of the rest. */
const maxReviews = 20;

/**
 * Takes a result of the rail. Approved for the amount that was pushed pays the session; declined, too many wrong
 * PINs and an empty wallet fail it; a prompt that ran out expires it. A result that comes again changes nothing, and
 * one that cannot be read is told to the log, so that it does not stand before the others for ever.
 *
 * Money that does not fit is never lost and never booked by itself: another amount, an approval while nothing was
 * due, and a second charge open a review each. A session that is charged before its initiate is held like one that
 * was initiated, so that no prompt goes out for it any more.
 */
export function applyRailResult(deps: {
  sessions: SessionStore;
  close: CloseSession;
  openReview: OpenReview;
  reviews: ReviewStore;
  log: Log;
}): ReportRailResult {
  const { sessions, close, openReview, reviews, log } = deps;

  function approve(sessionId: string, charge: Charge): Promise<void> {
    return retryLostGuard(`session ${sessionId}`, async () => {
      const session = await sessions.findAny(sessionId);
      if (!session) return log.error({ session: sessionId }, 'charged for a session that does not exist');
      const earlier = await reviews.of(sessionId);
      if (isTaken(session, earlier, charge)) return;
      if (isDue(session, charge)) {
        const closed = await close(sessionId, { transition: 'pay', reason: null, at: charge.paidAt });
        if (!closed) return lostGuard;
        return log.info({ session: sessionId, status: closed.status }, 'session closed');
      }
      if (earlier.length >= maxReviews) {
        return log.error(
          { session: sessionId },
          'charged again, with more reviews than a person can look into',
        );
      }
      const review = await openReview(session, charge, session.status === 'paid' || earlier.length > 0);
      if (!review) return lostGuard;
      return log.error(
        { session: sessionId, reason: review.reason },
        'money arrived that does not fit its session',
      );
    });
  }

  return async (reported) => {
    const read = parseRailResult(reported);
    if (read.kind === 'unreadable') {
      const { session, fields } = read;
      return log.error({ session, fields }, 'the rail reported a result that cannot be read');
    }
    const { result } = read;
    const { sessionId, at } = result;
    if (result.outcome === 'approved')
      return approve(sessionId, { paidMinor: result.chargedMinor, paidAt: at });
    const closed = await close(sessionId, { ...meaning(result.outcome), at });
    if (closed)
      log.info({ session: sessionId, status: closed.status, reason: closed.reason }, 'session closed');
  };
}

/** Whether this charge was taken before: it has a review, or is what paid the session without one. */
function isTaken(session: Session, earlier: readonly Review[], { paidMinor, paidAt }: Charge): boolean {
  if (earlier.some((review) => review.paidMinor === paidMinor && review.paidAt === paidAt)) return true;
  const paidByReview = earlier.some(({ reason }) => reason !== 'second_charge');
  return session.paidAt === paidAt && session.amountMinor === paidMinor && !paidByReview;
}

/** Whether this charge is what an open session waits for. */
function isDue(session: Session, { paidMinor }: Charge): boolean {
  return session.status === 'initiated' && session.heldAt === null && paidMinor === session.amountMinor;
}

function meaning(outcome: Exclude<RailResult['outcome'], 'approved'>) {
  switch (outcome) {
    case 'declined':
    case 'pin_limit':
    case 'insufficient_funds':
      return { transition: 'fail', reason: outcome } as const;
    case 'expired':
      return { transition: 'expire', reason: 'prompt_expired' } as const;
    default:
      return unreachable(outcome);
  }
}
