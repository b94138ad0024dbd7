import type { Clock, EpochMs } from '../shared/clock.ts';
import { messageOf } from '../shared/errors.ts';
import { type Log, withoutDigits } from '../shared/log.ts';

/** Longest sleep of an idle loop: a second line of defence, since every writer also wakes it. */
const maxIdleMs = 3_600_000;

const maxPauseMs = 60_000;

export type Loop = {
  start(): void;
  /** Asks for a round at that time, if none comes sooner. */
  wakeBy(at: EpochMs): void;
  /** When the next round is due: now while one is under way, infinity when nothing is planned. */
  dueAt(): EpochMs;
  /** Resolves when nothing is due at the present time; at once when the loop does not run. */
  whenIdle(): Promise<void>;
  /** Aborts the round's signal and resolves when the round is over. */
  stop(): Promise<void>;
};

/**
 * Runs `round` when work is due and sleeps on the clock in between. A round does a bounded amount of work and
 * says when it is next needed. A round that throws is logged and tried again, after 1 s to 60 s.
 */
export function createLoop(options: {
  name: string;
  clock: Clock;
  log: Log;
  round(signal: AbortSignal): Promise<EpochMs | undefined>;
}): Loop {
  const { name, clock, log, round } = options;
  const stopping = new AbortController();
  let nap = new AbortController();
  let due: EpochMs = 0;
  let faults = 0;
  let running: Promise<void> | undefined;
  /** Set while the loop sleeps. */
  let wakeAt: EpochMs | undefined;
  let waiters: (() => void)[] = [];

  function tellWaiters(): void {
    for (const tell of waiters) tell();
    waiters = [];
  }

  async function sleepUntilDue(): Promise<void> {
    const idleUntil = clock.now() + maxIdleMs;
    while (!stopping.signal.aborted) {
      wakeAt = Math.min(due, idleUntil);
      const waitMs = wakeAt - clock.now();
      if (waitMs <= 0) break;
      nap = new AbortController();
      tellWaiters();
      await clock.sleep(waitMs, nap.signal);
    }
    wakeAt = undefined;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      due = Number.POSITIVE_INFINITY;
      try {
        const next = await round(stopping.signal);
        due = Math.min(due, next ?? due);
        faults = 0;
      } catch (fault) {
        faults++;
        // A rail's words may be among them.
        log.error({ loop: name, faults, fault: withoutDigits(messageOf(fault)) }, 'a round failed');
        due = clock.now() + Math.min(maxPauseMs, 1_000 * 2 ** Math.min(faults - 1, 10));
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
      nap.abort();
    },
    dueAt: () => (wakeAt === undefined ? clock.now() : due),
    async whenIdle() {
      while (running && !stopping.signal.aborted && (wakeAt ?? 0) <= clock.now()) {
        await new Promise<void>((resolve) => waiters.push(resolve));
      }
    },
    async stop() {
      stopping.abort();
      nap.abort();
      tellWaiters();
      await running;
    },
  };
}
