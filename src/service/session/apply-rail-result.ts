import { z } from 'zod';
import { promptFailures } from '../../contract/service/end-reason.ts';
import { type EpochMs, withTimeout } from '../../shared/clock.ts';
import { errorMessage, unreachable } from '../../shared/errors.ts';
import { withoutDigits } from '../../shared/log.ts';
import { conflict, retryConflict, type Write } from '../../sqlite/store.ts';
import type { ServiceContext } from '../context.ts';
import {
  inquiryTimeoutMs,
  type Rail,
  type RailInquiry,
  type RailResult,
  type RecordRailResult,
  type ReportRailResult,
} from '../rail/rail.ts';
import type { OpenReview } from '../review/review-operations.ts';
import type { Charge, ServiceReviewRow } from '../review/review-store.ts';
import type { Livemode } from '../schema.ts';
import type { CloseSession } from './close.ts';
import type { SessionRow } from './session-store.ts';

/** The last millisecond of the year 9999, the last one with a four-digit year in ISO 8601. */
const maxTime = 253_402_300_799_999;

const common = {
  sessionId: z.string().regex(/^pay_[0-9A-Za-z_-]{1,124}$/),
  at: z.int().min(0).max(maxTime),
};

const railResultSchema: z.ZodType<RailResult> = z.discriminatedUnion('outcome', [
  z.object({ ...common, outcome: z.literal('approved'), chargedMinor: z.int().min(1) }),
  z.object({ ...common, outcome: z.enum([...promptFailures, 'expired']) }),
]);

/** Validates a reported result. An invalid one is described by its fields and session: other values may have a payer's number. */
function parseRailResult(
  reported: RailResult,
):
  | { kind: 'result'; result: RailResult }
  | { kind: 'invalid'; session: string | undefined; fields: string[] } {
  const parsed = railResultSchema.safeParse(reported);
  if (parsed.success) return { kind: 'result', result: parsed.data };
  const session = z.object({ sessionId: common.sessionId }).safeParse(reported).data?.sessionId;
  return { kind: 'invalid', session, fields: parsed.error.issues.map(({ path }) => path.join('.')) };
}

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
export function applyRailResult(
  deps: Pick<ServiceContext, 'sessions' | 'reviews' | 'store' | 'log'> & {
    close: CloseSession;
    openReview: OpenReview;
  },
): RecordRailResult {
  const { sessions, close, openReview, reviews, log } = deps;

  /** Returns whether the batch of an effect has the extra writes. */
  function applyCharge(sessionId: string, charge: Charge, extraWrites: readonly Write[]): Promise<boolean> {
    return retryConflict(`session ${sessionId}`, async () => {
      const session = await sessions.findAny(sessionId);
      if (!session) {
        log.error({ session: sessionId }, 'the rail charged for a session that does not exist');
        return false;
      }
      if (isDue(session, charge)) {
        const paid = {
          transition: 'pay',
          reason: null,
          at: charge.paidAt,
          read: session,
          extraWrites,
        } as const;
        const closed = await close(sessionId, paid);
        if (!closed) return conflict;
        log.info({ session: sessionId, status: closed.status }, 'session closed');
        return true;
      }
      const earlier = await reviews.listBySession(sessionId);
      if (isApplied(session, earlier, charge)) return false;
      if (earlier.length >= maxReviews) {
        log.error(
          { session: sessionId },
          'the rail charged a session again that has the maximum number of reviews',
        );
        return false;
      }
      const isSecond = session.status === 'paid' || earlier.length > 0;
      const review = await openReview(session, charge, { isSecond, extraWrites });
      if (!review) return conflict;
      log.error({ session: sessionId, reason: review.reason }, 'a charge does not fit its session');
      return true;
    });
  }

  /** Returns whether the batch of an effect has the extra writes. */
  async function apply(reported: RailResult, extraWrites: readonly Write[]): Promise<boolean> {
    const parsed = parseRailResult(reported);
    if (parsed.kind === 'invalid') {
      const { session, fields } = parsed;
      log.error({ session, fields }, 'the rail reported an invalid result');
      return false;
    }
    const { result } = parsed;
    const { sessionId, at } = result;
    if (result.outcome === 'approved') {
      return applyCharge(sessionId, { paidMinor: result.chargedMinor, paidAt: at }, extraWrites);
    }
    const closed = await close(sessionId, { ...getClosing(result.outcome), at, extraWrites });
    if (!closed) return false;
    log.info({ session: sessionId, status: closed.status, reason: closed.reason }, 'session closed');
    return true;
  }

  return async (reported, railWrites = []) => {
    const isWritten = await apply(reported, railWrites);
    if (!isWritten && railWrites.length > 0) await deps.store.apply(railWrites);
  };
}

