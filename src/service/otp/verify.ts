import type { Store } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import { type Answer, answer } from '../http/answer.ts';
import type { Keep } from '../idempotency/once.ts';
import type { Caller } from '../key/authenticate.ts';
import { type Refused, refuse } from '../refusal.ts';
import { checkOpen } from './check-open.ts';
import { isCode } from './code.ts';
import type { OtpStore } from './otp-store.ts';
import type { OtpConfig } from './request.ts';
import type { TypedCode } from './shapes.ts';

export type VerifyOtp = (caller: Caller, typed: TypedCode, keep: Keep) => Promise<Answer | Refused>;

/**
 * Checks the code that a payer typed. Each try is counted before its code is looked at and given back when the
 * code was right, so that guesses which arrive together never get more tries than the limit. A right code stays
 * right until the request is used.
 *
 * Refuses what cannot be verified any more: `otp_used`, `otp_expired`, `otp_locked`; and `otp_not_found`.
 */
export function verifyOtp(deps: {
  store: Store;
  otps: OtpStore;
  config: OtpConfig;
  clock: Clock;
}): VerifyOtp {
  const { store, otps, config, clock } = deps;
  const param = 'otp_request_id';

  return async (caller, { otp_request_id: id, code }, keep) => {
    const now = clock.now();
    const found = checkOpen(await otps.find(caller, id), now);
    if (found.kind === 'refused') return found;
    const limit = config.attemptLimit;
    const wrong = answer(200, { verified: false });
    if (!(await store.apply([otps.claim({ id, limit, now }), ...keep.first(wrong)]))) {
      const left = checkOpen(await otps.find(caller, id), now);
      return left.kind === 'refused' ? left : refuse('otp_locked', { param });
    }
    if (!(await isCode(code, found.otp))) return wrong;

    const at = clock.now();
    const right = answer(200, { verified: true });
    if (await store.apply([otps.verify({ id, now: at }), ...keep.instead(right)])) return right;
    const left = checkOpen(await otps.find(caller, id), at);
    const refused = left.kind === 'refused' ? left : refuse('otp_expired', { param });
    await store.apply(keep.instead(refused));
    return refused;
  };
}
