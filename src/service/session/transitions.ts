import type { SessionStatus } from '../../contract/session.ts';

/** What can happen to a payment session, besides that a charge holds it (`SessionStore.hold`). */
export type SessionTransition = 'initiate' | 'pay' | 'fail' | 'expire';

const moves: Readonly<Record<SessionStatus, Partial<Record<SessionTransition, SessionStatus>>>> = {
  created: { initiate: 'initiated', expire: 'expired' },
  initiated: { pay: 'paid', fail: 'failed', expire: 'expired' },
  paid: {},
  failed: {},
  expired: {},
};

/** The status after a move, or `undefined` when that move does not leave that status. */
export function statusAfter(status: SessionStatus, move: SessionTransition): SessionStatus | undefined {
  return moves[status][move];
}

/** A terminal status is final: no move leaves it. */
export function isTerminal(status: SessionStatus): boolean {
  return Object.keys(moves[status]).length === 0;
}
