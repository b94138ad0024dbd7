import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { CloseSession } from './close.ts';
import type { SessionStore } from './session-store.ts';

const batch = 100;

/**
 * Gives up open sessions whose time is over: created ones that nobody initiated, and initiated ones of which the
 * rail said nothing. One bounded round; resolves with the time of the next.
 */
export function expireSessions(deps: { sessions: SessionStore; close: CloseSession; clock: Clock }) {
  return async (): Promise<EpochMs | undefined> => {
    const now = deps.clock.now();
    for (const session of await deps.sessions.overdue(now, batch)) {
      const reason = session.status === 'created' ? 'never_initiated' : 'no_result';
      await deps.close(session.id, { move: 'expire', reason, at: now });
    }
    return deps.sessions.nextExpiry();
  };
}
