import type { Store } from '../../db/store.ts';
import { type Clock, type EpochMs, withTimeout } from '../../shared/clock.ts';
import { messageOf, unreachable } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { refusalBody } from '../http/answer.ts';
import type { Answer, Keep } from '../idempotency/once.ts';
import type { Push, PushAnswer, Rail } from '../rail.ts';
import { type Refused, refusals, refuse } from '../refusal.ts';
import type { CloseSession } from './close.ts';
import type { Owner, Session, SessionStore } from './session-store.ts';
import { initiatedView } from './view.ts';

/** The rail accepts or refuses a push within this time. */
const pushTimeoutMs = 15_000;

/** How long after a prompt's own end its session waits for the rail's result before it is given up. */
const resultGraceMs = 60_000;

export type InitiateSession = (
  caller: Owner & { merchantName: string },
  sessionId: string,
  keep: Keep,
) => Promise<Answer | Refused>;

/**
 * Pushes the prompt of a created session, once. The move to `initiated` is won in the database before the rail
 * is called, so neither a parallel call, nor a later one, nor a restart pushes again; and the answer is kept
 * with that move, so that a replay after a crash tells the truth about the session.
 *
 * Resolves when the rail accepted. A refusing rail fails the session (`rail_refused`). A rail that does not
 * answer leaves it `initiated`, since a prompt may be out (`rail_unknown`).
 */
export function initiateSession(deps: {
  store: Store;
  sessions: SessionStore;
  close: CloseSession;
  rail: Rail;
  promptLifeMs: number;
  clock: Clock;
  log: Log;
  expiresBy(at: EpochMs): void;
}): InitiateSession {
  const { store, sessions, clock, log } = deps;

  async function push(order: Push): Promise<PushAnswer | { kind: 'unknown' }> {
    try {
      return await withTimeout(clock, pushTimeoutMs, (signal) => deps.rail.push(order, signal));
    } catch (fault) {
      log.warn({ session: order.sessionId, fault: messageOf(fault) }, 'the rail did not answer a push');
      return { kind: 'unknown' };
    }
  }

  return async ({ merchantName, ...owner }, sessionId, keep) => {
    const session = await sessions.find(owner, sessionId);
    if (!session) return refuse('session_not_found');
    const now = clock.now();
    const expiresAt = now + pushTimeoutMs + deps.promptLifeMs + resultGraceMs;
    const answer: Answer = { kind: 'answered', status: 200, body: JSON.stringify(initiatedView(session)) };
    if (!(await store.apply([sessions.initiate(session.id, now, expiresAt), ...keep.first(answer)]))) {
      return refuseState(await sessions.find(owner, sessionId));
    }
    deps.expiresBy(expiresAt);

    const pushed = await push({
      sessionId: session.id,
      livemode: session.livemode,
      merchantName,
      payer: session.payer,
      network: session.network,
      amountMinor: session.amountMinor,
    });
    switch (pushed.kind) {
      case 'accepted':
        return answer;
      case 'refused': {
        const refusal = refusalAnswer('rail_refused');
        log.warn({ session: session.id, reason: pushed.reason }, 'the rail refused a push');
        await deps.close(session.id, 'fail', 'rail_refused', clock.now(), keep.instead(refusal));
        return refusal;
      }
      case 'unknown': {
        const refusal = refusalAnswer('rail_unknown');
        await store.apply(keep.instead(refusal));
        return refusal;
      }
      default:
        return unreachable(pushed);
    }
  };
}

/** A refusal that is kept as the first answer, because the call had its effect. */
function refusalAnswer(code: 'rail_refused' | 'rail_unknown'): Answer {
  return { kind: 'answered', status: refusals[code].status, body: JSON.stringify(refusalBody(refuse(code))) };
}

/** Why a session did not leave `created`. */
function refuseState(session: Session | undefined): Refused {
  if (!session) return refuse('session_not_found');
  if (session.status === 'initiated') return refuse('session_already_initiated');
  const status = session.status === 'created' ? 'expired' : session.status;
  return refuse('session_closed', { detail: `It is ${status}.` });
}
