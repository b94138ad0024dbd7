/** Pause between two looks at the time, in milliseconds. */
const everyMs = 250;

/** A longer gap between two looks was a suspension, and not work. */
const minGapMs = 1_000;

/** Milliseconds within which requests that waited for a suspension to end are read: no payer answers a screen so fast. */
const readWithinMs = 500;

export type Suspensions = {
  /** Returns the milliseconds that a request can have waited since this process was suspended, if it has just continued; otherwise 0. */
  waitedMs(): number;
  /** Ends the watch. */
  stop(): void;
};

/** For a process whose suspensions change nothing. */
export const noSuspensions: Suspensions = { waitedMs: () => 0, stop() {} };

/**
 * Watches for suspensions of this process, such as those of a debugger, a paused container or a moved virtual machine.
 *
 * @param clocks the time by each of them is compared: the monotonic time of a virtual machine can stand still.
 */
export function watchSuspensions(
  clocks: readonly (() => number)[] = [() => performance.now(), Date.now],
): Suspensions {
  const readAll = () => clocks.map((read) => read());
  let seen = readAll();
  let last: { gapMs: number; endedAt: readonly number[] } | undefined;

  const sinceMs = (earlier: readonly number[], now: readonly number[]) =>
    Math.max(...now.map((at, index) => at - (earlier[index] ?? at)));

  function look(): readonly number[] {
    const now = readAll();
    const gapMs = sinceMs(seen, now);
    if (gapMs > minGapMs) {
      // A request that waited for the end of a suspension can wait for the end of the next one.
      const runMs = last ? sinceMs(last.endedAt, seen) : readWithinMs;
      const beforeMs = last && runMs < readWithinMs ? last.gapMs + runMs : 0;
      last = { gapMs: beforeMs + gapMs, endedAt: now };
    }
    seen = now;
    return now;
  }

  const timer = setInterval(look, everyMs).unref();
  return {
    waitedMs() {
      const now = look();
      if (!last) return 0;
      const agoMs = sinceMs(last.endedAt, now);
      return agoMs > readWithinMs ? 0 : last.gapMs + agoMs;
    },
    stop: () => clearInterval(timer),
  };
}
