import type { Feature } from './features.ts';
import type { CallSeen } from './network.ts';
import type { OracleAnswer } from './oracle/answer.ts';

export type PaceDeps = {
  now(): number;
  has(feature: Feature): boolean;
  violate(rule: string, what: string): void;
  service: { callsPerSecond: number; callsInFlight: number };
};

const windowMs = 10_000;

/** I9: how fast the gateway may call, and how patient it must be. What a process knew is gone when it ends. */
export function openPace({ now, has, violate, service }: PaceDeps) {
  const { callsPerSecond, callsInFlight } = service;
  /** When a session may be asked about again. */
  const notBefore = new Map<string, number>();
  /** When the last calls of a key left. */
  const left = new Map<string, number[]>();
  /** Until when a key may not be used, after a 429 about it. */
  const pausedUntil = new Map<string, number>();
  let underWay = new Set<number>();
  /**
   * A webhook that a wrong clock finds stale is a hint to ask at once, a clock that jumps makes anything due, and what a
   * disk did not take is not remembered.
   */
  const hurrying = ['clock_skew', 'clock_jumps', 'disk_full', 'foreign_locks'] as const;
  const mayHurry = hurrying.some(has);

  return {
    onCall(call: CallSeen): void {
      underWay.add(call.number);
      // Payments have so many, and quotes half as many.
      if (underWay.size > callsInFlight + Math.max(1, Math.floor(callsInFlight / 2)))
        violate('I9', `${underWay.size} calls are under way`);
      const key = call.headers.authorization ?? '';
      const recent = [...(left.get(key) ?? []).filter((at) => at > now() - windowMs), now()];
      left.set(key, recent);
      const most = callsPerSecond * (windowMs / 1000 + 2);
      if (recent.length > most) violate('I9', `${recent.length} calls of one key in ${windowMs} ms`);
      const earliest = notBefore.get(call.path) ?? 0;
      if (call.kind === 'status' && now() < earliest && !mayHurry)
        violate('I9', `${call.path} is asked for ${earliest - now()} ms too early`);
      const free = pausedUntil.get(key) ?? 0;
      if (now() < free && !mayHurry)
        violate('I9', `a key is used ${free - now()} ms before its hold is over`);
    },
    onDone(call: CallSeen, answer: OracleAnswer | undefined): void {
      underWay.delete(call.number);
      const key = call.headers.authorization ?? '';
      // What is under way still comes back; only what is about the key holds the key.
      if (answer?.status === 429 && !answer.body.includes('too_many_prompts'))
        pausedUntil.set(key, Math.max(pausedUntil.get(key) ?? 0, now() + pauseDurationMs(answer)));
      if (call.kind === 'status' && answer?.status === 200)
        notBefore.set(call.path, now() + patienceOf(answer.body));
    },
    /** The process has ended. */
    reset(): void {
      underWay = new Set();
      left.clear();
      pausedUntil.clear();
      notBefore.clear();
    },
  };
}

/** How long a 429 asks for, from a second to a minute. */
function pauseDurationMs({ headers }: OracleAnswer): number {
  return Math.min(60, Math.max(1, Number(headers['retry-after'] ?? 1))) * 1000;
}

function patienceOf(body: string): number {
  try {
    const { retry_after_seconds: seconds } = JSON.parse(body) as { retry_after_seconds?: unknown };
    return typeof seconds === 'number' ? seconds * 1000 : 0;
  } catch {
    return 0;
  }
}
