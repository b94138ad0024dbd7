/** UTC milliseconds since the epoch, the only form in which a time is stored. */
export type EpochMs = number;

/**
 * Time, handed in so that a month can pass in a second of a test.
 *
 * Everything that waits or asks the time takes a `Clock`; only `systemClock` touches the real one.
 */
export interface Clock {
  /** The time now. Never decreases within one process, even when the machine's clock steps back. */
  now(): EpochMs;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Milliseconds at an even pace, from any beginning: no step of the machine's clock is in them. */
  monotonic?(): number;
  /** Goes on from `at` where it is earlier: an earlier process had come so far. */
  advanceTo?(at: EpochMs): void;
}

/** Milliseconds at an even pace, as near as the clock can tell: its time, where it keeps no other. */
export function monotonicMs(clock: Pick<Clock, 'now' | 'monotonic'>): number {
  return clock.monotonic?.() ?? clock.now();
}

/** A clock whose time can be moved on by hand, as a sandbox's. */
export type AdvanceableClock = Clock & {
  /** Moves time on by `ms` at once; whoever sleeps past that point wakes. Time never goes back. */
  advance(ms: number): void;
  /** How far it was moved on, in all. */
  advancedMs(): number;
};

/** Node's timers hold 31 bits: a longer wait would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * The machine's clock. It follows the wall clock forward; when that steps back, time goes on at its own pace, so
 * that nothing waits for the wall clock to catch up.
 */
export function systemClock(
  wall: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
): Clock {
  let base = wall() - monotonic();
  return {
    now() {
      base = Math.max(base, wall() - monotonic());
      return Math.floor(base + monotonic());
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

/**
 * A clock that runs with `base` and can be moved on besides.
 *
 * @param aheadMs how far it was moved on before, as remembered from another process.
 */
export function advanceableClock(base: Clock, aheadMs = 0): AdvanceableClock {
  let ahead = aheadMs;
  const naps = new Set<AbortController>();
  const now = () => base.now() + ahead;

  async function nap(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const one = new AbortController();
    const end = () => one.abort();
    signal?.addEventListener('abort', end, { once: true });
    naps.add(one);
    await base.sleep(Math.max(0, ms), one.signal);
    naps.delete(one);
    signal?.removeEventListener('abort', end);
  }

  return {
    now,
    async sleep(ms, signal) {
      if (signal?.aborted) return;
      const wakeAt = now() + ms;
      do await nap(wakeAt - now(), signal);
      while (!signal?.aborted && now() < wakeAt);
    },
    advance(ms) {
      if (!(ms >= 0)) throw new Error(`time cannot be moved on by ${ms} ms`);
      ahead += ms;
      // Whoever sleeps looks at the time again, and sleeps on when it is not over.
      for (const one of naps) one.abort();
    },
    advancedMs: () => ahead,
    monotonic: () => (base.monotonic?.() ?? base.now()) + ahead,
    advanceTo: (at) => base.advanceTo?.(at - ahead),
  };
}

/** The same clock, telling when the first of those who sleep on it here wakes: infinity when nobody does. */
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
 * Runs `work` with a signal that aborts after `ms`, so that no wait on a peer is without end. Rejects then, even
 * when the work does not heed the signal. The timer is cancelled as soon as the work is done.
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
    // With a reason, for the one that is made without costs more than the rest.
    finished.abort('finished');
  }
}
