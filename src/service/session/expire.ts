import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Livemode } from '../schema.ts';
import type { CloseSession } from './close.ts';
import type { SessionStore } from './session-store.ts';

const maxPerRound = 100;

/**
 * Expires the overdue sessions of a mode: created ones that were not initiated, and initiated ones that the rail left
 * without a result until the long stop. One bounded round. Resolves with the time of the next round.
 */
export function expireSessions(deps: { sessions: SessionStore; close: CloseSession; clock: Clock }) {
  return async (livemode: Livemode): Promise<EpochMs | undefined> => {
    const now = deps.clock.now();
    const overdue = await deps.sessions.overdue(livemode, now, maxPerRound);
    const closings = overdue.map(({ id, status }) => {
      const reason = status === 'created' ? 'never_initiated' : 'no_result';
      return deps.close(id, { transition: 'expire', reason, at: now });
    });
    await Promise.all(closings);
    return deps.sessions.nextExpiry(livemode);
  };
}
