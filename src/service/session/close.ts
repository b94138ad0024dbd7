import type { EpochMs } from '../../shared/clock.ts';
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

/** A session that changes under us this often is a bug, not contention. */
const maxTries = 50;

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
  return async (
    sessionId,
    { transition: move, reason, at, paidAt = at, paidMinor, isOnHold: held = false, extraWrites = [] },
  ) => {
    for (let tries = 0; tries < maxTries; tries++) {
      const session = await deps.sessions.findAny(sessionId);
      const status = session && statusAfter(session.status, move);
      if (!session || !status || (session.heldAt !== null) !== held) return undefined;
      const end = { status, reason, paidAt: status === 'paid' ? paidAt : null, closedAt: at };
      const closed: Session = { ...session, ...end, expiresAt: null, heldAt: null };
      const event = session.status === 'initiated' ? deps.recordEvent(closed, paidMinor) : undefined;
      const { id, status: from, heldAt } = session;
      const applied = await deps.store.apply([
        deps.sessions.close({ id, from, heldAt, ...end }),
        ...(event ? [event.write] : []),
        ...extraWrites,
      ]);
      if (applied) {
        event?.committed();
        return closed;
      }
    }
    throw new Error(`session ${sessionId} changed ${maxTries} times while it was closed`);
  };
}
