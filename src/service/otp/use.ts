import type { Clock } from '../../shared/clock.ts';
import { apiError, isApiError } from '../api-error.ts';
import type { UseOtp } from '../session/create.ts';
import { checkOpen } from './check-open.ts';
import type { OtpStore } from './otp-store.ts';
import type { OtpConfig } from './request.ts';

/**
 * Finds the verified OTP request that a session is created with, and makes the write that uses it up: of two
 * creates that arrive together one wins. Being refused uses nothing up.
 *
 * A request that was verified stays so, whatever is typed afterwards; its end comes with its `expires_at`.
 */
export function useOtp(deps: { otps: OtpStore; config: OtpConfig; clock: Clock }): UseOtp {
  const { otps, config, clock } = deps;
  const param = 'otp_request_id';

  return async (owner, otpRequestId, of) => {
    const now = clock.now();
    const found = checkOpen(await otps.find(owner, otpRequestId), now);
    if (isApiError(found)) return found;
    const { otp } = found;
    if (otp.verifiedAt === null) {
      return apiError(otp.wrongCodes < config.maxWrongCodes ? 'otp_not_verified' : 'otp_locked', { param });
    }
    if (otp.payer !== of.payer || otp.amountMinor !== of.amountMinor)
      return apiError('otp_mismatch', { param });
    return { kind: 'usable', write: otps.use({ id: otp.id, now }) };
  };
}
