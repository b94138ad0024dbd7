import { type Clock, type EpochMs, withTimeout } from '../../shared/clock.ts';
import { errorMessage, unreachable } from '../../shared/errors.ts';
import { type Log, withoutDigits } from '../../shared/log.ts';
import type { Store } from '../../sqlite/store.ts';
import { inquiryTimeoutMs, type Rail, type RailInquiry, type ReportRailResult } from '../rail/rail.ts';
import type { Livemode } from '../schema.ts';
import type { CloseSession } from './close.ts';
import type { Session, SessionStore } from './session-store.ts';

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
export function inquireSessions(deps: {
  store: Store;
  sessions: SessionStore;
  close: CloseSession;
  report: ReportRailResult;
  clock: Clock;
  log: Log;
}) {
  const { store, sessions, clock, log } = deps;

  async function apply({ id }: Session, inquiry: RailInquiry): Promise<void> {
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

  async function inquire(rail: Rail, session: Session): Promise<void> {
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
