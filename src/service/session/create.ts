import type { OfflineSessionRequest, WebSessionRequest } from '../../contract/session.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type ApiError, apiError, isApiError } from '../api-error.ts';
import type { FeeSchedules } from '../fee/fee-schedules.ts';
import { quoteFor } from '../fee/schedule.ts';
import { type ApiResponse, jsonResponse } from '../http/response.ts';
import type { SavedResponse } from '../idempotency/run-once.ts';
import type { Caller } from '../key/authenticate.ts';
import type { Livemode } from '../schema.ts';
import type { Owner, Session, SessionStore } from './session-store.ts';
import { createdView } from './view.ts';

/** A session that nobody initiates is given up after this time. */
const createdLifeMs = 30 * 60_000;

/** Finds a verified OTP request that fits, and makes the write that uses it up. */
export type UseOtp = (
  owner: Owner,
  otpRequestId: string,
  of: { payer: string; amountMinor: number },
) => Promise<{ kind: 'usable'; write: Write } | ApiError>;

export type CreateSession = (
  caller: Caller,
  asked: OfflineSessionRequest | WebSessionRequest,
  savedResponse: SavedResponse,
) => Promise<ApiResponse | ApiError>;

/**
 * Creates a session in the state `created`. Nothing is charged and nobody is asked. The answer is kept under its
 * idempotency key, and an OTP request is used up, in the same batch.
 */
export function createSession(deps: {
  store: Store;
  sessions: SessionStore;
  fees: FeeSchedules;
  useOtp: UseOtp;
  clock: Clock;
  ids: Ids;
  /** Told when the new session will have to be given up. */
  expiresBy(at: EpochMs, livemode: Livemode): void;
}): CreateSession {
  const { store, sessions, fees, clock, ids } = deps;

  return async (caller, asked, savedResponse) => {
    const { merchantId, livemode, platformId } = caller;
    const reference = referenceOf(asked);
    if (reference === undefined) {
      return apiError('invalid_field', {
        param: 'client_trans_id',
        detail: 'Send it or reference, not both.',
      });
    }
    const mode = asked.mode ?? 'web';
    const channel = mode === 'offline' ? 'ussd' : 'web';
    const quote = quoteFor(mode, asked.amount_minor, await fees.scheduleOf(merchantId, channel));
    if (quote === 'amount_below_fee') return apiError(quote, { param: 'amount_minor' });
    if (quote === 'invalid_amount') {
      return apiError(quote, { param: 'amount_minor', detail: 'With its fee it would exceed that.' });
    }
    const otpRequestId = asked.mode === 'offline' ? undefined : asked.otp_request_id;
    const findOtp = async () =>
      otpRequestId === undefined
        ? undefined
        : deps.useOtp(caller, otpRequestId, { payer: asked.msisdn, amountMinor: asked.amount_minor });
    const otp = await findOtp();
    if (isApiError(otp)) return { ...otp, correctable: true };
    const now = clock.now();
    const row: Session = {
      merchantId,
      platformId,
      livemode,
      id: ids.next('pay'),
      mode,
      channel,
      network: asked.network,
      payer: asked.msisdn,
      reference,
      otpRequestId: otpRequestId ?? null,
      ...quote,
      status: 'created',
      reason: null,
      createdAt: now,
      initiatedAt: null,
      paidAt: null,
      closedAt: null,
      expiresAt: now + createdLifeMs,
      heldAt: null,
    };
    const created = jsonResponse(201, createdView(row));
    const extraWrites = otp ? [otp.write] : [];
    if (!(await store.apply([sessions.insert(row), ...extraWrites, ...savedResponse.save(created)]))) {
      const left = await findOtp();
      if (isApiError(left)) return { ...left, correctable: true };
      throw new Error('a new session found its identifier or its idempotency key taken');
    }
    deps.expiresBy(now + createdLifeMs, livemode);
    return created;
  };
}

/** The merchant's own word for the session; `undefined` when it gave two. */
function referenceOf(asked: OfflineSessionRequest | WebSessionRequest): string | null | undefined {
  if (asked.mode === 'offline') return asked.reference;
  const { client_trans_id: one, reference: other } = asked;
  return one !== undefined && other !== undefined && one !== other ? undefined : (one ?? other ?? null);
}
