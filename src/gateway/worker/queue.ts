import type { Clock, EpochMs } from '../../shared/clock.ts';

/** A source of jobs that fall due. Each job is claimed, by one worker, before it runs. */
export interface Queue {
  readonly name: string;
  /** Its jobs make no job of another queue due. */
  readonly isApart?: true;
  /** Maximum jobs in flight, in place of the worker's. */
  readonly inFlight?: number;
  /** Claims up to `limit` due jobs, the most urgent first. Each returned function advances its job by one step. */
  claim(now: EpochMs, limit: number): Promise<(() => Promise<void>)[]>;
  /** Returns the time at which the next job falls due; null without jobs. */
  nextDueAt(): Promise<EpochMs | null>;
}

/**
 * Claims several jobs at once. Each claim is durable by itself, so one that fails takes nothing from the others.
 *
 * @returns those that were claimed.
 * @throws the first fault when none was claimed.
 */
export async function claimEach<Job>(
  jobs: readonly Job[],
  claim: (job: Job) => Promise<boolean>,
): Promise<Job[]> {
  const results = await Promise.allSettled(jobs.map(claim));
  const claimed = jobs.filter((_, index) => {
    const result = results[index];
    return result?.status === 'fulfilled' && result.value;
  });
  const failed = results.find((one) => one.status === 'rejected');
  if (failed && claimed.length === 0) throw failed.reason;
  return claimed;
}

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
    isApart: true,
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
