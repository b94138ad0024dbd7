import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Livemode } from '../schema.ts';
import type { CloseSession } from './close.ts';
import type { SessionStore } from './session-store.ts';

const batch = 100;

/**
 * Gives up a mode's open sessions whose time is over: created ones that nobody initiated, and initiated ones of which the
 * rail said nothing. One bounded round; resolves with the time of the next.
 */
export function expireSessions(deps: { sessions: SessionStore; close: CloseSession; clock: Clock }) {
  return async (livemode: Livemode): Promise<EpochMs | undefined> => {
    const now = deps.clock.now();
    const overdue = await deps.sessions.overdue(livemode, now, batch);
    const ends = overdue.map(({ id, status }) => {
      const reason = status === 'created' ? 'never_initiated' : 'no_result';
      return deps.close(id, { transition: 'expire', reason, at: now });
    });
    await Promise.all(ends);
    return deps.sessions.nextExpiry(livemode);
  };
}
