import { setMaxListeners } from 'node:events';
import type { Clock, EpochMs } from '../shared/clock.ts';
import { errorMessage } from '../shared/errors.ts';
import { type Log, withoutDigits } from '../shared/log.ts';

/** Upper bound of the sleep of an idle loop, as a safeguard: every writer also wakes the loop. */
const maxIdleMs = 3_600_000;

const maxPauseMs = 60_000;

export type Loop = {
  start(): void;
  /** Schedules a round at that time, unless an earlier one is scheduled. */
  wakeBy(at: EpochMs): void;
  /** Returns when the next round is due: now while a round runs, infinity when none is scheduled. */
  dueAt(): EpochMs;
  /** Resolves when no round is due at the present time; immediately when the loop does not run. */
  whenIdle(): Promise<void>;
  /** Aborts the round's signal and resolves when the round is over. */
  stop(): Promise<void>;
};

/** Creates a loop that runs `round` when work is due. A round is bounded and returns the next time. A failed one repeats in 1 to 60 s. */
export function createLoop(options: {
  name: string;
  clock: Clock;
  log: Log;
  round(signal: AbortSignal): Promise<EpochMs | undefined>;
}): Loop {
  const { name, clock, log, round } = options;
  const stopping = new AbortController();
  // Each delivery in flight listens to it; their number has a bound.
  setMaxListeners(0, stopping.signal);
  let sleep = new AbortController();
  let due: EpochMs = 0;
  let failures = 0;
  let running: Promise<void> | undefined;
  /** Set while the loop sleeps. */
  let wakeAt: EpochMs | undefined;
  let waiters: (() => void)[] = [];

  function releaseWaiters(): void {
    for (const release of waiters) release();
    waiters = [];
  }

  async function sleepUntilDue(): Promise<void> {
    const idleUntil = clock.now() + maxIdleMs;
    while (!stopping.signal.aborted) {
      wakeAt = Math.min(due, idleUntil);
      const waitMs = wakeAt - clock.now();
      if (waitMs <= 0) break;
      sleep = new AbortController();
      releaseWaiters();
      await clock.sleep(waitMs, sleep.signal);
    }
    wakeAt = undefined;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      due = Number.POSITIVE_INFINITY;
      try {
        const next = await round(stopping.signal);
        due = Math.min(due, next ?? due);
        failures = 0;
      } catch (fault) {
        failures++;
        // The message can contain a rail's text, and with it a phone number.
        log.error({ loop: name, failures, fault: withoutDigits(errorMessage(fault)) }, 'a round failed');
        due = clock.now() + Math.min(maxPauseMs, 1_000 * 2 ** Math.min(failures - 1, 10));
      }
      await sleepUntilDue();
    }
  }

  return {
    start() {
      running ??= run();
    },
    wakeBy(at) {
      if (at >= due) return;
      due = at;
      if (wakeAt !== undefined) wakeAt = Math.min(wakeAt, at);
      // An explicit reason: the default one costs more than the rest of this function.
      sleep.abort('due');
    },
    dueAt: () => (wakeAt === undefined ? clock.now() : due),
    async whenIdle() {
      while (running && !stopping.signal.aborted && (wakeAt ?? 0) <= clock.now()) {
        await new Promise<void>((resolve) => waiters.push(resolve));
      }
    },
    async stop() {
      stopping.abort();
      sleep.abort();
      releaseWaiters();
      await running;
    },
  };
}
