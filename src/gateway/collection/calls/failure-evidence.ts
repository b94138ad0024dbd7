import { payerLimited } from '../../../contract/error.ts';
import type { Evidence } from '../evidence.ts';
import type { CallName } from '../fact.ts';
import type { CallOutcome } from './outcome.ts';
import type { SubmitDeps } from './submit-deps.ts';

/** The outcome of a call that was not sent: the configuration no longer contains the merchant. */
export const notConfigured = {
  kind: 'unknown',
  detail: 'merchant_not_configured',
  retryAfterMs: 60_000,
  ms: 0,
} as const;

/** Returns the evidence of a call that did not succeed, and pauses the merchant's key after a 429 about it. */
export function failureEvidence(
  deps: SubmitDeps,
  merchantId: string,
  call: CallName,
  outcome: Exclude<CallOutcome<unknown>, { kind: 'ok' }>,
): Evidence {
  // A limit on one payer's number concerns this collection alone.
  if (outcome.kind === 'rate_limited' && outcome.detail !== payerLimited) {
    deps.onRateLimited?.(merchantId, outcome.retryAfterMs);
  }
  if (outcome.kind === 'rejected') {
    const { code, httpStatus, ms } = outcome;
    return { kind: 'call_rejected', call, code, httpStatus, ms };
  }
  const { kind, ...rest } = outcome;
  return { kind: 'call_unknown', call, outcome: kind, ...rest };
}
