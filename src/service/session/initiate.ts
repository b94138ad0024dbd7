import { type Clock, type EpochMs, withTimeout } from '../../shared/clock.ts';
import { messageOf, unreachable } from '../../shared/errors.ts';
import type { RateLimit } from '../../shared/limits/rate-limit.ts';
import { type Log, withoutDigits } from '../../shared/log.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ApiResponse, jsonResponse } from '../http/response.ts';
import type { SavedResponse } from '../idempotency/run-once.ts';
import type { Caller } from '../key/authenticate.ts';
import {
  type PushRequest,
  type PushResult,
  pushTimeoutMs,
  type Rail,
  resultGraceMs,
  type SelectRail,
} from '../rail/rail.ts';
import type { Livemode } from '../schema.ts';
import type { CloseSession } from './close.ts';
import type { Session, SessionStore } from './session-store.ts';
import { initiatedView } from './view.ts';

/** How soon a call may come again that found no rail. */
const railRetrySeconds = 60;

type Pushed = PushResult | { kind: 'unknown' };

export type InitiateSession = (
  caller: Caller,
  sessionId: string,
  savedResponse: SavedResponse,
) => Promise<ApiResponse | ApiError>;

/**
 * Pushes the prompt of a created session, once. The move to `initiated` is won in the database before the rail
 * is called, so neither a parallel call, nor a later one, nor a restart pushes again; and the answer is kept
 * with that move, so that a replay after a crash tells the truth about the session.
 *
 * Resolves when the rail accepted. A refusing rail fails the session (`rail_refused`), unless it has reported on it by
 * then: the report stands. A rail that does not answer leaves it `initiated`, since a prompt may be out
 * (`rail_unknown`); so does a database that cannot take down what the push came to, because nothing that is said then
 * may invite to push again. A number that was prompted too often, or a mode without a rail, is refused before anything
 * happens.
 */
export function initiateSession(deps: {
  store: Store;
  sessions: SessionStore;
  close: CloseSession;
  rails: SelectRail;
  promptLifetimeMs: number;
  /** By merchant and payer. */
  promptLimit: RateLimit;
  clock: Clock;
  log: Log;
  expiresBy(at: EpochMs, livemode: Livemode): void;
}): InitiateSession {
  const { store, sessions, clock, log } = deps;

  async function push(rail: Rail, order: PushRequest): Promise<Pushed> {
    try {
      return await withTimeout(clock, pushTimeoutMs, (signal) => rail.push(order, signal));
    } catch (fault) {
      const said = withoutDigits(messageOf(fault));
      log.warn({ session: order.sessionId, fault: said }, 'the rail did not answer a push');
      return { kind: 'unknown' };
    }
  }

  /** Ends a session whose push was refused, and says how it stands. */
  async function giveUp(
    id: string,
    savedResponse: SavedResponse,
    initiated: ApiResponse,
  ): Promise<ApiResponse | ApiError> {
    const refused = apiError('rail_refused');
    const extraWrites = savedResponse.replace(refused);
    const closed = await deps.close(id, {
      transition: 'fail',
      reason: 'rail_refused',
      at: clock.now(),
      extraWrites,
    });
    if (closed) return refused;
    const reported = await sessions.findAny(id);
    if (reported?.status === 'paid' || reported?.status === 'initiated') return initiated;
    const over = stateError(reported);
    await store.apply(savedResponse.replace(over));
    return over;
  }

  /** Writes down what a push came to, and answers it. */
  async function conclude(id: string, pushed: Pushed, savedResponse: SavedResponse, initiated: ApiResponse) {
    switch (pushed.kind) {
      case 'accepted':
        return initiated;
      case 'rejected':
        log.warn({ session: id, reason: withoutDigits(pushed.reason) }, 'the rail refused a push');
        return giveUp(id, savedResponse, initiated);
      case 'unknown': {
        const refused = apiError('rail_unknown');
        await store.apply(savedResponse.replace(refused));
        return refused;
      }
      default:
        return unreachable(pushed);
    }
  }

  return async (caller, sessionId, savedResponse) => {
    const session = await sessions.find(caller, sessionId);
    if (session?.status !== 'created') return stateError(session);
    const rail = deps.rails(session.livemode);
    if (!rail) return apiError('rail_not_attached', { retryAfterSeconds: railRetrySeconds });
    const wait = deps.promptLimit(`${session.livemode} ${session.merchantId} ${session.payer}`);
    if (wait !== undefined) return apiError('too_many_prompts', { retryAfterSeconds: wait });

    const now = clock.now();
    const expiresAt = now + pushTimeoutMs + deps.promptLifetimeMs + resultGraceMs;
    const initiated = jsonResponse(200, initiatedView(session, now));
    if (
      !(await store.apply([sessions.initiate(session.id, now, expiresAt), ...savedResponse.save(initiated)]))
    ) {
      return stateError(await sessions.find(caller, sessionId));
    }
    deps.expiresBy(expiresAt, session.livemode);

    const pushed = await push(rail, {
      sessionId: session.id,
      livemode: session.livemode,
      merchantName: caller.merchantName,
      payer: session.payer,
      network: session.network,
      amountMinor: session.amountMinor,
    });
    try {
      return await conclude(session.id, pushed, savedResponse, initiated);
    } catch (fault) {
      log.error({ session: session.id, fault: messageOf(fault) }, 'what a push came to was not written down');
      return apiError('rail_unknown');
    }
  };
}

/** Why a session did not leave `created`. */
function stateError(session: Session | undefined): ApiError {
  if (!session) return apiError('session_not_found');
  if (session.status === 'initiated') return apiError('session_already_initiated');
  const status = session.status === 'created' ? 'expired' : session.status;
  return apiError('session_closed', { detail: `It is ${status}.` });
}
