import type { EpochMs } from '../clock.ts';

type Most = {
  ofEach: number;
  withinMs: number;
  /** That are remembered: beyond it, the one that took longest ago is forgotten. */
  keys: number;
};

/** Counts what each key took within the time that has just passed, and says whether it may take one more. */
export class SlidingWindow {
  private readonly takenAt = new Map<string, readonly EpochMs[]>();
  private readonly most: Most;

  constructor(most: Most) {
    this.most = most;
  }

  isLeft(key: string, now: EpochMs): boolean {
    return this.recent(key, now).length < this.most.ofEach;
  }

  /** Only for one of which something is left: what is kept of each is bounded by that. */
  take(key: string, now: EpochMs): void {
    const times = [...this.recent(key, now), now];
    // Put in anew, so that the keys stand in the order of their last times.
    this.takenAt.delete(key);
    this.takenAt.set(key, times);
    const [oldest] = this.takenAt.keys();
    if (this.takenAt.size > this.most.keys && oldest !== undefined) this.takenAt.delete(oldest);
  }

  private recent(key: string, now: EpochMs): readonly EpochMs[] {
    return (this.takenAt.get(key) ?? []).filter((at) => now - at < this.most.withinMs);
  }
}
