import { type Clock, monotonicMs } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Evidence } from '../evidence.ts';
import type { CallName } from '../fact.ts';
import type { CallOutcome } from './provider.ts';

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
    /** Returns the merchants whose key was rejected, and not accepted since. A new process has no earlier rejections. */
    rejectedMerchants: (): string[] => [...reported.keys()],
    /** Records other evidence. A success of the rejected call proves that the key is valid again. */
    recordSuccess(merchantId: string, { kind }: Pick<Evidence, 'kind'>): void {
      const call = successfulCall[kind];
      // A key without the scope to create may still poll, so only the same call counts.
      if (call !== undefined && reported.get(merchantId)?.call === call) reported.delete(merchantId);
    },
  };
}

export type ServiceHealth = ReturnType<typeof createServiceHealth>;

type OutageSettings = {
  /** Calls in a row that prove nothing, after which the service counts as unavailable. */
  afterCalls: number;
  /** Time within which these calls must end. */
  withinMs: number;
  /** The text that a payer reads instead of, or on, a confirm screen. */
  duringOutage: 'refuse' | 'warn';
};

/** Time between two payers who may pay during an outage, so that their calls show when it is over. */
const probeEveryMs = 10_000;

/** The recent calls of a merchant that proved nothing, and the outage that they are. */
type Calls = { failedAt: number[]; isUnavailable: boolean; probedAt: number };

/**
 * Tracks whether the service answers the calls with each merchant's key. A call that proves nothing (timeout, reset, 5xx, an
 * unreadable answer) counts; an answer or a rejection ends the outage; a 429 does
 * neither, and a rejected key has its own alarm.
 */
export function createServiceHealth(
  { clock, log }: { clock: Pick<Clock, 'now' | 'monotonic'>; log: Log },
  { afterCalls, withinMs, duringOutage }: OutageSettings,
) {
  const merchants = new Map<string, Calls>();

  function recordFailure(merchant: string, call: CallName, detail: string, httpStatus?: number): void {
    const known = merchants.get(merchant) ?? { failedAt: [], isUnavailable: false, probedAt: 0 };
    merchants.set(merchant, known);
    const now = monotonicMs(clock);
    known.failedAt = [...known.failedAt, now].slice(-afterCalls);
    const [first = now] = known.failedAt;
    if (known.isUnavailable || known.failedAt.length < afterCalls || now - first > withinMs) return;
    known.isUnavailable = true;
    // The first payer may pay at once: the failures may all belong to one payment.
    known.probedAt = now - probeEveryMs;
    const line = { merchant, alarm: 'service_unavailable', calls: afterCalls, call, detail, httpStatus };
    log.error(line, 'the service does not answer: payments are not possible');
  }

  function recordProof(merchant: string): void {
    if (merchants.get(merchant)?.isUnavailable) log.info({ merchant }, 'the service answers again');
    merchants.delete(merchant);
  }

  const isUnavailable = (merchant: string): boolean => merchants.get(merchant)?.isUnavailable === true;

  return {
    /** Records how a call with the merchant's key ended. */
    record(merchant: string, call: CallName, outcome: CallOutcome<unknown>): void {
      // A rejected key has its own alarm, whatever its body.
      if (outcome.kind === 'unknown' && isKeyStatus(outcome.httpStatus)) return;
      if (outcome.kind === 'unknown') recordFailure(merchant, call, outcome.detail, outcome.httpStatus);
      else if (outcome.kind !== 'rate_limited') recordProof(merchant);
    },
    isUnavailable,
    /** Returns whether payers are refused at all during an outage of this merchant's calls. */
    isRefusing: (merchant: string): boolean => duringOutage === 'refuse' && isUnavailable(merchant),
    /** Returns whether confirm screens show a warning. */
    isWarning: (merchant: string): boolean => duringOutage === 'warn' && isUnavailable(merchant),
    /** Returns whether one payer may pay now all the same; at most one in ten seconds. */
    tryProbe(merchant: string): boolean {
      const known = merchants.get(merchant);
      const now = monotonicMs(clock);
      if (!known || now - known.probedAt < probeEveryMs) return false;
      known.probedAt = now;
      return true;
    },
    /** Returns the merchants whose calls the service does not answer. */
    unavailableMerchants: (): string[] => [...merchants.keys()].filter(isUnavailable),
  };
}
