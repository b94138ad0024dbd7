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
 * Checks the code that a payer typed. What it came to is told only once it is written, in one batch that is guarded by
 * the tries that are left: of guesses that arrive together no more are told than of guesses one by one, and a fault
 * takes nothing away from a right code. A right code stays right until the request is used.
 *
 * Refuses what cannot be verified any more: `otp_used`, `otp_expired`, `otp_locked`; and `otp_not_found`.
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
    const told = jsonResponse(200, { verified });
    const of = { id, limit, now: clock.now() };
    const write = verified ? otps.verify(of) : otps.countWrong(of);
    if (await store.apply([write, ...savedResponse.save(told)])) return told;
    const left = await findUnlocked(caller, id);
    if (isApiError(left)) return left;
    throw new Error(`an OTP request that is open did not take a guess: ${id}`);
  };
}
