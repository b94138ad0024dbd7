import type { EpochMs } from '../../shared/clock.ts';
import { type ApiError, apiError } from '../api-error.ts';
import type { Otp } from './otp-store.ts';

/** Checks that an OTP request exists, has not expired and was not used. */
export function checkOpen(otp: Otp | undefined, now: EpochMs): { kind: 'open'; otp: Otp } | ApiError {
  const param = 'otp_request_id';
  if (!otp) return apiError('otp_not_found', { param });
  if (otp.usedAt !== null) return apiError('otp_used', { param });
  if (otp.expiresAt <= now) return apiError('otp_expired', { param });
  return { kind: 'open', otp };
}
