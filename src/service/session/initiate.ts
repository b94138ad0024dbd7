import type { EpochMs } from '../../shared/clock.ts';
import { createDeadlines } from '../../shared/deadlines.ts';
import { errorMessage, unreachable } from '../../shared/errors.ts';
import type { RateLimit } from '../../shared/limits/per-key.ts';
import { withoutDigits } from '../../shared/log.ts';
import type { ServiceContext } from '../context.ts';
import { type ApiError, type ApiResponse, apiError, jsonResponse } from '../http/response.ts';
import type { SavedResponse } from '../idempotency-store.ts';
import type { Caller } from '../key/authenticate.ts';
import {
  firstInquiryMs,
  type PushRequest,
  type PushResult,
  pushTimeoutMs,
  type Rail,
  type SelectRail,
} from '../rail/rail.ts';
import type { Livemode } from '../schema.ts';
import type { CloseSession } from './close.ts';
import type { SessionRow } from './session-store.ts';
import { initiatedView } from './view.ts';

/** When a client may repeat a call that found no rail. */
const railRetrySeconds = 60;

type PushOutcome = PushResult | { kind: 'unknown' };

/** `session` is the one that the call names, as it was read for the call; `undefined` for one that the caller does not have. */
export type InitiateSession = (
  caller: Caller,
  session: SessionRow | undefined,
  savedResponse: SavedResponse,
) => Promise<ApiResponse | ApiError>;

/** A push that was sent, and the response that was saved before it. */
type Attempt = { sessionId: string; savedResponse: SavedResponse; initiated: ApiResponse };

/**
 * Pushes the prompt of a created session, at most once. The transition to `initiated` is committed before the rail is
 * called, so no parallel call, later call or restart pushes again. The response is saved in the same batch, so a replay
 * after a crash agrees with the session's status.
 *
 * - The rail accepts: the session stays `initiated`.
 * - The rail rejects: the session fails (`rail_refused`), unless the rail has reported a result by then, which stands.
 * - The rail does not answer, or the outcome cannot be stored: the session stays `initiated` and the client gets
 *   `rail_unknown`, because the payer may have a prompt and no response may invite a second one.
 *
 * A payer with too many prompts, and a mode without a rail, are rejected before anything is written.
 */
export function initiateSession(
  deps: Pick<ServiceContext, 'store' | 'sessions' | 'clock' | 'log'> & {
    close: CloseSession;
    selectRail: SelectRail;
    promptLifetimeMs: number;
    /** How long the session waits for a result. */
    longStopMs: number;
    /** By payer: a phone has one screen, whichever merchants ask. */
    promptLimit: RateLimit;
    /** Schedules the round that inquires about the session. */
    scheduleInquiry(at: EpochMs, livemode: Livemode): void;
    /** Schedules the round that expires the session. */
    scheduleExpiry(at: EpochMs, livemode: Livemode): void;
  },
): InitiateSession {
  const { store, sessions, clock, log } = deps;
  const within = createDeadlines(clock);

  async function push(rail: Rail, request: PushRequest): Promise<PushOutcome> {
    try {
      return await within(pushTimeoutMs, ({ signal }) => rail.push(request, signal));
    } catch (fault) {
      const reason = withoutDigits(errorMessage(fault));
      log.warn({ session: request.sessionId, fault: reason }, 'the rail did not answer a push');
      return { kind: 'unknown' };
    }
  }

  /** Fails a session whose push was rejected, unless a reported result came first. */
  async function failSession({
    sessionId,
    savedResponse,
    initiated,
  }: Attempt): Promise<ApiResponse | ApiError> {
    const rejected = apiError('rail_refused');
    const closed = await deps.close(sessionId, {
      transition: 'fail',
      reason: 'rail_refused',
      at: clock.now(),
      extraWrites: savedResponse.replace(rejected),
    });
    if (closed) return rejected;
    const reported = await sessions.findAny(sessionId);
    if (reported?.status === 'paid' || reported?.status === 'initiated') return initiated;
    const error = stateError(reported);
    await store.apply(savedResponse.replace(error));
    return error;
  }

  /** Stores the outcome of a push and returns the response. */
  async function recordOutcome(outcome: PushOutcome, attempt: Attempt): Promise<ApiResponse | ApiError> {
    switch (outcome.kind) {
      case 'accepted':
        return attempt.initiated;
      case 'rejected': {
        const reason = withoutDigits(outcome.reason);
        log.warn({ session: attempt.sessionId, reason }, 'the rail rejected a push');
        return failSession(attempt);
      }
      case 'unknown': {
        const unknown = apiError('rail_unknown');
        await store.apply(attempt.savedResponse.replace(unknown));
        return unknown;
      }
      default:
        return unreachable(outcome);
    }
  }

  return async (caller, session, savedResponse) => {
    if (session?.status !== 'created') return stateError(session);
    const rail = deps.selectRail(session.livemode);
    if (!rail) return apiError('rail_not_attached', { retryAfterSeconds: railRetrySeconds });
    const waitSeconds = deps.promptLimit(`${session.livemode} ${session.payer}`);
    if (waitSeconds !== undefined) return apiError('too_many_prompts', { retryAfterSeconds: waitSeconds });

    const now = clock.now();
    const inquireAt = now + firstInquiryMs(deps.promptLifetimeMs);
    const expiresAt = now + deps.longStopMs;
    const initiated = jsonResponse(200, initiatedView(session, now));
    if (
      !(await store.apply([
        sessions.initiate({ id: session.id, now, expiresAt, inquireAt }),
        ...savedResponse.save(initiated),
      ]))
    ) {
      return stateError(await sessions.find(caller, session.id));
    }
    deps.scheduleExpiry(expiresAt, session.livemode);
    deps.scheduleInquiry(inquireAt, session.livemode);

    const outcome = await push(rail, {
      sessionId: session.id,
      livemode: session.livemode,
      merchantName: caller.merchantName,
      payer: session.payer,
      network: session.network,
      amountMinor: session.amountMinor,
    });
    try {
      return await recordOutcome(outcome, { sessionId: session.id, savedResponse, initiated });
    } catch (fault) {
      log.error({ session: session.id, fault: errorMessage(fault) }, 'the outcome of a push was not stored');
      return apiError('rail_unknown');
    }
  };
}

function stateError(session: SessionRow | undefined): ApiError {
  if (!session) return apiError('session_not_found');
  if (session.status === 'initiated') return apiError('session_already_initiated');
  const status = session.status === 'created' ? 'expired' : session.status;
  return apiError('session_closed', { detail: `Its status is ${status}.` });
}
