import type { Clock } from '../../shared/clock.ts';
import { apiError, isApiError } from '../api-error.ts';
import type { UseOtp } from '../session/create.ts';
import { checkOpen } from './check-open.ts';
import type { OtpStore } from './otp-store.ts';
import type { OtpConfig } from './request.ts';

/**
 * Returns the write that marks a verified OTP request as used by a session. Of two creates with the same request, the
 * guard lets one win. An error uses nothing up. A verified request stays verified until it expires, even when wrong
 * codes follow.
 */
export function useOtp(deps: { otps: OtpStore; config: OtpConfig; clock: Clock }): UseOtp {
  const { otps, config, clock } = deps;
  const param = 'otp_request_id';

  return async (owner, otpRequestId, expected) => {
    const now = clock.now();
    const found = checkOpen(await otps.find(owner, otpRequestId), now);
    if (isApiError(found)) return found;
    const { otp } = found;
    if (otp.verifiedAt === null) {
      return apiError(otp.wrongCodes < config.maxWrongCodes ? 'otp_not_verified' : 'otp_locked', { param });
    }
    if (otp.payer !== expected.payer || otp.amountMinor !== expected.amountMinor)
      return apiError('otp_mismatch', { param });
    return { kind: 'usable', write: otps.use({ id: otp.id, now }) };
  };
}
