import type { EpochMs } from '../../shared/clock.ts';
import { lostGuard, retryLostGuard } from '../../sqlite/retry-lost-guard.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import type { RecordClosedEvent } from '../event/record.ts';
import type { Session, SessionStore } from './session-store.ts';
import { type SessionTransition, statusAfter } from './transitions.ts';

export type Closing = {
  transition: Exclude<SessionTransition, 'initiate'>;
  reason: string | null;
  at: EpochMs;
  /** When the payer paid, where that is not when the session is closed. */
  paidAt?: EpochMs;
  /** What was taken, where it is not the amount asked for. */
  paidMinor?: number;
  /** Closes a session that waits for a person; any other closing leaves such a session alone. */
  isOnHold?: boolean;
  extraWrites?: readonly Write[];
};

/** Resolves with the session as it was closed, or `undefined` when it could not make that move. */
export type CloseSession = (sessionId: string, closing: Closing) => Promise<Session | undefined>;

/**
 * Moves a session into a terminal status, with its event and whatever goes `extraWrites`, in one batch that is guarded
 * by the status it leaves. A session that was never initiated makes no event: nobody was asked to pay.
 */
export function closeSession(deps: {
  store: Store;
  sessions: SessionStore;
  recordEvent: RecordClosedEvent;
}): CloseSession {
  return (
    sessionId,
    { transition, reason, at, paidAt = at, paidMinor, isOnHold = false, extraWrites = [] },
  ) =>
    retryLostGuard(`session ${sessionId}`, async () => {
      const session = await deps.sessions.findAny(sessionId);
      const status = session && statusAfter(session.status, transition);
      if (!session || !status || (session.heldAt !== null) !== isOnHold) return undefined;
      const end = { status, reason, paidAt: status === 'paid' ? paidAt : null, closedAt: at };
      const closed: Session = { ...session, ...end, expiresAt: null, heldAt: null };
      const event = session.status === 'initiated' ? deps.recordEvent(closed, paidMinor) : undefined;
      const { id, status: from, heldAt } = session;
      const applied = await deps.store.apply([
        deps.sessions.close({ id, from, heldAt, ...end }),
        ...(event ? [event.write] : []),
        ...extraWrites,
      ]);
      if (!applied) return lostGuard;
      event?.committed();
      return closed;
    });
}
