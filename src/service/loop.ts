import type { Clock, EpochMs } from '../shared/clock.ts';
import { messageOf } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';

/** Longest sleep of an idle loop: a second line of defence, since every writer also wakes it. */
const longestIdleMs = 3_600_000;

const longestPauseMs = 60_000;

export type Loop = {
  start(): void;
  /** Asks for a round at that time, if none comes sooner. */
  wakeBy(at: EpochMs): void;
  /** Aborts the round's signal and resolves when the round is over. */
  stop(): Promise<void>;
};

/**
 * Runs `round` when work is due and sleeps on the clock in between. A round does a bounded amount of work and
 * says when it is next needed. A round that throws is logged and tried again, after 1 s to 60 s.
 */
export function makeLoop(options: {
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

  async function sleepUntilDue(): Promise<void> {
    const idleUntil = clock.now() + longestIdleMs;
    while (!stopping.signal.aborted) {
      const waitMs = Math.min(due, idleUntil) - clock.now();
      if (waitMs <= 0) return;
      nap = new AbortController();
      await clock.sleep(waitMs, nap.signal);
    }
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
        log.error({ loop: name, faults, fault: messageOf(fault) }, 'a round failed');
        due = clock.now() + Math.min(longestPauseMs, 1_000 * 2 ** Math.min(faults - 1, 10));
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
      nap.abort();
    },
    async stop() {
      stopping.abort();
      nap.abort();
      await running;
    },
  };
}
