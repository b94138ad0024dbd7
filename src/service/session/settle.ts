import { unreachable } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { RailResult, Report } from '../rail.ts';
import type { OpenReview } from '../review/open.ts';
import type { ReviewStore } from '../review/review-store.ts';
import type { CloseSession } from './close.ts';
import type { SessionStore } from './session-store.ts';

/**
 * Takes a result of the rail. Approved for the amount that was pushed pays the session; declined, too many wrong
 * PINs and an empty wallet fail it; a prompt that ran out expires it. A result that comes again changes nothing.
 *
 * Money that does not fit is never lost and never booked by itself: another amount, or an approval after the
 * session was closed, opens a review.
 */
export function settleSession(deps: {
  sessions: SessionStore;
  close: CloseSession;
  openReview: OpenReview;
  reviews: ReviewStore;
  log: Log;
}): Report {
  const { sessions, close, openReview, log } = deps;

  async function approve(sessionId: string, chargedMinor: number, at: number): Promise<void> {
    const session = await sessions.findAny(sessionId);
    if (!session) return log.error({ session: sessionId }, 'charged for a session that does not exist');
    if (session.status === 'paid') return again(sessionId, session.paidAt === at);
    if (session.status === 'initiated' && chargedMinor === session.amountMinor) {
      const closed = await close(sessionId, { move: 'pay', reason: null, at });
      if (closed) return log.info({ session: sessionId, status: closed.status }, 'session closed');
      const now = await sessions.findAny(sessionId);
      if (now?.status === 'paid') return again(sessionId, now.paidAt === at);
    }
    if (await openReview(sessionId, { paidMinor: chargedMinor, paidAt: at })) {
      return log.error({ session: sessionId }, 'money arrived that does not fit its session');
    }
    const review = await deps.reviews.find(sessionId);
    again(sessionId, review?.paidAt === at && review.paidMinor === chargedMinor);
  }

  /** A repeat is the same in time and amount; anything else is a second charge, which nothing here can book. */
  function again(sessionId: string, same: boolean): void {
    if (!same) log.error({ session: sessionId }, 'the rail says that a session was charged twice');
  }

  return async (result) => {
    const { sessionId, at } = result;
    if (result.outcome === 'approved') return approve(sessionId, result.chargedMinor, at);
    const closed = await close(sessionId, { ...meaning(result.outcome), at });
    if (closed)
      log.info({ session: sessionId, status: closed.status, reason: closed.reason }, 'session closed');
  };
}

function meaning(outcome: Exclude<RailResult['outcome'], 'approved'>) {
  switch (outcome) {
    case 'declined':
    case 'pin_limit':
    case 'insufficient_funds':
      return { move: 'fail', reason: outcome } as const;
    case 'expired':
      return { move: 'expire', reason: 'prompt_expired' } as const;
    default:
      return unreachable(outcome);
  }
}
