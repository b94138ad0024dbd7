import type { SessionStatus } from '../../contract/service/session.ts';

/** A change of a session's status. `SessionStore.hold` is the only other one. */
export type SessionTransition = 'initiate' | 'pay' | 'fail' | 'expire';

const transitions: Readonly<Record<SessionStatus, Partial<Record<SessionTransition, SessionStatus>>>> = {
  created: { initiate: 'initiated', expire: 'expired' },
  initiated: { pay: 'paid', fail: 'failed', expire: 'expired' },
  paid: {},
  failed: {},
  expired: {},
};

/** Returns the status after a transition, or `undefined` when the status does not allow it. */
export function statusAfter(status: SessionStatus, transition: SessionTransition): SessionStatus | undefined {
  return transitions[status][transition];
}

/** True when a status is final: no transition leaves it. */
export function isTerminal(status: SessionStatus): boolean {
  return Object.keys(transitions[status]).length === 0;
}
