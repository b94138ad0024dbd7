import type { OfflineSessionRequest, WebSessionRequest } from '../../contract/service/session.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Write } from '../../sqlite/store.ts';
import type { ServiceContext } from '../context.ts';
import { computeQuote, type FeeSchedules } from '../fee/fee-store.ts';
import { type ApiError, type ApiResponse, apiError, isApiError, jsonResponse } from '../http/response.ts';
import type { SavedResponse } from '../idempotency-store.ts';
import type { Caller } from '../key/authenticate.ts';
import type { Livemode } from '../schema.ts';
import type { SessionOwner, SessionRow } from './session-store.ts';
import { createdView } from './view.ts';

/** A session that is not initiated within this time expires. */
const createdLifetimeMs = 30 * 60_000;

/** Returns the write that consumes a verified OTP request for this payer and amount. */
export type UseOtp = (
  owner: SessionOwner,
  otpRequestId: string,
  expected: { payer: string; amountMinor: number },
) => Promise<Write | ApiError>;

export type CreateSession = (
  caller: Caller,
  request: OfflineSessionRequest | WebSessionRequest,
  savedResponse: SavedResponse,
) => Promise<ApiResponse | ApiError>;

/** Creates a session, which charges no payer. One batch: the session, the response under its idempotency key, and the used OTP. */
export function createSession(
  deps: Pick<ServiceContext, 'store' | 'sessions' | 'clock' | 'ids'> & {
    schedules: FeeSchedules;
    useOtp: UseOtp;
    /** Schedules the round that expires the new session. */
    scheduleExpiry(at: EpochMs, livemode: Livemode): void;
  },
): CreateSession {
  const { store, sessions, schedules, clock, ids } = deps;

  return async (caller, request, savedResponse) => {
    const { merchantId, livemode, platformId } = caller;
    const reference = findReference(request);
    if (reference === undefined) {
      return apiError('invalid_field', {
        param: 'client_trans_id',
        detail: 'Send client_trans_id or reference, not both.',
      });
    }
    const mode = request.mode ?? 'web';
    const channel = mode === 'offline' ? 'ussd' : 'web';
    const quote = computeQuote(mode, request.amount_minor, await schedules.find(merchantId, channel));
    if (quote === 'amount_below_fee') return apiError(quote, { param: 'amount_minor' });
    if (quote === 'invalid_amount') {
      return apiError(quote, {
        param: 'amount_minor',
        detail: 'With its fee, the amount exceeds that limit.',
      });
    }
    const otpRequestId = request.mode === 'offline' ? undefined : request.otp_request_id;
    const findOtp = async () =>
      otpRequestId === undefined
        ? undefined
        : deps.useOtp(caller, otpRequestId, { payer: request.msisdn, amountMinor: request.amount_minor });
    const otp = await findOtp();
    if (isApiError(otp)) return { ...otp, correctable: true };
    const now = clock.now();
    const row: SessionRow = {
      merchantId,
      platformId,
      livemode,
      id: ids.next('pay'),
      mode,
      channel,
      network: request.network,
      payer: request.msisdn,
      reference,
      otpRequestId: otpRequestId ?? null,
      ...quote,
      status: 'created',
      reason: null,
      createdAt: now,
      initiatedAt: null,
      paidAt: null,
      paidMinor: null,
      closedAt: null,
      expiresAt: now + createdLifetimeMs,
      inquireAt: null,
      heldAt: null,
    };
    const created = jsonResponse(201, createdView(row));
    const otpWrites = otp ? [otp] : [];
    if (!(await store.apply([sessions.insert(row), ...otpWrites, ...savedResponse.save(created)]))) {
      const otpError = await findOtp();
      if (isApiError(otpError)) return { ...otpError, correctable: true };
      throw new Error(`the identifier ${row.id} or the idempotency key of a new session is already in use`);
    }
    deps.scheduleExpiry(now + createdLifetimeMs, livemode);
    return created;
  };
}

/** Returns the merchant's reference; `undefined` when the request has two different ones. */
function findReference(request: OfflineSessionRequest | WebSessionRequest): string | null | undefined {
  if (request.mode === 'offline') return request.reference;
  const { client_trans_id: transactionId, reference } = request;
  if (transactionId !== undefined && reference !== undefined && transactionId !== reference) return undefined;
  return transactionId ?? reference ?? null;
}
