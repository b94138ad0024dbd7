import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { findMagicName } from '../../contract/service/magic-numbers.ts';
import type { OtpVerification } from '../../contract/service/session-operations.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { OtpConfig } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import { type ApiError, type ApiResponse, apiError, isApiError, jsonResponse } from '../http/response.ts';
import type { SavedResponse } from '../idempotency-store.ts';
import type { Caller } from '../key/authenticate.ts';
import type { Livemode } from '../schema.ts';
import type { UseOtp } from '../session/create.ts';
import type { Otp, OtpStore } from './otp-store.ts';

const codeLength = 6;

const digestBytes = 32;

/** About 10 ms and 4 MiB for each guess: all codes cannot be tried against a stolen digest within ten minutes. */
const cost = { N: 4_096, r: 8, p: 1 };

const derive = promisify<string, string, number, typeof cost, Buffer>(scrypt);

/** The stored form of a code. */
type HashedCode = { salt: string; digest: string };

/** The code of every request in test mode for a magic number. */
export const testCode = '123456';

/** Returns the fixed code of a request in test mode for a magic number; `undefined` for every other request. */
export function fixedCode(livemode: Livemode, payer: string): string | undefined {
  return livemode === 0 && findMagicName(payer) !== undefined ? testCode : undefined;
}

/** Generates a code of six digits, unless it is fixed, and its stored form. */
export async function generateCode(
  ids: Ids,
  code: string = ids.digits(codeLength),
): Promise<HashedCode & { code: string }> {
  const salt = ids.secret();
  const digest = await derive(code, salt, digestBytes, cost);
  return { code, salt, digest: digest.toString('hex') };
}

/** True when a typed code is the right one. Takes the same time for every code. */
export async function verifyCode(typed: string, { salt, digest }: HashedCode): Promise<boolean> {
  return timingSafeEqual(await derive(typed, salt, digestBytes, cost), Buffer.from(digest, 'hex'));
}

/** Checks that an OTP request exists, has not expired and was not used. */
function checkOpen(otp: Otp | undefined, now: EpochMs): Otp | ApiError {
  const param = 'otp_request_id';
  if (!otp) return apiError('otp_not_found', { param });
  if (otp.usedAt !== null) return apiError('otp_used', { param });
  if (otp.expiresAt <= now) return apiError('otp_expired', { param });
  return otp;
}

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
export function verifyOtp(
  deps: Pick<ServiceContext, 'store' | 'otps' | 'clock'> & {
    config: OtpConfig;
  },
): VerifyOtp {
  const { store, otps, clock } = deps;
  const limit = deps.config.maxWrongCodes;

  async function findUnlocked(caller: Caller, id: string) {
    const found = checkOpen(await otps.find(caller, id), clock.now());
    if (isApiError(found) || found.wrongCodes < limit) return found;
    return apiError('otp_locked', { param: 'otp_request_id' });
  }

  return async (caller, { otp_request_id: id, code }, savedResponse) => {
    const found = await findUnlocked(caller, id);
    if (isApiError(found)) return found;
    const verified = await verifyCode(code, found);
    const response = jsonResponse(200, { verified });
    const guard = { id, limit, now: clock.now() };
    const write = verified ? otps.verify(guard) : otps.countWrong(guard);
    if (await store.apply([write, ...savedResponse.save(response)])) return response;
    const closed = await findUnlocked(caller, id);
    if (isApiError(closed)) return closed;
    throw new Error(`the OTP request ${id} is open, but its guess could not be stored`);
  };
}

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
    const otp = checkOpen(await otps.find(owner, otpRequestId), now);
    if (isApiError(otp)) return otp;
    if (otp.verifiedAt === null) {
      return apiError(otp.wrongCodes < config.maxWrongCodes ? 'otp_not_verified' : 'otp_locked', { param });
    }
    if (otp.payer !== expected.payer || otp.amountMinor !== expected.amountMinor)
      return apiError('otp_mismatch', { param });
    return otps.use({ id: otp.id, now });
  };
}
