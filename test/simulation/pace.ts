import type { CallSeen } from './network.ts';
import type { OracleAnswer } from './oracle/answer.ts';
import type { Part } from './scene.ts';

export type PaceDeps = Part & {
  service: { callsPerSecond: number; callsInFlight: number };
  /** Gateways that share the rate of each key. */
  gateways: number;
  /** Whether a gateway may not have learned since `at` of what happened to another one. */
  isDisturbedSince(at: number): boolean;
};

/** Periods in which calls are counted. */
const windowsMs = [3_000, 10_000] as const;
const longestMs = Math.max(...windowsMs);

/**
 * Checks I9: the call rate of the gateway, the calls in flight, and the waits that the service asked for. A new
 * process starts without this state.
 */
export function createPace({ scheduler, has, violate, service, gateways, isDisturbedSince }: PaceDeps) {
  const { now } = scheduler;
  const { callsPerSecond } = service;
  const callsInFlight = gateways * service.callsInFlight;
  /** Time in which a gateway learns of a pause of another one, and its calls leave whose rows it was writing. */
  const learnMs = has('slow_server') || has('distant_server') ? 20_000 : 3_000;
  /** The earliest time of the next status call, by path, and when the service asked for it. */
  const notBefore = new Map<string, { until: number; at: number }>();
  /** Times of recent calls, by key. */
  const left = new Map<string, number[]>();
  /** The end of the pause after a 429, by key. */
  const pausedUntil = new Map<string, { at: number; until: number }>();
  let inFlight = new Set<number>();
  /**
   * The first event of a result outdates the waits that answers to earlier calls asked for. The poll that proves the result
   * may leave early, once, because it can follow a call that leaves before the event is handled.
   */
  const earlyPolls = new Map<string, number>();
  /**
   * With a wrong clock a webhook can cause an immediate poll, a clock jump makes work due, and a failed write can
   * lose a wait.
   */
  const earlyPollFeatures = ['clock_skew', 'clock_jumps', 'disk_full', 'foreign_locks'] as const;
  const mayPollEarly = earlyPollFeatures.some(has);

  /** Results that events have reported since the last initiate call, with address and type, by path. Earlier ones say nothing of its prompt. */
  const reported = new Map<string, Set<string>>();
  /** When the last of them was acknowledged, by path. */
  const reportedAt = new Map<string, number>();
  /** When calls left, by number. */
  const leftAt = new Map<number, number>();

  /** Whether a status call leaves before the time that the service asked for. */
  function isEarly(path: string): boolean {
    const { until = 0, at = 0 } = notBefore.get(path) ?? {};
    if (now() >= until) return false;
    // The write of the wait can be lost with a connection: another gateway then polls when the lease ends.
    if (gateways > 1 && isDisturbedSince(at)) return false;
    const polls = earlyPolls.get(path) ?? 0;
    if (polls > 0) earlyPolls.set(path, polls - 1);
    return polls === 0;
  }

  function lengthenPause(key: string, until: number): void {
    if (until > (pausedUntil.get(key)?.until ?? 0)) pausedUntil.set(key, { at: now(), until });
  }

  return {
    onCall(call: CallSeen): void {
      inFlight.add(call.number);
      leftAt.set(call.number, now());
      if (call.kind === 'initiate') reported.delete(call.path.replace(/initiate$/, 'status'));
      // Quotes may use half as many calls in addition.
      if (inFlight.size > callsInFlight + Math.max(1, Math.floor(callsInFlight / 2)))
        violate('I9', `${inFlight.size} calls are in flight`);
      const key = call.headers.authorization ?? '';
      const recent = [...(left.get(key) ?? []).filter((at) => at > now() - longestMs), now()];
      left.set(key, recent);
      for (const windowMs of windowsMs) {
        const calls = recent.filter((at) => at > now() - windowMs).length;
        // Each gateway may make one call at once, however small its share is.
        const maxCalls = callsPerSecond * (windowMs / 1000 + 1) + Math.max(gateways, callsPerSecond);
        if (calls > maxCalls) violate('I9', `${calls} calls with one key in ${windowMs} ms`);
      }
      if (call.kind === 'status' && isEarly(call.path) && !mayPollEarly)
        violate(
          'I9',
          `${call.path} is polled ${(notBefore.get(call.path)?.until ?? 0) - now()} ms too early`,
        );
      const { at = 0, until = 0 } = pausedUntil.get(key) ?? {};
      const isKnown = gateways === 1 || (now() > at + learnMs && !isDisturbedSince(at - learnMs));
      if (now() < until && isKnown && !mayPollEarly)
        violate('I9', `a key is used ${until - now()} ms before its pause ends`);
    },
    /**
     * Records an event that the gateway acknowledged. The same event at the address of another merchant reports nothing
     * about the session, so it is not the first one.
     */
    onEvent(url: string, body: string): void {
      const { type, data } = JSON.parse(body) as { type: string; data: { id?: string } };
      const path = `/v1/payments/sessions/${data.id}/status`;
      const isResult = type === 'payment.session.paid' || type === 'payment.session.failed';
      const results = reported.get(path) ?? new Set();
      const result = `${url} ${type}`;
      if (!isResult || results.has(result)) return;
      reported.set(path, results.add(result));
      reportedAt.set(path, now());
      earlyPolls.set(path, (earlyPolls.get(path) ?? 0) + 1);
      notBefore.delete(path);
    },
    onDone(call: CallSeen, answer: OracleAnswer | undefined): void {
      inFlight.delete(call.number);
      const key = call.headers.authorization ?? '';
      // Only a 429 about the key pauses the key.
      if (answer?.status === 429 && !answer.body.includes('too_many_prompts'))
        lengthenPause(key, now() + pauseDurationMs(answer));
      // A call can leave while another gateway still writes what the event changes.
      const handleMs = gateways > 1 ? learnMs : 0;
      const isOutdated =
        (leftAt.get(call.number) ?? 0) <= (reportedAt.get(call.path) ?? -1 - handleMs) + handleMs;
      leftAt.delete(call.number);
      if (call.kind === 'status' && answer?.status === 200 && !isOutdated)
        notBefore.set(call.path, { until: now() + retryAfterMs(answer.body), at: now() });
    },
    /** Resets the state when the process ends. */
    reset(): void {
      inFlight = new Set();
      left.clear();
      pausedUntil.clear();
      notBefore.clear();
    },
  };
}

/** Returns the pause that a 429 asks for, from one second to one minute. */
function pauseDurationMs({ headers }: OracleAnswer): number {
  return Math.min(60, Math.max(1, Number(headers['retry-after'] ?? 1))) * 1000;
}

function retryAfterMs(body: string): number {
  try {
    const { retry_after_seconds: seconds } = JSON.parse(body) as { retry_after_seconds?: unknown };
    return typeof seconds === 'number' ? seconds * 1000 : 0;
  } catch {
    return 0;
  }
}
