import type { EpochMs } from '../../shared/clock.ts';
import { type ApiError, apiError } from '../api-error.ts';
import type { Otp } from './otp-store.ts';

/** Whether anything can still be done with an OTP request: its code be typed, or itself be used. */
export function checkOpen(otp: Otp | undefined, now: EpochMs): { kind: 'open'; otp: Otp } | ApiError {
  const param = 'otp_request_id';
  if (!otp) return apiError('otp_not_found', { param });
  if (otp.usedAt !== null) return apiError('otp_used', { param });
  if (otp.expiresAt <= now) return apiError('otp_expired', { param });
  return { kind: 'open', otp };
}
