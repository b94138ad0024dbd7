import type { EpochMs } from '../../shared/clock.ts';

/** Work that falls due, as the worker sees it: each job is claimed before it is run, and claimed by one. */
export interface Queue {
  readonly name: string;
  /** Jobs due now, most urgent first, each with the work that takes it one step further. At most `limit`. */
  claim(now: EpochMs, limit: number): Promise<(() => Promise<void>)[]>;
  /** When the next job falls due; `null` when there is none. */
  nextDueAt(): Promise<EpochMs | null>;
}
