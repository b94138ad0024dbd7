import { unreachable } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { RailResult, Report } from '../rail.ts';
import type { CloseSession } from './close.ts';
import type { SessionStore } from './session-store.ts';

/**
 * Takes a result of the rail: approved pays the session, declined and too many wrong PINs fail it, a prompt that
 * ran out expires it. A result that comes again changes nothing; money that comes for a session closed otherwise
 * is reported loudly and changes nothing either, because a terminal status is final.
 */
export function settleSession(deps: { sessions: SessionStore; close: CloseSession; log: Log }): Report {
  return async (result) => {
    const { move, reason } = meaning(result.outcome);
    const closed = await deps.close(result.sessionId, move, reason, result.at);
    if (closed) {
      deps.log.info({ session: closed.id, status: closed.status, reason }, 'session closed');
      return;
    }
    const session = await deps.sessions.findAny(result.sessionId);
    if (move === 'pay' && session?.status !== 'paid') {
      deps.log.error(
        { session: result.sessionId, status: session?.status },
        'charged, but the session is closed',
      );
    }
  };
}

function meaning(outcome: RailResult['outcome']) {
  switch (outcome) {
    case 'approved':
      return { move: 'pay', reason: null } as const;
    case 'declined':
      return { move: 'fail', reason: 'declined' } as const;
    case 'pin_limit':
      return { move: 'fail', reason: 'pin_limit' } as const;
    case 'expired':
      return { move: 'expire', reason: 'prompt_expired' } as const;
    default:
      return unreachable(outcome);
  }
}
