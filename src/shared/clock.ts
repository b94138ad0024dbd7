import type { Log } from './log.ts';

/** A time in UTC milliseconds since the epoch. Every time is stored in this form. */
export type EpochMs = number;

/** A source of time, which code receives so that a test can advance it; only `systemClock` reads the system's clock. */
export interface Clock {
  /** Returns the current time in UTC milliseconds. Implementations never return an earlier time within one process. */
  now(): EpochMs;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns monotonic milliseconds from an arbitrary origin. Steps of the system clock do not affect them. */
  monotonic?(): number;
  /** Advances the clock to `at`. Does nothing when the clock is already past `at`. */
  advanceTo?(at: EpochMs): void;
}

/** Returns the clock's monotonic milliseconds, or its time when it has none. */
export function monotonicMs(clock: Pick<Clock, 'now' | 'monotonic'>): number {
  return clock.monotonic?.() ?? clock.now();
}

/** A clock that tests and sandboxes can advance. */
export type AdvanceableClock = Clock & {
  /** Advances the clock by `ms` and wakes every sleeper that is due. @throws Error when `ms` is negative. */
  advance(ms: number): void;
  /** Returns the total by which the clock was advanced, in milliseconds. */
  advancedMs(): number;
};

/** The maximum delay of a timer. Node fires a timer with a longer delay at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Creates the clock of the system. When the wall clock steps back, it continues at the monotonic rate. */
export function systemClock(
  wall: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
): Clock {
  let base = wall() - monotonic();
  return {
    now() {
      const elapsed = monotonic();
      base = Math.max(base, wall() - elapsed);
      return Math.floor(base + elapsed);
    },
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, Math.min(Math.max(0, ms), maxTimerMs));
        signal?.addEventListener('abort', done, { once: true });
      });
    },
    monotonic,
    advanceTo(at) {
      base = Math.max(base, at - monotonic());
    },
  };
}

/** Creates a clock that runs with `base` and can be advanced. @param aheadMs the total by which an earlier process advanced it. */
export function advanceableClock(base: Clock, aheadMs = 0): AdvanceableClock {
  let ahead = aheadMs;
  const sleepers = new Set<AbortController>();
  const now = () => base.now() + ahead;

  /** Sleeps until `ms` milliseconds of `base` have passed, the clock is advanced, or `signal` aborts. */
  async function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const sleeper = new AbortController();
    const wake = () => sleeper.abort();
    signal?.addEventListener('abort', wake, { once: true });
    sleepers.add(sleeper);
    await base.sleep(Math.max(0, ms), sleeper.signal);
    sleepers.delete(sleeper);
    signal?.removeEventListener('abort', wake);
  }

  return {
    now,
    async sleep(ms, signal) {
      if (signal?.aborted) return;
      const wakeAt = now() + ms;
      do await sleepOnce(wakeAt - now(), signal);
      while (!signal?.aborted && now() < wakeAt);
    },
    advance(ms) {
      if (!(ms >= 0)) throw new Error(`a clock cannot be advanced by ${ms} ms`);
      ahead += ms;
      // A sleeper that is not due yet sleeps again.
      for (const sleeper of sleepers) sleeper.abort();
    },
    advancedMs: () => ahead,
    monotonic: () => (base.monotonic?.() ?? base.now()) + ahead,
    advanceTo: (at) => base.advanceTo?.(at - ahead),
  };
}

/** Wraps `now` and `sleep` of a clock and records the sleepers. `nextWake` returns the earliest wake-up time; `Infinity` without sleepers. */
export function watchedClock(clock: Clock): Clock & { nextWake(): EpochMs } {
  const sleepers = new Set<{ wakeAt: EpochMs }>();
  return {
    now: clock.now,
    async sleep(ms, signal) {
      const sleeper = { wakeAt: clock.now() + ms };
      sleepers.add(sleeper);
      await clock.sleep(ms, signal);
      sleepers.delete(sleeper);
    },
    nextWake: () => Math.min(...Array.from(sleepers, ({ wakeAt }) => wakeAt)),
  };
}

/**
 * Runs `work` with a signal that aborts after `ms` milliseconds, and cancels the timer when the work ends.
 *
 * @returns the result of `work`.
 * @throws the error of `work`, or an Error at the timeout, even when `work` ignores the signal.
 */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const finished = new AbortController();
  const expiry = clock.sleep(ms, finished.signal).then(() => {
    if (finished.signal.aborted) return new Promise<never>(() => {});
    const fault = new Error(`no answer within ${ms} ms`);
    deadline.abort(fault);
    throw fault;
  });
  try {
    return await Promise.race([work(deadline.signal), expiry]);
  } finally {
    // An explicit reason: the default one costs more than the rest of this function.
    finished.abort('finished');
  }
}

/** A stored time that is further ahead of the system clock than this never advances the clock. */
const maxCorrectionMs = 24 * 60 * 60_000;
/** Differences up to this value raise no alarm. */
const toleranceMs = 60_000;

/**
 * Advances `clock` to the latest stored time when that is later, so that stored times never decrease and due work stays due.
 * A stored time that is more than a day ahead does not advance it: the clock that wrote it was wrong. Each difference of more
 * than a minute raises the alarm.
 */
export function alignClock(clock: Clock, storedTimes: readonly EpochMs[], log: Log): void {
  const now = clock.now();
  const behindMs = Math.max(now, ...storedTimes) - now;
  if (behindMs > toleranceMs) {
    const behindSeconds = Math.round(behindMs / 1000);
    log.error(
      { alarm: 'clock_behind', behindSeconds },
      'the system clock is behind the latest ledger entry. Correct the system clock',
    );
  }
  clock.advanceTo?.(Math.max(now, ...storedTimes.filter((at) => at - now <= maxCorrectionMs)));
}
