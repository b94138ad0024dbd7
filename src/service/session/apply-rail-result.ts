import type { Log } from '../../shared/log.ts';
import { lostGuard, retryLostGuard } from '../../sqlite/retry-lost-guard.ts';
import type { RailResult, ReportRailResult } from '../rail/rail.ts';
import type { OpenReview } from '../review/open.ts';
import type { Charge, Review, ReviewStore } from '../review/review-store.ts';
import type { CloseSession } from './close.ts';
import { parseRailResult } from './parse-rail-result.ts';
import type { Session, SessionStore } from './session-store.ts';

/** Bounds the reviews of one session. A rail that reports more charges is faulty, and the rest are only logged. */
const maxReviews = 20;

/**
 * Applies a result that the rail reports. A charge of the session's amount pays the session. A failure, such as
 * a decline or an empty wallet, fails it. An unanswered prompt expires it. A repeated result changes nothing. An invalid
 * result is logged and counts as applied, so that it does not block the results after it.
 *
 * A charge that does not fit its session opens a review: a different amount, a charge of a closed session, a second
 * charge. A session that is charged before its initiate is put on hold like an initiated one, so that no prompt is sent.
 */
export function applyRailResult(deps: {
  sessions: SessionStore;
  close: CloseSession;
  openReview: OpenReview;
  reviews: ReviewStore;
  log: Log;
}): ReportRailResult {
  const { sessions, close, openReview, reviews, log } = deps;

  function applyCharge(sessionId: string, charge: Charge): Promise<void> {
    return retryLostGuard(`session ${sessionId}`, async () => {
      const session = await sessions.findAny(sessionId);
      if (!session)
        return log.error({ session: sessionId }, 'the rail charged for a session that does not exist');
      const earlier = await reviews.listBySession(sessionId);
      if (isApplied(session, earlier, charge)) return;
      if (isDue(session, charge)) {
        const closed = await close(sessionId, { transition: 'pay', reason: null, at: charge.paidAt });
        if (!closed) return lostGuard;
        return log.info({ session: sessionId, status: closed.status }, 'session closed');
      }
      if (earlier.length >= maxReviews) {
        return log.error(
          { session: sessionId },
          'the rail charged a session again that has the maximum number of reviews',
        );
      }
      const review = await openReview(session, charge, session.status === 'paid' || earlier.length > 0);
      if (!review) return lostGuard;
      return log.error({ session: sessionId, reason: review.reason }, 'a charge does not fit its session');
    });
  }

  return async (reported) => {
    const parsed = parseRailResult(reported);
    if (parsed.kind === 'invalid') {
      const { session, fields } = parsed;
      return log.error({ session, fields }, 'the rail reported an invalid result');
    }
    const { result } = parsed;
    const { sessionId, at } = result;
    if (result.outcome === 'approved')
      return applyCharge(sessionId, { paidMinor: result.chargedMinor, paidAt: at });
    const closed = await close(sessionId, { ...closingOf(result.outcome), at });
    if (closed)
      log.info({ session: sessionId, status: closed.status, reason: closed.reason }, 'session closed');
  };
}

/** Whether this charge was applied before: it has a review, or it paid the session. */
function isApplied(session: Session, earlier: readonly Review[], { paidMinor, paidAt }: Charge): boolean {
  if (earlier.some((review) => review.paidMinor === paidMinor && review.paidAt === paidAt)) return true;
  const paidByReview = earlier.some(({ reason }) => reason !== 'second_charge');
  return session.paidAt === paidAt && session.amountMinor === paidMinor && !paidByReview;
}

/** Whether this charge pays the session. */
function isDue(session: Session, { paidMinor }: Charge): boolean {
  return session.status === 'initiated' && session.heldAt === null && paidMinor === session.amountMinor;
}

function closingOf(outcome: Exclude<RailResult['outcome'], 'approved'>) {
  if (outcome === 'expired') return { transition: 'expire', reason: 'prompt_expired' } as const;
  return { transition: 'fail', reason: outcome } as const;
}
