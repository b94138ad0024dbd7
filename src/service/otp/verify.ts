import type { OtpVerification } from '../../contract/otp.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError, isApiError } from '../api-error.ts';
import { type ApiResponse, jsonResponse } from '../http/response.ts';
import type { SavedResponse } from '../idempotency/run-once.ts';
import type { Caller } from '../key/authenticate.ts';
import { checkOpen } from './check-open.ts';
import { verifyCode } from './code.ts';
import type { OtpStore } from './otp-store.ts';
import type { OtpConfig } from './request.ts';

export type VerifyOtp = (
  caller: Caller,
  typed: OtpVerification,
  savedResponse: SavedResponse,
) => Promise<ApiResponse | ApiError>;

/**
 * Checks the code that a payer typed. The result is written before it is returned, in one batch that is guarded by the
 * number of wrong codes: parallel guesses get no more results than sequential ones, and a failed write costs a right
 * code nothing. A right code stays right until the request is used.
 *
 * Returns `otp_not_found`, `otp_used`, `otp_expired` or `otp_locked` for a request that cannot be verified.
 */
export function verifyOtp(deps: {
  store: Store;
  otps: OtpStore;
  config: OtpConfig;
  clock: Clock;
}): VerifyOtp {
  const { store, otps, clock } = deps;
  const limit = deps.config.maxWrongCodes;

  async function findUnlocked(caller: Caller, id: string) {
    const found = checkOpen(await otps.find(caller, id), clock.now());
    if (isApiError(found) || found.otp.wrongCodes < limit) return found;
    return apiError('otp_locked', { param: 'otp_request_id' });
  }

  return async (caller, { otp_request_id: id, code }, savedResponse) => {
    const found = await findUnlocked(caller, id);
    if (isApiError(found)) return found;
    const verified = await verifyCode(code, found.otp);
    const response = jsonResponse(200, { verified });
    const guard = { id, limit, now: clock.now() };
    const write = verified ? otps.verify(guard) : otps.countWrong(guard);
    if (await store.apply([write, ...savedResponse.save(response)])) return response;
    const closed = await findUnlocked(caller, id);
    if (isApiError(closed)) return closed;
    throw new Error(`the OTP request ${id} is open, but its guess could not be stored`);
  };
}
