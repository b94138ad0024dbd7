/* No library: samplers drop log lines, and this one counts what it does not write, by reason. */

import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

const summaryEveryMs = 60_000;
const maxSamples = 5;

/** Log lines of one kind that any stranger can cause. */
export type LogSummary = {
  /**
   * Logs the first event at once, and counts those that follow.
   *
   * @param reason one of a few constants, by which events are counted.
   * @param sample identifiers of the event, such as the address of its caller. Only a few samples are logged.
   */
  record(reason: string, sample: Record<string, string | undefined>): void;
  /** Logs the events that are counted and not logged yet. */
  stop(): void;
};

/** Creates a summary, so that rejected requests cannot fill the log: a warning for the first, then one a minute with counts per reason. */
export function createLogSummary(
  { clock, log }: { clock: Pick<Clock, 'sleep'>; log: Pick<Log, 'warn'> },
  message: string,
): LogSummary {
  const stopping = new AbortController();
  let isRunning = false;
  let counts = new Map<string, number>();
  let samples = new Map<string, object>();

  function flush(): boolean {
    if (counts.size === 0) return false;
    log.warn({ counts: Object.fromEntries(counts), samples: [...samples.values()] }, message);
    counts = new Map();
    samples = new Map();
    return true;
  }

  async function run(): Promise<void> {
    do await clock.sleep(summaryEveryMs, stopping.signal);
    while (flush() && !stopping.signal.aborted);
    isRunning = false;
  }

  return {
    record(reason, sample) {
      if (!isRunning) {
        isRunning = true;
        log.warn({ reason, ...sample }, message);
        void run();
        return;
      }
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
      if (samples.size < maxSamples) samples.set(JSON.stringify(sample), sample);
    },
    stop() {
      stopping.abort();
      flush();
    },
  };
}
