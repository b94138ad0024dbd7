import type { EpochMs } from '../../shared/clock.ts';

/** A source of jobs that fall due. Each job is claimed, by one worker, before it runs. */
export interface Queue {
  readonly name: string;
  /** Claims up to `limit` due jobs, the most urgent first. Each returned function advances its job by one step. */
  claim(now: EpochMs, limit: number): Promise<(() => Promise<void>)[]>;
  /** Returns the time at which the next job falls due; null without jobs. */
  nextDueAt(): Promise<EpochMs | null>;
}
