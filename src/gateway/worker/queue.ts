import type { EpochMs } from '../../shared/clock.ts';

/** A source of jobs that fall due. Each job is claimed, by one worker, before it runs. */
export interface Queue {
  readonly name: string;
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
