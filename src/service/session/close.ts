import type { SessionEndReason } from '../../contract/service/end-reason.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { conflict, retryConflict, type Store, type Write } from '../../sqlite/store.ts';
import type { RecordClosedEvent } from '../event/record.ts';
import type { Livemode } from '../schema.ts';
import { type SessionRow, type SessionStore, type SessionTransition, statusAfter } from './session-store.ts';

type Closing = {
  transition: Exclude<SessionTransition, 'initiate'>;
  reason: SessionEndReason | null;
  at: EpochMs;
  /** When the payer paid; `at` by default. */
  paidAt?: EpochMs;
  /** The amount that the payer was charged; the session's amount by default. */
  paidMinor?: number;
  /** Closes a session that is on hold for a review. Any other closing does not change such a session. */
  isOnHold?: boolean;
  /** The amount that was charged and must be returned, for the event of a rejected review. */
  refundMinor?: number;
  /** The session as the caller has read it just now. It is read here by default, and again when it has changed. */
  read?: SessionRow;
  /** Writes for the batch that closes the session. */
  extraWrites?: readonly Write[];
};

/** Resolves with the closed session, or `undefined` when its status does not allow the transition. */
export type CloseSession = (sessionId: string, closing: Closing) => Promise<SessionRow | undefined>;

/** Moves a session into a terminal status, in one guarded batch with its event. A session that was never initiated has no event. */
export function closeSession(deps: {
  store: Store;
  sessions: SessionStore;
  recordEvent: RecordClosedEvent;
}): CloseSession {
  return (
    sessionId,
    { transition, reason, at, paidAt = at, paidMinor, isOnHold = false, refundMinor, read, extraWrites = [] },
  ) => {
    let known = read;
    return retryConflict(`session ${sessionId}`, async () => {
      const session = known ?? (await deps.sessions.findAny(sessionId));
      known = undefined;
      const status = session && statusAfter(session.status, transition);
      if (!session || !status || (session.heldAt !== null) !== isOnHold) return undefined;
      const paid =
        status === 'paid'
          ? { paidAt, paidMinor: paidMinor ?? session.amountMinor }
          : { paidAt: null, paidMinor: null };
      const end = { status, reason, ...paid, closedAt: at };
      const closed: SessionRow = { ...session, ...end, expiresAt: null, inquireAt: null, heldAt: null };
      const event = session.status === 'initiated' ? await deps.recordEvent(closed, refundMinor) : undefined;
      const { id, status: from, heldAt } = session;
      const batch = deps.store.apply([
        deps.sessions.close({ id, from, heldAt, ...end }),
        ...(event ? [event.write] : []),
        ...extraWrites,
      ]);
      const isStored = await (event?.applied(batch) ?? batch);
      return isStored ? closed : conflict;
    });
  };
}

const maxPerRound = 100;

/** Expires sessions that were not initiated, or got no result until the long stop. One bounded round; resolves with the next time. */
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
