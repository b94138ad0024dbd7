import { type Clock, monotonicMs } from '../../../shared/clock.ts';
import type { Evidence } from '../evidence.ts';
import type { CallName } from '../fact.ts';

export type KeyHealth = ReturnType<typeof createKeyHealth>;

/** Minimum interval between two log lines about the same rejected key: every payment and poll meets the rejection. */
const minReportIntervalMs = 3_600_000;

/**
 * Returns whether the status concerns the merchant's key, its scope or its approval. The body is not considered: the
 * interface does not describe it, and an unknown code must not hide a rejected key.
 */
export function isKeyStatus(httpStatus: number | undefined): boolean {
  return httpStatus === 401 || httpStatus === 403;
}

/** The call whose success each kind of evidence proves. */
const successfulCall: Partial<Record<Evidence['kind'], CallName>> = {
  create_answered: 'create',
  initiate_answered: 'initiate',
  polled: 'status',
};

/**
 * Decides which rejections of merchants' keys are reported: the first one, then one an hour, and the first one after a
 * success.
 *
 * @param onRejected is called for every rejection, for metrics.
 */
export function createKeyHealth(
  clock: Pick<Clock, 'now' | 'monotonic'>,
  onRejected: (merchantId: string) => void = () => {},
) {
  const reported = new Map<string, { call: CallName; at: number }>();
  return {
    /** Records that the service rejected the merchant's key in a call. Returns whether to report it. */
    recordRejection(merchantId: string, call: CallName): boolean {
      onRejected(merchantId);
      const now = monotonicMs(clock);
      const last = reported.get(merchantId);
      if (last && now < last.at + minReportIntervalMs) return false;
      reported.set(merchantId, { call, at: now });
      return true;
    },
    /** Returns the merchants whose key was rejected, and not accepted since. A new process does not know earlier rejections. */
    rejectedMerchants: (): string[] => [...reported.keys()],
    /** Records other evidence. A success of the rejected call proves that the key is valid again. */
    recordSuccess(merchantId: string, { kind }: Pick<Evidence, 'kind'>): void {
      const call = successfulCall[kind];
      // A key without the scope to create may still poll, so only the same call counts.
      if (call !== undefined && reported.get(merchantId)?.call === call) reported.delete(merchantId);
    },
  };
}
