import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Queue } from './queue.ts';

/** Delay before the next batch of a job that left work. */
const nextBatchMs = 1_000;

export type PeriodicJob = {
  name: string;
  /** Time from the start of one run to the start of the next, in milliseconds. */
  everyMs: number;
  /** Delay before the first run, in milliseconds; 0 by default. */
  firstAfterMs?: number;
  /** Does a bounded amount of work. `more` means that work is left: the next run follows after one second. */
  run(now: EpochMs): Promise<'more' | 'done'>;
};

/** Returns a queue with one job that falls due at an interval, such as sealing and retention. */
export function periodic(
  { name, everyMs, firstAfterMs = 0, run }: PeriodicJob,
  clock: Pick<Clock, 'now'>,
): Queue {
  let nextAt = firstAfterMs === 0 ? 0 : clock.now() + firstAfterMs;
  return {
    name,
    async claim(now, limit) {
      if (now < nextAt || limit < 1) return [];
      nextAt = now + everyMs;
      return [
        async () => {
          if ((await run(now)) === 'more') nextAt = clock.now() + nextBatchMs;
        },
      ];
    },
    nextDueAt: async () => nextAt,
  };
}