/** True when this charge was applied before: it has a review, or it paid the session. */
function isApplied(
  session: SessionRow,
  earlier: readonly ServiceReviewRow[],
  { paidMinor, paidAt }: Charge,
): boolean {
  if (earlier.some((review) => review.paidMinor === paidMinor && review.paidAt === paidAt)) return true;
  const paidByReview = earlier.some(({ reason }) => reason !== 'second_charge');
  return session.paidAt === paidAt && session.amountMinor === paidMinor && !paidByReview;
}

/** True when this charge pays the session. Such a session has no review: a review holds its session until that is closed. */
function isDue(session: SessionRow, { paidMinor }: Charge): boolean {
  return session.status === 'initiated' && session.heldAt === null && paidMinor === session.amountMinor;
}

function getClosing(outcome: Exclude<RailResult['outcome'], 'approved'>) {
  if (outcome === 'expired') return { transition: 'expire', reason: 'prompt_expired' } as const;
  return { transition: 'fail', reason: outcome } as const;
}

/** Inquiries in flight: a rail that does not answer is not flooded. */
const maxPerRound = 20;

const minWaitMs = 30_000;
const maxWaitMs = 15 * 60_000;

/**
 * Asks the rail for the results of sessions whose prompts must have ended. A result is applied like a reported one. A
 * session that the rail provably never prompted fails (`not_prompted`). Silence and a pending prompt change nothing: the
 * rail is asked again after a quarter of the session's age, 30 s to 15 min.
 *
 * One bounded round. Resolves with the time of the next round.
 */
export function inquireSessions(
  deps: Pick<ServiceContext, 'store' | 'sessions' | 'clock' | 'log'> & {
    close: CloseSession;
    report: ReportRailResult;
  },
) {
  const { store, sessions, clock, log } = deps;

  async function apply({ id }: SessionRow, inquiry: RailInquiry): Promise<void> {
    switch (inquiry.kind) {
      case 'pending':
        return;
      case 'not_prompted':
        await deps.close(id, { transition: 'fail', reason: 'not_prompted', at: clock.now() });
        return;
      case 'result':
        if (inquiry.result.sessionId === id) return deps.report(inquiry.result);
        return log.error({ session: id }, 'the rail answered an inquiry with the result of another session');
      default:
        return unreachable(inquiry);
    }
  }

  async function inquire(rail: Rail, session: SessionRow): Promise<void> {
    const { id, initiatedAt } = session;
    try {
      await apply(session, await withTimeout(clock, inquiryTimeoutMs, (signal) => rail.inquire(id, signal)));
    } catch (fault) {
      log.warn({ session: id, fault: withoutDigits(errorMessage(fault)) }, 'an inquiry brought no result');
    }
    const now = clock.now();
    const ageMs = now - (initiatedAt ?? now);
    const waitMs = Math.min(maxWaitMs, Math.max(minWaitMs, Math.floor(ageMs / 4)));
    // Changes nothing once the session is final or on hold.
    await store.apply([sessions.inquireAgain({ id, at: now + waitMs })]);
  }

  return async (livemode: Livemode, rail: Rail): Promise<EpochMs | undefined> => {
    const due = await sessions.inquiries(livemode, clock.now(), maxPerRound);
    await Promise.all(due.map((session) => inquire(rail, session)));
    return sessions.nextInquiry(livemode);
  };
}
