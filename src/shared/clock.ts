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
}

/** A clock whose time can be moved on by hand, as a sandbox's. */
export type AdvanceableClock = Clock & {
  /** Moves time on by `ms` at once; whoever sleeps past that point wakes. */
  advance(ms: number): void;
};

/** Node's timers hold 31 bits: a longer wait would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

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
        const timer = setTimeout(done, Math.min(Math.max(0, ms), longestTimerMs));
        signal?.addEventListener('abort', done, { once: true });
      });
    },
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
    finished.abort();
  }
}
